/** The message about written items: references, never content. */

/** A change of some items of a collection in one transaction. */
export interface Change {
  readonly collection: string;
  readonly action: 'create' | 'update' | 'delete' | 'import';
  /** The keys of the items, as in a path; null when there are too many. */
  readonly keys: readonly string[] | null;
  /** The user; null when anonymous. */
  readonly user: string | null;
}

/** Maximum number of keys in a message. */
export const MAX_KEYS = 200;
/** Maximum bytes of all keys in a message. */
const MAX_BYTES = 5_000;

/** The change as it is sent: without keys when there are too many. */
function bounded(change: Change): Change {
  const { keys } = change;
  if (keys === null) return change;
  const few = keys.length <= MAX_KEYS && Buffer.byteLength(JSON.stringify(keys)) <= MAX_BYTES;
  return few ? change : { ...change, keys: null };
}

function isAlike(first: Change, second: Change): boolean {
  const { collection, action, user } = first;
  return collection === second.collection && action === second.action && user === second.user;
}

/**
 * Merges consecutive changes of a collection that differ only in their keys. Changes of one
 * collection stay in order.
 */
export function mergeChanges(changes: readonly Change[]): Change[] {
  const groups: [Change, ...Change[]][] = [];
  const latest = new Map<string, [Change, ...Change[]]>();
  for (const change of changes) {
    const group = latest.get(change.collection);
    if (group !== undefined && isAlike(group[0], change)) {
      group.push(change);
      continue;
    }
    const begun: [Change, ...Change[]] = [change];
    groups.push(begun);
    latest.set(change.collection, begun);
  }
  return groups.map((group) => {
    const [first] = group;
    const keys = group.flatMap((change) => change.keys ?? []);
    const hasKeys = group.every((change) => change.keys !== null);
    return bounded({ ...first, keys: hasKeys ? keys : null });
  });
}
