/**
 * What the list of a collection looks like for the user: its view, columns, their widths and summaries.
 * The server keeps it as the user's preset of the collection, which has no name (`system_presets`).
 * Without one, the preset without user and role counts.
 */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { client } from '../data/client.ts';
import { meQuery, useRights } from '../data/queries.ts';
import { CALLER } from '../data/query-keys.ts';
import { may } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { recall } from '../data/store.ts';
import { isItem } from '../data/values.ts';
import { isLayout, type Layout } from '../views/layout.ts';
import { type Grid, NO_GRID, readGrid } from './grid.ts';

export interface Look {
  /** Names of fields; null for those that the collection begins with. */
  readonly columns: readonly string[] | null;
  readonly grid: Grid;
  readonly layout: Layout;
  /** The options of each view, by its name. */
  readonly options: Item;
}

interface Preset {
  readonly id: number;
  readonly layout: string | null;
  readonly layout_query: Item | null;
  readonly layout_options: Item | null;
}

interface ReadPreset extends Preset {
  readonly user: string | null;
}

interface OwnPreset extends Look {
  /** The preset as it is stored; null while there is none. */
  readonly stored: Preset | null;
}

const FIELDS = ['id', 'user', 'layout', 'layout_query', 'layout_options'];
const NO_LOOK: Look = { columns: null, grid: NO_GRID, layout: 'tabular', options: {} };

function part(options: Item | null, name: string): Item {
  const found = options?.[name];
  return isItem(found) ? found : {};
}

function columnsOf(preset: Preset | null): readonly string[] | null {
  const { fields } = part(preset?.layout_query ?? null, 'tabular');
  return Array.isArray(fields) && fields.length > 0 ? fields.map(String) : null;
}

/** What earlier releases have kept in this browser. */
function columnsHere(collection: string): readonly string[] | null {
  return recall<readonly string[] | null>(`list.columns.${collection}`, null);
}

/** The query of the own preset, for a screen that reads it before the list is there. */
export const presetQuery = (collection: string) =>
  queryOptions({
    queryKey: [CALLER, 'preset', collection],
    queryFn: async ({ signal }): Promise<OwnPreset> => {
      const shared = { user: { _null: true }, role: { _null: true } };
      const presets = await client.request<ReadPreset[]>('GET', '/presets', {
        query: {
          fields: FIELDS,
          filter: {
            ...{ collection: { _eq: collection }, bookmark: { _null: true } },
            _or: [{ user: { _eq: '$CURRENT_USER' } }, shared],
          },
          sort: ['id'],
          limit: -1,
        },
        signal,
      });
      const stored = presets.find(({ user }) => user !== null) ?? null;
      const counting = stored ?? presets[0] ?? null;
      const layout = counting?.layout ?? null;
      return {
        stored,
        columns: counting === null ? columnsHere(collection) : columnsOf(counting),
        grid: readGrid(part(counting?.layout_options ?? null, 'tabular')),
        layout: isLayout(layout) ? layout : 'tabular',
        options: counting?.layout_options ?? {},
      };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The look as a preset has it, beside what else is kept there. */
function contentOf({ stored, columns, grid, layout, options }: OwnPreset) {
  const { fields: _, ...query } = part(stored?.layout_query ?? null, 'tabular');
  return {
    layout,
    layout_query: {
      ...stored?.layout_query,
      tabular: { ...query, ...(columns !== null && { fields: columns }) },
    },
    layout_options: { ...options, tabular: { ...part(options, 'tabular'), ...grid } },
  };
}

/** @returns null while it is read; what cannot be read is as if nothing had been chosen */
export function useOwnPreset(collection: string) {
  const queryClient = useQueryClient();
  const rights = useRights();
  const me = useQuery(meQuery).data?.id ?? null;
  const query = presetQuery(collection);
  const { queryKey } = query;
  const { data, isPending } = useQuery(query);
  const keeps = me !== null && may(rights, 'system_presets', 'create');
  const { mutate } = useMutation({
    // One after the other, so that the last one is kept, and there is one preset.
    scope: { id: `preset ${collection}` },
    mutationFn: async () => {
      const now = queryClient.getQueryData(queryKey);
      if (now === undefined) return;
      const content = contentOf(now);
      if (now.stored !== null) {
        await client.presets.update(now.stored.id, content);
        return;
      }
      const made = await client.presets.create(
        { collection, user: me, ...content },
        { fields: ['id'] },
      );
      const stored = made === null ? null : { id: Number(made.id), ...content };
      queryClient.setQueryData(queryKey, (old) => old && { ...old, stored });
    },
  });
  const remember = useCallback(
    (changes: Partial<Look>) => {
      queryClient.setQueryData(
        queryKey,
        (old): OwnPreset => ({
          ...(old ?? { stored: null, ...NO_LOOK }),
          ...changes,
        }),
      );
      if (keeps) mutate();
    },
    [queryClient, queryKey, keeps, mutate],
  );
  const look: Look | null = data ?? (isPending ? null : NO_LOOK);
  return { look, remember };
}
