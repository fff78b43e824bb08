/** Reads how often the items of collections changed lately, with the caller's rights to the activity. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { changesByDay, DAY_MS, DAYS, type DayRow } from './day-counts.ts';

const MINUTE = 60_000;

export const changesQuery = queryOptions({
  queryKey: ['activity', 'changes'],
  queryFn: async ({ signal }) => {
    const today = Math.floor(Date.now() / DAY_MS);
    const since = new Date((today - DAYS + 1) * DAY_MS).toISOString();
    const rows = await client.request<DayRow[]>('GET', '/activity', {
      query: {
        aggregate: { count: '*' },
        groupBy: ['collection', 'year(timestamp)', 'month(timestamp)', 'day(timestamp)'],
        filter: {
          _and: [
            { timestamp: { _gte: since } },
            { action: { _in: ['create', 'update', 'delete'] } },
          ],
        },
        limit: -1,
      },
      signal,
    });
    return changesByDay(rows, Date.now());
  },
  staleTime: MINUTE,
});
