/** pg's own conversion of values, which its type declarations lack. */
declare module 'pg/lib/utils.js' {
  /** The wire format of a value: text, bytes, or null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
