/** Where the screens of the data model are in the App. */

export const COLLECTIONS = '/model/collections';

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

export function newRelationPath(collection: string): string {
  return `${collectionPath(collection)}/new-relation`;
}
