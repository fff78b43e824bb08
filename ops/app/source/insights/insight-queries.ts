/** Reads dashboards and their panels. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { queryClient } from '../data/query-client.ts';
import { DASHBOARDS, type Dashboard, PANELS, type Panel } from './panel-options.ts';

/** A dashboard with its panels. */
export interface WholeDashboard extends Dashboard {
  readonly panels: readonly Panel[];
}

export const dashboardsQuery = queryOptions({
  queryKey: ['items', DASHBOARDS, 'list'],
  queryFn: ({ signal }): Promise<readonly Dashboard[]> =>
    client.request('GET', '/dashboards', {
      query: { fields: ['id', 'name', 'icon', 'note'], sort: ['name'], limit: -1 },
      signal,
    }),
});

const PANEL_FIELDS = [
  ...['id', 'dashboard', 'name', 'type', 'options'],
  ...['position_x', 'position_y', 'width', 'height'],
];

export const dashboardQuery = (id: string) =>
  queryOptions({
    queryKey: ['items', DASHBOARDS, 'one', id],
    queryFn: ({ signal }): Promise<WholeDashboard> =>
      client.request('GET', `/dashboards/${encodeURIComponent(id)}`, {
        query: {
          fields: ['id', 'name', 'icon', 'note', ...PANEL_FIELDS.map((name) => `panels.${name}`)],
          deep: { panels: { _limit: -1 } },
        },
        signal,
      }),
  });

/** What a change of a dashboard or a panel alters. */
export async function dashboardsChanged(): Promise<void> {
  await Promise.all(
    [DASHBOARDS, PANELS].map((name) =>
      queryClient.invalidateQueries({ queryKey: ['items', name] }),
    ),
  );
}

/** The section. */
export const INSIGHTS = '/insights';

export function dashboardPath(id: string): string {
  return `${INSIGHTS}/${encodeURIComponent(id)}`;
}

export function panelPath(dashboard: string, panel: string): string {
  return `${dashboardPath(dashboard)}/${encodeURIComponent(panel)}`;
}

/** The parameter of the address with the panel that a new one begins as. */
export const COPY = 'copy';
