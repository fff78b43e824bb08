/** Compares values of each type, and brings what a query says into the form of the wire. */
import { ENUM_VALUES, type Json, type ScalarType } from '../model.ts';

/** A function's result compares as a number, a part of a document as PostgreSQL's jsonb does. */
export type ValueType = ScalarType | 'number' | 'part';

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

/** The order of kinds in jsonb (PostgreSQL, JSON types). */
const KINDS = new Map(
  ['null', 'string', 'number', 'boolean', 'list', 'object'].map((k, i) => [k, i]),
);

function kindRank(value: Json): number {
  // PostgreSQL has it so for historical reasons.
  if (Array.isArray(value) && value.length === 0) return -1;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  return KINDS.get(kind) ?? 0;
}

function comparePlain<T extends bigint | number | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareInOrder(a: readonly Json[], b: readonly Json[]): number {
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  for (const [index, left] of a.entries()) {
    const result = comparePart(left, b[index] ?? null);
    if (result !== 0) return result;
  }
  return 0;
}

/** Keys of objects stand in the order of their lengths, then of their letters. */
function pairsOf(value: object): Json[] {
  const byKey = ([a]: [string, Json], [b]: [string, Json]) =>
    a.length - b.length || comparePlain(a, b);
  const entries: [string, Json][] = Object.entries(value);
  return entries.sort(byKey).flat();
}

function comparePart(a: Json, b: Json): number {
  const kinds = comparePlain(kindRank(a), kindRank(b));
  if (kinds !== 0) return kinds;
  if (Array.isArray(a) && Array.isArray(b)) return compareInOrder(a, b);
  if (typeof a === 'object' && typeof b === 'object') {
    return a === null || b === null ? 0 : compareInOrder(pairsOf(a), pairsOf(b));
  }
  if (typeof a === 'number') return comparePlain(exact(a), exact(b));
  return comparePlain(String(a), String(b));
}

/** Below, equal or above: -1, 0 or 1. Neither may be null. */
export function compare(type: ValueType, a: Json, b: Json): number {
  if (type === 'part') return comparePart(a, b);
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
