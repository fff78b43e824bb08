/** Names of new collections and fields, as the server takes them. */

/** Bytes of an identifier of PostgreSQL. */
const MOST = 63;
const RESERVED = /^(system|directus)_/i;

/** What is typed, with an underscore for each space. */
export function nameTyped(text: string): string {
  return text.replace(/\s+/g, '_');
}

/** Key of what is wrong with a name; null when nothing is. */
export function nameFault(name: string, taken: ReadonlySet<string>): string | null {
  if (name.trim() === '') return 'model.fault.noName';
  if (name.includes('/')) return 'model.fault.slash';
  if (RESERVED.test(name)) return 'model.fault.reserved';
  if (new TextEncoder().encode(name).length > MOST) return 'model.fault.long';
  return taken.has(name) ? 'model.fault.taken' : null;
}
