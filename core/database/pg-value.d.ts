/** What is used of pg's own conversion of values, which its declarations leave out. */
declare module 'pg/lib/utils.js' {
  /** The form in which a value travels: text, bytes, or null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
