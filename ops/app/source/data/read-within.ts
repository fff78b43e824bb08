/** What is read again when the rights of the caller change. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { CALLER, SCHEMA } from './query-keys.ts';
import type { Rights } from './schema-types.ts';

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
