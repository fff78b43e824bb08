/**
 * Makes texts that PostgreSQL can store: NUL and unpaired surrogates, which values in errors
 * may contain, become U+FFFD.
 */
import { isJsonObject } from '#core/base/json/json-object.ts';

/** A text without characters that PostgreSQL cannot store. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function replace(_: string, value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storable(name), member]),
  );
}

/** The JSON text of a value that `JSON.stringify` accepts. */
export function storedJson(value: unknown): string {
  return JSON.stringify(value, replace);
}
