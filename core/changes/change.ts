/** What processes tell each other of writes to items: references, never content. */

/** What happened to some items of a collection in one transaction. */
export interface Change {
  readonly collection: string;
  readonly action: 'create' | 'update' | 'delete' | 'import';
  /** The items' keys, each as it stands in a path; null: many, of which nothing more is told. */
  readonly keys: readonly string[] | null;
  /** Who did it; null when anonymous. */
  readonly user: string | null;
}

/** Most keys that are told. */
export const MAX_KEYS = 200;
/** Most bytes of all keys that are told together. */
const MAX_BYTES = 5_000;

/** The change as it is told: without keys when they are many. */
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

/** The changes in their order, those in a row that differ in nothing but their keys as one. */
export function gathered(changes: readonly Change[]): Change[] {
  const groups: [Change, ...Change[]][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group !== undefined && isAlike(group[0], change)) group.push(change);
    else groups.push([change]);
  }
  return groups.map((group) => {
    const [first] = group;
    const keys = group.flatMap((change) => change.keys ?? []);
    const isTold = group.every((change) => change.keys !== null);
    return bounded({ ...first, keys: isTold ? keys : null });
  });
}
