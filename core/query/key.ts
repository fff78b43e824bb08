/** The values that identify one item, in the order of its collection's primary key. */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { compositeText } from '#core/model/values/composite-text.ts';

/** One text for each column of the key. */
export type Key = readonly string[];

/** The text of a value in any accepted form; null without a text. */
function textOf(field: ColumnField, value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return value === null ? null : compositeText(field, value);
  const isText = typeof value === 'number' || (typeof value === 'boolean' && isBoolean(field));
  return isText ? String(value) : null;
}

function isBoolean({ column }: ColumnField): boolean {
  return column.typeName === 'bool';
}

/**
 * Builds a key from its values. Values that cannot be a key get the same error as a missing item.
 * @throws ServiceError FORBIDDEN when the collection has no key, or the values cannot be a key
 */
export function keyOfValues(collection: Collection, values: readonly unknown[]): Key {
  const fields = collection.primaryKey;
  if (fields.length === 0 || values.length !== fields.length) throw forbidden();
  return fields.map((field, index) => {
    const text = textOf(field, values[index]);
    if (text === null || textChecker(field)(text) !== null) throw forbidden();
    return text;
  });
}

/**
 * Parses a key from a body: a value, or a list of values for a key of several columns.
 * @throws ServiceError INVALID_PAYLOAD when the number of values is wrong; FORBIDDEN
 */
export function keyOfBody(collection: Collection, value: unknown): Key {
  const [first] = collection.primaryKey;
  const count = collection.primaryKey.length;
  const isValue = count === 1 && first?.column.elementType !== null;
  if (count > 1 && !(Array.isArray(value) && value.length === count)) {
    throw invalidPayload(reason('composite_key_list_expected', { count }));
  }
  return keyOfValues(collection, Array.isArray(value) && !isValue ? value : [value]);
}

/**
 * Parses the last segment of a path: the values in key order, percent-encoded, joined with commas.
 * @param segment the segment as in the path, not decoded
 */
export function keyOfPath(collection: Collection, segment: string): Key {
  const parts = collection.primaryKey.length > 1 ? segment.split(',') : [segment];
  try {
    const isPlain = !segment.includes('%');
    return keyOfValues(collection, isPlain ? parts : parts.map(decodeURIComponent));
  } catch (error) {
    throw error instanceof URIError ? forbidden() : error;
  }
}

/** Keys without repetitions, in order. */
class DistinctKeys {
  readonly list: Key[] = [];
  readonly #known = new Set<string>();

  add(key: Key): void {
    const [first] = key;
    const text = key.length === 1 && first !== undefined ? first : JSON.stringify(key);
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.list.push(key);
  }
}

/** The keys without repetitions, in order. */
export function distinctKeys(keys: readonly Key[]): Key[] {
  const distinct = new DistinctKeys();
  for (const key of keys) distinct.add(key);
  return distinct.list;
}

/**
 * The keys of a list in a body, each once, in order; other requests run in between.
 * @throws ServiceError as {@link keyOfBody}
 */
export async function keysOfBody(
  collection: Collection,
  values: readonly unknown[],
): Promise<Key[]> {
  const slice = new TimeSlice();
  const distinct = new DistinctKeys();
  for (const value of values) {
    distinct.add(keyOfBody(collection, value));
    if (slice.isOver()) await slice.pause();
  }
  await slice.rest();
  return distinct.list;
}

/** {@link distinctKeys} of a long list; other requests run in between. */
export async function distinctInSlices(keys: readonly Key[]): Promise<Key[]> {
  const slice = new TimeSlice();
  const distinct = new DistinctKeys();
  for (const key of keys) {
    distinct.add(key);
    if (slice.isOver()) await slice.pause();
  }
  await slice.rest();
  return distinct.list;
}
