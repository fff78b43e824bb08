/**
 * Texts of JSON that PostgreSQL stores: it refuses NUL and halves of surrogate pairs, which values
 * that errors repeat may hold. Both become U+FFFD.
 */

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function replace(_: string, value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storable(name), member]),
  );
}

/** The JSON text of what `JSON.stringify` takes. */
export function storedJson(value: unknown): string {
  return JSON.stringify(value, replace);
}
