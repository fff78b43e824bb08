/** Finding things of a snapshot again by where they belong: collections, and fields in them. */

export interface SnapshotEntry {
  readonly collection: string;
  readonly field?: string;
}

/** By what things of a snapshot are found again. */
export function entryKey({ collection, field }: SnapshotEntry): string {
  return JSON.stringify([collection, field]);
}

export function byEntryKey<T extends SnapshotEntry>(list: readonly T[]) {
  return new Map(list.map((entry) => [entryKey(entry), entry]));
}
