/** Counts what would be lost with a collection or a field. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../data/client.ts';

/** The items of a collection, or, with a field, those that have a value in it. */
export const lossQuery = (collection: string, field?: string) =>
  queryOptions({
    queryKey: ['lost', collection, field ?? null],
    queryFn: async ({ signal }) => {
      const filter = field === undefined ? {} : { [field]: { _nnull: true } };
      const { meta } = await client.items(collection).page({ limit: 0, filter }, { signal });
      return meta.filter_count ?? 0;
    },
    // Each time it is asked it is counted again.
    staleTime: 0,
  });
