/**
 * Converts payload values and rule operands to a form that compares as PostgreSQL compares stored
 * values: by the field's type, whatever their spelling.
 */

import { canonicalUuid } from '#core/model/catalog/canonical-text.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { floatFault } from '#core/model/values/number.ts';
import { compareDecimals, type Decimal, parseDecimal, roundDecimal } from './decimal.ts';
import {
  DAY,
  type Instant,
  parseDate,
  parseInstant,
  parseTime,
  roundSeconds,
} from './parse-timestamp.ts';

/**
 * A text whose equivalent spellings are unknown here: it equals itself, and other comparisons are
 * undecided.
 */
interface Opaque {
  readonly opaque: string;
}

/** Null: the value does not fit the type. */
type Comparable = Instant | Decimal | Opaque | string | boolean;

const BOOLEAN = /^(?:(t(?:r(?:ue?)?)?|y(?:es?)?|on|1)|f(?:a(?:l(?:se?)?)?)?|no?|off?|0)$/i;
const UUID = /^(?:(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}|\{(?:[0-9a-f]{4}-?){7}[0-9a-f]{4}\})$/i;
const PRECISION = /^time\w*\((\d)\)/;

/** A date without a zone is in UTC, like in database sessions. */
export function toDate(value: unknown): Date | null {
  if (typeof value === 'number') return new Date(value);
  if (typeof value !== 'string') return null;
  const zoned = /(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(value) || !/\d:\d/.test(value);
  const date = new Date(zoned ? value : `${value}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The value as text; lists as they are stored. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `value` is a payload value, which its column truncates and rounds; `operand` is not. */
export type ComparisonSide = 'value' | 'operand';

function number(value: unknown): Decimal | null {
  return typeof value === 'object' ? null : parseDecimal(textOf(value));
}

function numeric({ column }: ColumnField, value: unknown, side: ComparisonSide): Decimal | null {
  const found = number(value);
  if (found === null || side === 'operand' || column.typeName !== 'numeric') return found;
  return column.numericScale === null ? found : roundDecimal(found, column.numericScale);
}

/** The nearest number that the column can store, if any; null for numbers in another base. */
function float({ column }: ColumnField, value: unknown): Decimal | null {
  const text = textOf(value).trim();
  const found = number(value);
  if (found === null || found.exponent === Number.POSITIVE_INFINITY) return found;
  const double = Number(text);
  if (Number.isNaN(double) || /^[+-]?0[xob]/i.test(text)) return null;
  const isShort = column.typeName === 'float4' && floatFault(text, 4) === null;
  const near = isShort ? Math.fround(double) : double;
  return parseDecimal(String(near));
}

function temporalValue(
  { type, column, codec }: ColumnField,
  value: unknown,
  side: ComparisonSide,
): Instant {
  if (typeof value !== 'string') return null;
  const isValue = side === 'value';
  const text = isValue && codec !== null ? codec.encode(value) : value;
  if (type === 'date') return parseDate(text);
  if (type === 'time') return precise(parseTime(text), column.typeText, isValue, true);
  const found = parseInstant(text, type === 'timestamp');
  if (isValue && column.typeName === 'date' && typeof found === 'bigint') {
    return found - (((found % DAY) + DAY) % DAY);
  }
  return precise(found, column.typeText, isValue, false);
}

function precise(instant: Instant, typeText: string, isValue: boolean, isTime: boolean): Instant {
  const [, digits] = PRECISION.exec(typeText) ?? [];
  return isValue && digits !== undefined ? roundSeconds(instant, Number(digits), isTime) : instant;
}

function truth(value: unknown): boolean | null {
  const match = typeof value === 'object' ? null : BOOLEAN.exec(textOf(value).trim());
  return match === null ? null : match[1] !== undefined;
}

/**
 * A text as its column stores it: truncated to its length, and without trailing blanks in `bpchar`.
 */
function keptText({ column }: ColumnField, text: string, side: ComparisonSide): string {
  const { typeName, maxLength } = column;
  const limited = typeName === 'varchar' || typeName === 'bpchar';
  const isCut = side === 'value' && limited && maxLength !== null && text.length > maxLength;
  const cut = isCut ? Array.from(text).slice(0, maxLength).join('') : text;
  return typeName === 'bpchar' ? cut.replace(/ +$/, '') : cut;
}

/** Whether the column's own type ignores case. */
export function isCaseInsensitive(field: ColumnField | null): boolean {
  return field?.column.typeName === 'citext';
}

const ESCAPE = /\\(\\|[0-3][0-7]{2})/g;

/** Bytes in hexadecimal; operands are texts, values have PostgreSQL's input format for bytes. */
function bytes(value: unknown, side: ComparisonSide): string | null {
  if (typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data)) {
    return Buffer.from(value.data.map(Number)).toString('hex');
  }
  if (typeof value !== 'string') return null;
  if (side === 'operand') return Buffer.from(value).toString('hex');
  if (value.startsWith('\\x')) return value.slice(2).replace(/\s/g, '').toLowerCase();
  const latin = Buffer.from(value).toString('latin1');
  const plain = latin.replace(ESCAPE, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(plain, 'latin1').toString('hex');
}

/** Whether only PostgreSQL can compare different spellings of the field's values. */
export function hasDatabaseSpellings({ type, column }: ColumnField): boolean {
  return column.elementType === null && (type === 'unknown' || type.startsWith('geometry'));
}

function comparableOf(field: ColumnField, value: unknown, side: ComparisonSide): Comparable {
  switch (field.type) {
    case 'integer':
    case 'bigInteger':
    case 'decimal':
      return numeric(field, value, side);
    case 'float':
      return float(field, value);
    case 'boolean':
      return truth(value);
    case 'date':
    case 'time':
    case 'dateTime':
    case 'timestamp':
      return temporalValue(field, value, side);
    case 'uuid': {
      const text = textOf(value).trim();
      return UUID.test(text) ? canonicalUuid(text) : null;
    }
    case 'binary':
      return bytes(value, side);
    default: {
      const text = keptText(field, textOf(value), side);
      if (hasDatabaseSpellings(field)) return { opaque: text };
      return isCaseInsensitive(field) ? text.toLowerCase() : text;
    }
  }
}

/** The timestamp from which the parts of a date or time field are taken; null when it has none. */
export function dateOfParts(field: ColumnField, value: unknown): Date | null {
  const instant = temporalValue(field, value, 'value');
  if (typeof instant !== 'bigint') return null;
  const date = new Date(Number((instant - (((instant % 1_000n) + 1_000n) % 1_000n)) / 1_000n));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The values differ and have no order. */
const UNORDERED = Number.NaN;

function isDecimal(value: object): value is Decimal {
  return 'digits' in value;
}

/**
 * Compares members of documents and results of functions: numbers by value, other values as text.
 */
function compareUntyped(value: unknown, operand: unknown): number {
  const [left, right] = [value, operand].map((one) =>
    typeof one === 'boolean' ? parseDecimal(String(Number(one))) : number(one),
  );
  if (left && right) return compareDecimals(left, right);
  if (left || right) return UNORDERED;
  const [mine, theirs] = [textOf(value), textOf(operand)];
  return mine === theirs ? 0 : mine < theirs ? -1 : 1;
}

/**
 * Negative, zero or positive; NaN when the two differ and have no order; null when the comparison
 * is undecided.
 * @param field null for a value without a field: a member of a document, the result of a function
 */
export function compare(
  field: ColumnField | null,
  value: unknown,
  operand: unknown,
): number | null {
  if (field === null) return compareUntyped(value, operand);
  const left = comparableOf(field, value, 'value');
  const right = comparableOf(field, operand, 'operand');
  if (left === null || right === null) return null;
  if (typeof left === 'object' && typeof right === 'object') {
    if (isDecimal(left) && isDecimal(right)) return compareDecimals(left, right);
    return 'opaque' in left && 'opaque' in right && left.opaque === right.opaque ? 0 : null;
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const PLAIN_MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|\+00:00)?)?$/;
const PLAIN_TIME = /^\d\d:\d\d:\d\d(?:\.\d{1,6})?$/;
const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext', 'name', 'char']);

function only(text: string, form: RegExp): string | null {
  return form.test(text) ? text : null;
}

/** The stored text of a list; null when an element has more than one possible spelling. */
function listText({ column }: ColumnField, value: readonly unknown[]): string | null {
  const isPlain = (entry: unknown) =>
    TEXTS.has(column.elementType ?? '') || typeof entry === 'number' || typeof entry === 'boolean';
  return value.every(isPlain) ? textOf(value) : null;
}

/**
 * The text, as it will be stored, in which operators search for a substring; null when its stored
 * spelling is unknown.
 */
export function storedText(field: ColumnField | null, value: unknown): string | null {
  const text = textOf(value);
  if (field === null) return text;
  if (field.column.elementType !== null) {
    return Array.isArray(value) ? listText(field, value) : null;
  }
  switch (field.type) {
    case 'integer':
    case 'bigInteger':
    case 'decimal':
    case 'float':
      return only(text, PLAIN_NUMBER);
    case 'boolean':
      return truth(value)?.toString() ?? null;
    case 'date':
    case 'dateTime':
    case 'timestamp':
      return only(text, PLAIN_MOMENT);
    case 'time':
      return only(text, PLAIN_TIME);
    case 'uuid':
      return UUID.test(text) ? canonicalUuid(text) : null;
    case 'binary':
      return text.includes('\\') ? null : text;
    default:
      return keptText(field, text, 'value');
  }
}
