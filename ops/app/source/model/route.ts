/** Where the screens of the data model are in the App. */

export const COLLECTIONS = '/model/collections';

export const PICTURE = '/model/picture';

export const SNAPSHOTS = '/model/snapshots';

export const NEW_COLLECTION = '/model/new-collection';

export function collectionPath(collection: string): string {
  return `${COLLECTIONS}/${encodeURIComponent(collection)}`;
}

export function settingsPath(collection: string): string {
  return `${collectionPath(collection)}/settings`;
}

export function fieldPath(collection: string, field: string): string {
  return `${collectionPath(collection)}/fields/${encodeURIComponent(field)}`;
}

export function newFieldPath(collection: string): string {
  return `${collectionPath(collection)}/new-field`;
}

/** The page of a new relation; `begin` is what it has filled in. */
export function newRelationPath(
  collection: string,
  begin: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(begin).toString();
  return `${collectionPath(collection)}/new-relation${query === '' ? '' : `?${query}`}`;
}
