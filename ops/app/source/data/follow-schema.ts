/**
 * Notices on an open page that somebody has changed the schema. What is shown of it is asked for again, of
 * which the browser says what it has: an answer that is the same is a few bytes (304).
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { collectionsQuery } from './queries.ts';
import { SCHEMA } from './query-keys.ts';

/** Nobody tells of it, so that it is asked for. */
const INTERVAL = 60_000;

/** What is shown of the schema; equal answers keep their object, but for the collections. */
function shownOf(queryClient: QueryClient): ReadonlyMap<string, unknown> {
  const queries = queryClient.getQueryCache().findAll({ queryKey: [SCHEMA], type: 'active' });
  return new Map(
    queries.map(({ queryHash, state: { data } }) => [
      queryHash,
      data instanceof Map ? JSON.stringify([...data.values()]) : data,
    ]),
  );
}

/** Reads again what is shown of the schema, and the items when it has changed. */
async function readAgain(queryClient: QueryClient): Promise<void> {
  const before = shownOf(queryClient);
  // Fields of a collection that is gone would only be refused.
  const collections = await queryClient.fetchQuery({ ...collectionsQuery, staleTime: 0 });
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [first, second, third] }) =>
      first === SCHEMA &&
      (second === 'relations' ||
        second === 'all-fields' ||
        (second === 'fields' && collections.has(String(third)))),
  });
  const after = shownOf(queryClient);
  const changed = [...before].some(([hash, data]) => after.has(hash) && after.get(hash) !== data);
  if (changed) await queryClient.invalidateQueries({ queryKey: ['items'] });
}

export function useFollowSchema(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const read = () => {
      if (document.visibilityState === 'hidden') return;
      // The screens tell of failures that matter to them.
      readAgain(queryClient).catch(() => undefined);
    };
    const timer = setInterval(read, INTERVAL);
    document.addEventListener('visibilitychange', read);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', read);
    };
  }, [queryClient]);
}
