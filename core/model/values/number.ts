/**
 * Checks numbers in text: integers, decimals with precision and scale, floating-point numbers. It
 * accepts only notations that every supported PostgreSQL version reads: no hexadecimal ones, and
 * none with `_`.
 */
import type { ColumnDescriptor } from '../catalog/descriptor.ts';

/** The fault of a number: its form, or its size. */
export type NumberFault = 'form' | 'range';

const WHOLE = /^[ \t\n\v\f\r]*[+-]?\d+[ \t\n\v\f\r]*$/;
const DECIMAL =
  /^[ \t\n\v\f\r]*[+-]?(?<whole>\d*)(?:\.(?<part>\d*))?(?:e(?<exponent>[+-]?\d+))?[ \t\n\v\f\r]*$/i;
const WORD = /^[ \t\n\v\f\r]*(?:(?<nan>nan)|[+-]?inf(?:inity)?)[ \t\n\v\f\r]*$/i;

const BOUNDS: Readonly<Record<2 | 4 | 8, readonly [bigint, bigint]>> = {
  2: [-(2n ** 15n), 2n ** 15n - 1n],
  4: [-(2n ** 31n), 2n ** 31n - 1n],
  8: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** The fault of an integer of this many bytes. */
export function wholeFault(text: string, bytes: 2 | 4 | 8): NumberFault | null {
  if (!WHOLE.test(text)) return 'form';
  const digits = text.trim();
  const value = Number(digits);
  const [least, most] = BOUNDS[bytes];
  if (Number.isSafeInteger(value)) return value < least || value > most ? 'range' : null;
  // BigInt accepts a minus, but no plus.
  const exact = BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  return exact < least || exact > most ? 'range' : null;
}

/** The maximum number of digits of an integer column. */
const MOST_DIGITS = 40;
const WHOLE_TYPES = new Set(['int2', 'int4', 'int8']);

/**
 * The text of a JSON number for a column. An integer column, or a list of integers, accepts only
 * digits, so a number such as `1E3` or `1.0` is expanded.
 */
export function numberText(
  { elementType, typeName }: Pick<ColumnDescriptor, 'elementType' | 'typeName'>,
  text: string,
): string {
  if (!/[.e]/i.test(text) || !WHOLE_TYPES.has(elementType ?? typeName)) return text;
  const value = readDecimal(text);
  if (value === null || value.exponent > MOST_DIGITS) return text;
  const digits = value.digits.replace(/0+$/, '');
  if (digits === '') return '0';
  if (digits.length > value.exponent) return text;
  return `${text.startsWith('-') ? '-' : ''}${digits.padEnd(value.exponent, '0')}`;
}

/** The bytes of usual numbers. */
const USUAL = new Uint8Array(256);
for (const char of '0123456789+-.eE') USUAL[char.charCodeAt(0)] = 1;

/**
 * Whether bytes consist only of characters of usual numbers, so that only PostgreSQL needs to check
 * them. Faster than a check of a text.
 */
export function looksLikeNumber(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (USUAL[bytes[at] ?? 0] === 0) return false;
  return true;
}

interface Decimal {
  /** Significant digits, the first one not 0; empty for zero. */
  readonly digits: string;
  /** The value is `0.digits × 10^exponent`. */
  readonly exponent: number;
}

function readDecimal(text: string): Decimal | null {
  const groups = DECIMAL.exec(text)?.groups;
  const whole = groups?.whole ?? '';
  const part = groups?.part ?? '';
  if (groups === undefined || whole.length + part.length === 0) return null;
  const all = whole + part;
  const digits = all.replace(/^0+/, '');
  const zeros = all.length - digits.length;
  return { digits, exponent: whole.length - zeros + Number(groups.exponent ?? 0) };
}

/** Maximum digits before the point of a numeric without precision, and behind it. */
export const MOST_WHOLE_DIGITS = 131_072;
export const MOST_FRACTION_DIGITS = 16_383;

/** The fault of a decimal; without a precision only the limits of the type apply. */
export function decimalFault(
  text: string,
  precision: number | null,
  scale: number | null,
): NumberFault | null {
  const word = WORD.exec(text)?.groups;
  if (word !== undefined) return precision === null || word.nan !== undefined ? null : 'range';
  const value = readDecimal(text);
  if (value === null) return 'form';
  if (value.digits === '') return null;
  const room = precision === null ? MOST_WHOLE_DIGITS : precision - (scale ?? 0);
  if (value.exponent !== room || precision === null) return value.exponent > room ? 'range' : null;
  // As many digits as fit: only rounding up can still exceed the limit.
  const leading = value.digits.slice(0, precision);
  const burst = /^9*$/.test(leading) && leading.length === precision;
  return burst && value.digits.charAt(precision) >= '5' ? 'range' : null;
}

const FLOAT = new Float32Array(1);
const BITS = new Int32Array(FLOAT.buffer);

/** The floating-point number of 4 bytes before or after one that is larger than 0. */
function besideReal(value: number, step: 1 | -1): number {
  FLOAT[0] = value;
  BITS[0] = (BITS[0] ?? 0) + step;
  return FLOAT[0];
}

/** The number of digits that distinguishes all 4-byte floating-point numbers. */
const REAL_DIGITS = 9;
/** Decimal places that show such a number exactly, or nearly so. */
const ALL_DIGITS = 100;

/** The closest number with a given number of digits between two others; null without one. */
function roundedReal(value: number, count: number, [least, most]: readonly number[]) {
  const [mantissa = '', exponent] = value.toExponential(ALL_DIGITS).split('e');
  const digits = mantissa.replace('.', '');
  const below = Number(digits.slice(0, count));
  const rest = Number(`0.${digits.slice(count)}`);
  const isBelow = rest < 0.5 || (rest === 0.5 && below % 2 === 0);
  const texts = [below, below + 1].map((whole) => `${whole}e${Number(exponent) - count + 1}`);
  const fitting = (isBelow ? texts : texts.reverse()).find((text) => {
    const number = Number(text);
    return number > (least ?? 0) && number < (most ?? 0);
  });
  return fitting ?? null;
}

/** The shortest digits that identify a 4-byte floating-point number, as PostgreSQL prints it. */
function shortestReal(value: number): string {
  const [before, after] = [besideReal(value, -1), besideReal(value, 1)];
  const next = Number.isFinite(after) ? after : value + (value - before);
  const ends = [(before + value) / 2, (value + next) / 2];
  for (let count = 1; count < REAL_DIGITS; count += 1) {
    const text = roundedReal(value, count, ends);
    if (text !== null) return text;
  }
  return value.toPrecision(REAL_DIGITS);
}

/**
 * Whether a `real` column returns a number as it was written; true for text that is not a number.
 */
export function isRealExact(text: string): boolean {
  const value = readDecimal(text);
  const real = Math.abs(Math.fround(Number(text)));
  if (value === null || real === 0 || !Number.isFinite(real)) return true;
  const told = readDecimal(shortestReal(real));
  const digits = (one: Decimal | null) => one?.digits.replace(/0+$/, '');
  return digits(value) === digits(told) && value.exponent === told?.exponent;
}

/** The fault of a floating-point number of 4 or 8 bytes. */
export function floatFault(text: string, bytes: 4 | 8): NumberFault | null {
  if (WORD.test(text)) return null;
  const value = readDecimal(text);
  if (value === null) return 'form';
  const number = bytes === 4 ? Math.fround(Number(text.trim())) : Number(text.trim());
  const lost = !Number.isFinite(number) || (number === 0 && value.digits !== '');
  return lost ? 'range' : null;
}
