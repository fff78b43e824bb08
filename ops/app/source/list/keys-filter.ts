/** The condition that holds for items with these keys alone. */
import { keyFields, keyFromText } from '../data/item-key.ts';
import type { Field, Filter } from '../data/schema-types.ts';

export function keysFilter(fields: readonly Field[], keys: readonly string[]): Filter {
  const names = keyFields(fields);
  const [only = ''] = names;
  if (names.length === 1) return { [only]: { _in: keys.map((key) => keyFromText(key)) } };
  const conditions = keys.map((text) => {
    const values = [keyFromText(text)].flat();
    return { _and: names.map((name, index) => ({ [name]: { _eq: values[index] } })) };
  });
  return { _or: conditions };
}
