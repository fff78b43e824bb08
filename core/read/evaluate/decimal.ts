/** Numbers of any length in a form that compares exactly, like PostgreSQL's numeric. */

export interface Decimal {
  /** 2: NaN, which PostgreSQL orders after all numbers. */
  readonly sign: -1 | 0 | 1 | 2;
  /** The value is `0.digits × 10^exponent`. */
  readonly exponent: number;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
}

const ZERO: Decimal = { sign: 0, exponent: 0, digits: '' };
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
const WORD = /^(?:(nan)|([+-]?)inf(?:inity)?)$/i;
/** Integers in other bases, which newer releases of PostgreSQL accept. */
const BASED = /^([+-]?)(0[xob][0-9a-f]+)$/i;

function made(negative: boolean, all: string, exponent: number): Decimal {
  const digits = all.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return ZERO;
  return {
    sign: negative ? -1 : 1,
    exponent: exponent - (all.length - digits.length),
    digits: kept,
  };
}

function ofBase(text: string): Decimal | null {
  const [, sign, body] = BASED.exec(text) ?? [];
  if (body === undefined) return null;
  try {
    const digits = BigInt(body).toString();
    return made(sign === '-', digits, digits.length);
  } catch {
    return null;
  }
}

/**
 * The number that a text represents in any spelling that PostgreSQL accepts; null for other texts.
 */
export function parseDecimal(text: string): Decimal | null {
  const plain = text.trim().replace(/(?<=[0-9a-fxob])_(?=[0-9a-f])/gi, '');
  const word = WORD.exec(plain);
  if (word !== null) {
    const sign = word[1] !== undefined ? 2 : word[2] === '-' ? -1 : 1;
    return { sign, exponent: Number.POSITIVE_INFINITY, digits: '1' };
  }
  const [, sign, whole = '', part = '', exponent = '0'] = NUMBER.exec(plain) ?? [];
  if (whole.length + part.length === 0) return ofBase(plain);
  return made(sign === '-', whole + part, whole.length + Number(exponent));
}

/** Negative, zero or positive. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.sign !== right.sign) return left.sign - right.sign;
  if (left.sign === 0 || left.sign === 2) return 0;
  if (left.exponent !== right.exponent) {
    return left.exponent < right.exponent ? -left.sign : left.sign;
  }
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -left.sign : left.sign;
}

/** Rounds to a number of decimal places, half away from zero. */
export function roundDecimal(value: Decimal, scale: number): Decimal {
  const { sign, exponent, digits } = value;
  const kept = exponent + scale;
  if (kept >= digits.length || sign === 0 || exponent === Number.POSITIVE_INFINITY) return value;
  if (kept < 0) return ZERO;
  const up = digits.charAt(kept) >= '5';
  const text = (BigInt(digits.slice(0, kept) || '0') + (up ? 1n : 0n)).toString();
  return made(sign < 0, text, exponent + text.length - kept);
}
