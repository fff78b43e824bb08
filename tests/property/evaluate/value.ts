/** Compares values of each type, and brings what a query says into the form of the wire. */
import { ENUM_VALUES, type Json, type ScalarType } from '../model.ts';

/** A function's result compares as a number. */
export type ValueType = ScalarType | 'number';

const NUMERIC: ReadonlySet<ValueType> = new Set([
  'integer',
  'bigInteger',
  'decimal',
  'float',
  'number',
]);

function isNumeric(type: ValueType): boolean {
  return NUMERIC.has(type);
}

const SCALE = 9;

/** A decimal text as an integer of billionths. */
export function exact(value: Json): bigint {
  const text = String(value);
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (sign === undefined || fraction.length > SCALE) throw new Error(`no plain number: ${text}`);
  const digits = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return sign === '-' ? -digits : digits;
}

/** Billionths as a text with so many decimals. */
export function decimalText(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(SCALE + 1, '0');
  const whole = digits.slice(0, -SCALE);
  const fraction = digits.slice(-SCALE).slice(0, decimals);
  return `${value < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${fraction}`}`;
}

function rank(type: ValueType, value: Json): bigint | number | string {
  if (isNumeric(type)) return exact(value);
  if (type === 'boolean') return value === true ? 1 : 0;
  if (type === 'enum') return ENUM_VALUES.indexOf(String(value));
  return String(value);
}

/** Below, equal or above: -1, 0 or 1. Neither may be null. */
export function compare(type: ValueType, a: Json, b: Json): number {
  const left = rank(type, a);
  const right = rank(type, b);
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** A moment in one of its shorter spellings in the one that answers use. */
function moment(type: ValueType, text: string): string {
  const date = /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? '';
  if (type === 'date') return date;
  const full = text === date ? `${date}T00:00:00` : text;
  if (type === 'dateTime') return full.slice(0, 19);
  return new Date(/Z$/.test(full) ? full : `${full}Z`).toISOString();
}

/** What a query compares with, in the form in which rows hold it. */
export function normal(type: ValueType, value: Json): Json {
  if (type === 'date' || type === 'dateTime' || type === 'timestamp') {
    return moment(type, String(value));
  }
  if (type === 'boolean') return value === true || value === 'true';
  return isNumeric(type) ? value : String(value);
}
