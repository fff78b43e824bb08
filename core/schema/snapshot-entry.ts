/** Finds collections, and fields in them, in the lists of a snapshot. */

export interface SnapshotEntry {
  readonly collection: string;
  readonly field?: string;
}

/** The keys by which entries of a snapshot are found. */
export function entryKey({ collection, field }: SnapshotEntry): string {
  return JSON.stringify([collection, field]);
}

export function byEntryKey<T extends SnapshotEntry>(list: readonly T[]) {
  return new Map(list.map((entry) => [entryKey(entry), entry]));
}
