/** Finds the notations in which the text of a number can be read. */
import * as kind from './kinds.ts';

/** Longer numbers are imported as text, because they are hardly used in arithmetic. */
const DIGITS_MAX = 500;
/** Integers of more digits identify something, such as a card or a parcel. */
const IDENTIFIER_DIGITS = 15;
/** The number of digits that always fit into a bigint. */
const SURE_DIGITS = 18;
const INT_MAX = 2_147_483_647;
const BIG_MAX = 9_223_372_036_854_775_807n;

/** No leading zeros, no plus sign and no trailing point: a number would lose them. */
const WHOLE = /^-?(?:0|[1-9]\d*)$/;
const FRACTION = /^-?(?:0|[1-9]\d*)?\.\d+$/;
const POWER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)[eE][+-]?\d{1,2}$/;
const COMMA = /^-?(?:0|[1-9]\d*)?,\d+$/;

function groups(sign: string, decimal: string): RegExp {
  return new RegExp(`^-?[1-9]\\d{0,2}(?:${sign}\\d{3})+(?:${decimal}\\d+)?$`, 'u');
}

const BY_COMMA = groups(',', '\\.');
const BY_POINT = groups('\\.', ',');
const BY_SPACE = groups('[ \\u00a0\\u2009\\u202f]', ',');
const BY_APOSTROPHE = groups("['\\u2019]", '\\.');
/** Phone numbers, and digits with zeros before them. */
const IDENTIFIER = /^(?:\+\d|0\d)[\d ()/-]*$/;

function wholeKinds(text: string): number {
  if (text.length <= SURE_DIGITS) {
    const value = Number(text);
    const isInt = value >= -INT_MAX - 1 && value <= INT_MAX;
    return isInt ? kind.INTEGER | kind.BIG | kind.DECIMAL : kind.BIG | kind.DECIMAL;
  }
  const value = BigInt(text);
  return value >= -BIG_MAX - 1n && value <= BIG_MAX ? kind.BIG | kind.DECIMAL : kind.DECIMAL;
}

/** The kinds of a number as PostgreSQL and JSON write it; 0 for other texts. */
export function numberKinds(text: string): number {
  if (text.length > DIGITS_MAX) return 0;
  if (WHOLE.test(text)) return wholeKinds(text);
  return FRACTION.test(text) || POWER.test(text) ? kind.DECIMAL : 0;
}

const ANY =
  kind.COMMA |
  kind.GROUPED_BY_COMMA |
  kind.GROUPED_BY_POINT |
  kind.GROUPED_BY_SPACE |
  kind.GROUPED_BY_APOSTROPHE;
const WITH_POINT = kind.GROUPED_BY_COMMA | kind.GROUPED_BY_APOSTROPHE;
const WITH_COMMA = kind.COMMA | kind.GROUPED_BY_POINT | kind.GROUPED_BY_SPACE;

/** The kinds of a number in a cell, in every notation. */
export function cellNumberKinds(text: string): number {
  const plain = numberKinds(text);
  if (plain !== 0) {
    if ((plain & kind.BIG) === 0 && !WHOLE.test(text)) {
      const grouped = BY_POINT.test(text) ? kind.GROUPED_BY_POINT : 0;
      return plain | WITH_POINT | grouped | kind.FRACTION;
    }
    const digits = text.startsWith('-') ? text.length - 1 : text.length;
    return plain | ANY | (digits > IDENTIFIER_DIGITS ? kind.IDENTIFIER : 0);
  }
  if (text.length > DIGITS_MAX) return 0;
  let found = 0;
  if (COMMA.test(text)) found |= WITH_COMMA | kind.FRACTION;
  if (BY_COMMA.test(text))
    found |= kind.GROUPED_BY_COMMA | (text.includes('.') ? kind.FRACTION : 0);
  if (BY_POINT.test(text))
    found |= kind.GROUPED_BY_POINT | (text.includes(',') ? kind.FRACTION : 0);
  if (BY_SPACE.test(text))
    found |= kind.GROUPED_BY_SPACE | (text.includes(',') ? kind.FRACTION : 0);
  if (BY_APOSTROPHE.test(text)) {
    found |= kind.GROUPED_BY_APOSTROPHE | (text.includes('.') ? kind.FRACTION : 0);
  }
  return found === 0 && IDENTIFIER.test(text) ? kind.IDENTIFIER : found;
}

/** A notation of numbers, as options of an import. */
export interface NumberNotation {
  readonly decimal?: '.' | ',';
  readonly thousands?: string;
}

/** The notations beside the usual one, in the order of preference. */
export const NOTATIONS: readonly (readonly [number, NumberNotation])[] = [
  [kind.COMMA, { decimal: ',' }],
  [kind.GROUPED_BY_POINT, { decimal: ',', thousands: '.' }],
  [kind.GROUPED_BY_COMMA, { thousands: ',' }],
  [kind.GROUPED_BY_SPACE, { decimal: ',', thousands: ' ' }],
  [kind.GROUPED_BY_APOSTROPHE, { thousands: "'" }],
];
