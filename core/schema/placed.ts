/** Finding things of a snapshot again by where they belong: collections, and fields in them. */

export interface Placed {
  readonly collection: string;
  readonly field?: string;
}

/** By what things of a snapshot are found again. */
export function placeOf({ collection, field }: Placed): string {
  return JSON.stringify([collection, field]);
}

export function byPlace<T extends Placed>(list: readonly T[]) {
  return new Map(list.map((entry) => [placeOf(entry), entry]));
}
