/** What a copy of an item begins with. */
import type { Collection, Field, Item } from '../data/schema-types.ts';
import { specialsOf } from '../data/values.ts';
import { isMade } from './field-state.ts';

/**
 * The values of a new item like this one: the fields that the collection names
 * (`item_duplication_fields`), else all that can be written; never keys and secrets.
 */
export function copyOf(collection: Collection, fields: readonly Field[], values: Item): Item {
  const named = collection.meta?.item_duplication_fields;
  const wanted = Array.isArray(named) && named.length > 0 ? new Set(named) : null;
  const copied = fields.filter(
    (field) =>
      field.type !== 'alias' &&
      field.type !== 'hash' &&
      field.schema?.is_primary_key !== true &&
      !isMade(field) &&
      !specialsOf(field).has('conceal') &&
      (wanted === null || wanted.has(field.field)),
  );
  return Object.fromEntries(
    copied.flatMap(({ field }): [string, unknown][] => {
      const value = values[field];
      return value === null || value === undefined ? [] : [[field, value]];
    }),
  );
}

/** The value of the field that says whether an item is in the archive, in the type of that field. */
export function archiveValue(fields: readonly Field[], name: string, text: string | null): unknown {
  const type = fields.find(({ field }) => field === name)?.type;
  if (text === null) return null;
  if (type === 'boolean') return text === 'true';
  return type === 'integer' ? Number(text) : text;
}
