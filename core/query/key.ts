/** The values that address one item, in the order of its collection's primary key. */
import type { Collection } from '#core/catalog/catalog.ts';
import { forbidden } from '#core/errors/service-error.ts';
import { textChecker } from '#core/mutation/value.ts';

/** One text for each column of the key. */
export type Key = readonly string[];

/**
 * Reads a key. What cannot be a key of the collection belongs to no item, and that is all that is
 * told.
 * @throws ServiceError FORBIDDEN when the collection has no key, or the values cannot be one
 */
function keyOf(collection: Collection, values: readonly unknown[]): Key {
  const fields = collection.primaryKey;
  if (fields.length === 0 || values.length !== fields.length) throw forbidden();
  return fields.map((field, index) => {
    const value = values[index];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || textChecker(field)(text) !== null) throw forbidden();
    return text;
  });
}

/** Reads a key from a body: a text or number, or a list of them for a key of several columns. */
export function keyOfBody(collection: Collection, value: unknown): Key {
  return keyOf(collection, Array.isArray(value) ? value : [value]);
}

/**
 * Reads the last segment of a path: the values in key order, percent-encoded, joined with commas.
 * @param segment as it stands in the path, not decoded
 */
export function keyOfPath(collection: Collection, segment: string): Key {
  const parts = collection.primaryKey.length > 1 ? segment.split(',') : [segment];
  try {
    return keyOf(collection, parts.map(decodeURIComponent));
  } catch (error) {
    throw error instanceof URIError ? forbidden() : error;
  }
}

/** The keys without repetitions, in their order. */
export function distinctKeys(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
