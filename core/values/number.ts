/** Checks numbers in text: integers, decimals with precision and scale, floating-point numbers. */

/** What is wrong with a number: its form, or its size. */
export type NumberFault = 'form' | 'range';

/** Forms that only PostgreSQL 16 and later read; PostgreSQL decides. */
const NEWER_FORM = /^[ \t\n\v\f\r]*[+-]?(?:0[xob][0-9a-f_]+|\d[\d_]*_[\d_.]*)[ \t\n\v\f\r]*$/i;
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
  if (!WHOLE.test(text)) return NEWER_FORM.test(text) ? null : 'form';
  const digits = text.trim();
  const value = Number(digits);
  const [least, most] = BOUNDS[bytes];
  if (Number.isSafeInteger(value)) return value < least || value > most ? 'range' : null;
  // BigInt accepts a minus, but no plus.
  const exact = BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  return exact < least || exact > most ? 'range' : null;
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

/** The fault of a decimal; without a precision only the limits of the type count. */
export function decimalFault(
  text: string,
  precision: number | null,
  scale: number | null,
): NumberFault | null {
  const word = WORD.exec(text)?.groups;
  if (word !== undefined) return precision === null || word.nan !== undefined ? null : 'range';
  const value = readDecimal(text);
  if (value === null) return NEWER_FORM.test(text) ? null : 'form';
  if (value.digits === '') return null;
  const room = precision === null ? MOST_WHOLE_DIGITS : precision - (scale ?? 0);
  if (value.exponent !== room || precision === null) return value.exponent > room ? 'range' : null;
  // As many digits as fit: only rounding up can still exceed the limit.
  const leading = value.digits.slice(0, precision);
  const burst = /^9*$/.test(leading) && leading.length === precision;
  return burst && value.digits.charAt(precision) >= '5' ? 'range' : null;
}

/** The fault of a floating-point number of 4 or 8 bytes. */
export function floatFault(text: string, bytes: 4 | 8): NumberFault | null {
  if (WORD.test(text)) return null;
  const value = readDecimal(text);
  // The server's C library also reads hexadecimal floats.
  if (value === null) return /^\s*[+-]?0x/i.test(text) ? null : 'form';
  const number = bytes === 4 ? Math.fround(Number(text.trim())) : Number(text.trim());
  const lost = !Number.isFinite(number) || (number === 0 && value.digits !== '');
  return lost ? 'range' : null;
}
