/** The characters of a CSV dialect as bytes, as a scanner compares them. */
import type { CsvDialect } from './csv-dialect.ts';

export const LF = 0x0a;
export const CR = 0x0d;
/** The first byte of a mark that a dialect does not have; no byte is equal to it. */
const ABSENT = -1;

/** A character of the dialect in UTF-8. */
export interface Mark {
  readonly bytes: Buffer;
  /** Its first byte, or a number that no byte has. */
  readonly first: number;
  readonly length: number;
}

export interface CsvMarks {
  readonly separator: Mark;
  readonly quote: Mark;
  readonly escape: Mark;
  readonly comment: Mark;
  /** Whether all marks have one byte, and a quote is escaped by another quote. */
  readonly isSimple: boolean;
  /** Bytes of the longest mark. */
  readonly longest: number;
  /** Whether quotes that break RFC 4180 are text. */
  readonly isLenient: boolean;
  /** 1 for the bytes that may end a cell without quotes, or are not allowed in it. */
  readonly stops: Uint8Array;
  /** Replaces the escaped characters of a quoted cell. */
  readonly unescape: (text: string) => string;
}

function markOf(character: string | null): Mark {
  const bytes = Buffer.from(character ?? '');
  return { bytes, first: bytes[0] ?? ABSENT, length: bytes.length };
}

function unescapeOf({ quote, escape: before }: CsvDialect): CsvMarks['unescape'] {
  if (quote === null || before === null) return (text) => text;
  if (before === quote) return (text) => text.replaceAll(before + quote, quote);
  const escaped = new RegExp(`${before.replace(/[^\w\s]/u, '\\$&')}([\\s\\S])`, 'gu');
  return (text) => text.replace(escaped, '$1');
}

/** The marks of a dialect. */
export function marksOf(dialect: CsvDialect, isLenient: boolean): CsvMarks {
  const separator = markOf(dialect.separator);
  const quote = markOf(dialect.quote);
  const before = markOf(dialect.escape);
  const comment = markOf(dialect.comment);
  const longest = Math.max(separator.length, quote.length, before.length);
  const stops = new Uint8Array(256);
  for (const byte of [separator.first, LF, CR]) stops[byte] = 1;
  if (dialect.quote !== null && !isLenient) stops[quote.first] = 1;
  const isSimple = longest === 1 && dialect.quote === dialect.escape && !isLenient;
  const plain = unescapeOf(dialect);
  const marks = { separator, quote, escape: before, comment };
  return { ...marks, isSimple, longest, isLenient, stops, unescape: plain };
}

/** Whether the mark stands at a position. */
export function isMarkAt({ bytes: mark, first, length }: Mark, bytes: Buffer, at: number): boolean {
  if (bytes[at] !== first) return false;
  if (length === 1) return true;
  const end = at + length;
  return end <= bytes.length && bytes.compare(mark, 0, length, at, end) === 0;
}

/** Whether a separator, a line break or the end of the bytes is at a position. */
export function isCellEnd({ separator }: CsvMarks, bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  return at >= bytes.length || byte === LF || byte === CR || isMarkAt(separator, bytes, at);
}
