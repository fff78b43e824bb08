/** How the lists of collections were left, so that the way back from an item leads to the same view. */
import { listPath } from './route-of.ts';

const left = new Map<string, string>();

/** Keeps the parameters in the address of a list. */
export function rememberList(collection: string, search: string): void {
  left.set(collection, search);
}

/** The path of a list in the App, as it was left. */
export function lastListPath(collection: string): string {
  const search = left.get(collection) ?? '';
  return `${listPath(collection)}${search && `?${search}`}`;
}
