/** Keys of items as texts: the values of the primary key in its order, joined by commas. */
import type { Key } from '../../../client/source/index.ts';
import type { Field, Item } from './schema-types.ts';

/** The fields of the primary key; none for views and tables without one. */
export function keyFields(fields: readonly Field[]): readonly string[] {
  return fields.filter(({ schema }) => schema?.is_primary_key).map(({ field }) => field);
}

/** The key of an item, as URLs of the App and of the API have it; null when it has none. */
export function keyOf(fields: readonly Field[], item: Item): string | null {
  const names = keyFields(fields);
  if (names.length === 0) return null;
  return names.map((name) => encodeURIComponent(String(item[name]))).join(',');
}

/** The key that such a text stands for, as the client takes it. */
export function keyFromText(text: string): Key {
  const [first = '', ...others] = text.split(',').map(decodeURIComponent);
  return others.length === 0 ? first : [first, ...others];
}
