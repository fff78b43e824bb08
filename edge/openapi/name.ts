/** The names of collections in the document: of their tags, schemas and operations. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';

/**
 * `order_lines` as `OrderLines`; characters that a name must not contain are replaced by their
 * codes.
 */
export function pascal(text: string): string {
  return text
    .split(/[^\p{L}\p{N}]+/u)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
    .replace(/[^A-Za-z0-9]/g, (char) => `x${char.codePointAt(0)?.toString(16)}`);
}

/** `ItemsArticles` for the collection `articles`, `Users` for `system_users`. */
function nameOf({ name, system }: Collection): string {
  return system ? pascal(name.slice(SYSTEM_PREFIX.length)) : `Items${pascal(name)}`;
}

/** Distinct names, in the order of the collections. */
export function namesOf(collections: Iterable<Collection>): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const collection of collections) {
    const wanted = nameOf(collection);
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
    taken.add(name);
    names.set(collection.name, name);
  }
  return names;
}
