/** Where the screens of items are in the App. */

/** The key of an item that is being created, in paths of the App; no key looks like it. */
export const NEW_ITEM = '+';

/** The path of the list in the App. */
export function listPath(collection: string): string {
  return `/content/${encodeURIComponent(collection)}`;
}

/** The path of the form of an item in the App, by the text of its key. */
export function itemPath(collection: string, key: string): string {
  return `${listPath(collection)}/${encodeURIComponent(key)}`;
}

/** The section that imports files. */
export const IMPORTS = '/imports';

/** The path of the screen that imports a file into a collection. */
export function importPath(collection: string): string {
  return `${IMPORTS}?collection=${encodeURIComponent(collection)}`;
}
