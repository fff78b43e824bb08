/** Ranges as PostgreSQL writes them, such as `[1,5)`, and their two bounds. */

export interface Range {
  /** Null for no bound on this side. */
  readonly lower: string | null;
  readonly upper: string | null;
  readonly includesLower: boolean;
  readonly includesUpper: boolean;
}

const BOUND = /^(?:"((?:[^"\\]|\\.|"")*)"|([^"(),[\]]*))$/;
const PARTS =
  /^\s*([[(])\s*("(?:[^"\\]|\\.|"")*"|[^,"]*),("(?:[^"\\]|\\.|"")*"|[^,"]*)\s*([)\]])\s*$/;

export const EMPTY_RANGE = 'empty';

/** A bound without its quotes; undefined for what is none. */
function boundOf(text: string): string | null | undefined {
  const [, quoted, plain] = BOUND.exec(text.trim()) ?? [];
  if (quoted !== undefined) return quoted.replace(/\\(.)|""/g, (_, escaped) => escaped ?? '"');
  if (plain === undefined) return undefined;
  return plain === '' ? null : plain;
}

/** The bounds of a range; null for what is no range that has bounds. */
export function readRange(text: string): Range | null {
  const [, open, first = '', second = '', close] = PARTS.exec(text) ?? [];
  if (open === undefined) return null;
  const [lower, upper] = [boundOf(first), boundOf(second)];
  if (lower === undefined || upper === undefined) return null;
  return { lower, upper, includesLower: open === '[', includesUpper: close === ']' };
}

/** The text of a range; a bound that is missing is never included. */
export function writeRange({ lower, upper, includesLower, includesUpper }: Range): string {
  const bound = (text: string | null) => {
    if (text === null) return '';
    return /^[\w.:+-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
  };
  const open = includesLower && lower !== null ? '[' : '(';
  const close = includesUpper && upper !== null ? ']' : ')';
  return `${open}${bound(lower)},${bound(upper)}${close}`;
}
