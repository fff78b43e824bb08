/** Other spellings of a value that programs write: `3.0` for the integer 3, and words for booleans. */
import type { FileColumn } from './file-column.ts';

/** The text in PostgreSQL's spelling. */
type Spelling = (text: string) => string;

/** Types of integers. */
export const WHOLE_TYPES: ReadonlySet<string> = new Set(['int2', 'int4', 'int8']);

const DIGITS = new Uint8Array(256);
for (const char of '0123456789+-') DIGITS[char.charCodeAt(0)] = 1;

/** Whether bytes consist of the characters of an integer. */
export function looksLikeWhole(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (DIGITS[bytes[at] ?? 0] === 0) return false;
  return true;
}

const ZERO = 0x30;
/** Digits that a double stores exactly. */
const EXACT_DIGITS = 15;

/** The number that bytes spell with at most 15 digits, without a sign; else NaN. */
export function digitsValue(bytes: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > EXACT_DIGITS) return Number.NaN;
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

const LETTER_F = 0x66;
const LETTER_T = 0x74;
const LOWER = 0x20;

/** Whether bytes may be `true` or `false`, or their abbreviations. */
export function looksLikeBoolean(bytes: Uint8Array, start: number, end: number): boolean {
  const first = (bytes[start] ?? 0) | LOWER;
  const length = end - start;
  if (first === LETTER_T) return length === 1 || length === 4;
  return first === LETTER_F && (length === 1 || length === 5);
}

const WHOLE = /^([+-]?\d+)\.0+$/;

function whole(text: string): string {
  return WHOLE.exec(text.trim())?.[1] ?? text;
}

/** Words for booleans that PostgreSQL does not know, in German. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ ja: 'true', j: 'true', wahr: 'true', nein: 'false', falsch: 'false' },
};

function word(text: string): string {
  const lower = text.trim().toLowerCase();
  return Object.hasOwn(WORDS, lower) ? (WORDS[lower] ?? text) : text;
}

/** The other spellings that a column accepts; null without one. */
export function spellingOf({ field, form }: Pick<FileColumn, 'field' | 'form'>): Spelling | null {
  if (form !== 'plain' || field.codec !== null) return null;
  if (WHOLE_TYPES.has(field.column.typeName)) return whole;
  return field.column.typeName === 'bool' ? word : null;
}
