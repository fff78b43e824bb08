/** The paths of the API: of a collection, and of an item in it. */

/** The key of an item; a list of the values where it has several fields. */
export type Key = string | number | readonly (string | number)[];

const PREFIX = 'system_';

/** `/items/articles`; system collections have routes of their own, such as `/users`. */
export function collectionPath(collection: string): string {
  if (collection.startsWith(PREFIX))
    return `/${encodeURIComponent(collection.slice(PREFIX.length))}`;
  return `/items/${encodeURIComponent(collection)}`;
}

/** A key as the segment of a path. */
export function keySegment(key: Key): string {
  const values = typeof key === 'object' ? key : [key];
  return values.map((value) => encodeURIComponent(value)).join(',');
}
