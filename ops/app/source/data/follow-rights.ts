/**
 * Notices on an open page that the rights of the caller have changed: what is no longer allowed is no
 * longer offered, and what is shown is read again.
 */
import { type Query, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { CALLER, rightsQuery, SCHEMA } from './queries.ts';
import type { Rights } from './schema-types.ts';

/** Nobody tells of it, so that it is asked for. */
const INTERVAL = 60_000;

/** The collection that a query is of; undefined when it is of none. */
function collectionOf({ queryKey: [first, second, third] }: Query): unknown {
  if (first === 'items') return second;
  return first === SCHEMA && second === 'fields' ? third : undefined;
}

/** Reads again what a change of rights may have changed, of what is still within reach. */
export async function readWithin(queryClient: QueryClient, rights: Rights): Promise<void> {
  // What is out of reach now, such as a collection that was deleted, would only be refused.
  const isGone = (query: Query) => {
    const collection = collectionOf(query);
    return typeof collection === 'string' && rights[collection] === undefined;
  };
  await queryClient.invalidateQueries({ predicate: isGone, refetchType: 'none' });
  await Promise.all(
    [[SCHEMA], ['items'], [CALLER, 'globals']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey, predicate: (query) => !isGone(query) }),
    ),
  );
}

export function useFollowRights(): void {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    ...rightsQuery,
    refetchInterval: INTERVAL,
    refetchOnWindowFocus: 'always',
  });
  const known = useRef(data);
  useEffect(() => {
    const before = known.current;
    known.current = data;
    // Answers that say the same are the same object.
    if (before === undefined || data === undefined || before === data) return;
    void readWithin(queryClient, data);
  }, [data, queryClient]);
}
