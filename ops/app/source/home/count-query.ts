/**
 * How many items a collection has, for a glance: the estimate of PostgreSQL for large ones, and no
 * more items than a few are read where the estimate says nothing.
 */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keyFields } from '../data/item-key.ts';
import { fieldsQuery } from '../data/queries.ts';
import type { Right } from '../data/schema-types.ts';

export interface Count {
  readonly count: number;
  /** `about`: an estimate; `more`: there are more than these. */
  readonly kind: 'exact' | 'about' | 'more';
}

/** Fewer items are counted. */
const MANY = 10_000;
/** So many are counted where nothing says how many there are. */
const FEW = 1_000;
const MINUTE = 60_000;

export const countQuery = (collection: string, access: Right['access']) =>
  queryOptions({
    queryKey: ['items', collection, 'count', access],
    queryFn: async ({ signal, client: queryClient }): Promise<Count> => {
      const items = client.items(collection);
      const total = async (meta: 'estimated_count' | 'total_count') =>
        (await items.page({ limit: 0, meta: [meta] }, { signal })).meta[meta] ?? 0;
      // The estimate counts items that a rule hides.
      const estimate = access === 'full' ? await total('estimated_count') : 0;
      if (estimate >= MANY) return { count: estimate, kind: 'about' };
      if (estimate > 0) return { count: await total('total_count'), kind: 'exact' };
      const fields = await queryClient.fetchQuery(fieldsQuery(collection));
      const [name = fields[0]?.field ?? '*'] = keyFields(fields);
      const found = await items.list({ fields: [name], limit: FEW + 1 }, { signal });
      const hasMore = found.length > FEW;
      return { count: Math.min(found.length, FEW), kind: hasMore ? 'more' : 'exact' };
    },
    staleTime: MINUTE,
  });
