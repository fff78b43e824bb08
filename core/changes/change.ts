/** What processes tell each other of writes to items: references, never content. */

/** What happened to some items of a collection in one transaction. */
export interface Change {
  readonly collection: string;
  readonly action: 'create' | 'update' | 'delete' | 'import';
  /** The items' keys, each as it stands in a path; null: many, of which nothing more is told. */
  readonly keys: readonly string[] | null;
  /** Who did it; null for strangers. */
  readonly user: string | null;
}

/** Most keys that are told. */
export const MAX_KEYS = 200;
/** Most bytes of all keys that are told together. */
const MAX_BYTES = 5_000;

/** The change as it is told: without keys when they are many. */
export function bounded(change: Change): Change {
  const { keys } = change;
  if (keys === null) return change;
  const few = keys.length <= MAX_KEYS && Buffer.byteLength(JSON.stringify(keys)) <= MAX_BYTES;
  return few ? change : { ...change, keys: null };
}

/** Two changes as one; null when they differ in more than their keys. */
export function merged(first: Change, second: Change): Change | null {
  const { collection, action, user } = first;
  if (collection !== second.collection || action !== second.action || user !== second.user) {
    return null;
  }
  if (first.keys === null || second.keys === null) return { ...first, keys: null };
  return bounded({ ...first, keys: [...first.keys, ...second.keys] });
}
