/**
 * Converts the values of filters to typed parameters, and rejects those that do not fit their
 * field.
 */

import { placed, type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { quote } from '#core/database/sql.ts';
import { canonicalUuid } from '#core/model/catalog/canonical-text.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { kindFault, kindOf } from '#core/model/values/json-type.ts';
import { floatFault } from '#core/model/values/number.ts';

/** The largest value of each integer type. */
const MOST = { int2: 2n ** 15n - 1n, int4: 2n ** 31n - 1n, int8: 2n ** 63n - 1n };
type IntegerType = keyof typeof MOST;

/** Floating-point types. */
type FloatType = 'float4' | 'float8';

const INTEGER = /^[+-]?\d+$/;
const PARTS = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Special values of number columns. */
const NO_NUMBER = /^(?:nan|[+-]?inf(?:inity)?)$/i;

/** A value and the SQL type of its parameter. */
export interface TypedValue {
  readonly type: string;
  readonly text: string;
}

/**
 * The scalar as text; objects and lists are invalid here.
 * @param isFloat it is compared with floating-point numbers; JSON's numbers are floating-point too
 * @throws ServiceError INVALID_QUERY
 */
export function scalarText(value: unknown, place: string, isFloat = false): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidQuery(reason('finite_number_expected', { place }));
    if (!isFloat && Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw invalidQuery(reason('number_beyond_exact_range', { place }));
    }
    return String(value);
  }
  throw invalidQuery(reason('single_value_expected', { place }));
}

function isWithin(number: bigint | number, type: IntegerType): boolean {
  return number <= MOST[type] && number >= -MOST[type] - 1n;
}

/** The number of digits of the largest eight-byte integer. */
const INT8_DIGITS = 19;

/**
 * The exact integer that a text represents; null for other numbers, and for one that is too large.
 */
function wholeNumber(text: string): bigint | number | null {
  if (text.length < INT8_DIGITS - 3 && INTEGER.test(text)) return Number(text);
  const [, sign = '', whole = '', part = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = (whole + part).replace(/^0+/, '');
  if (digits === '') return 0;
  const significant = digits.replace(/0+$/, '');
  const zeros = Number(exponent) - part.length + digits.length - significant.length;
  if (zeros < 0 || significant.length + zeros > INT8_DIGITS) return null;
  return BigInt(`${sign}${significant}${'0'.repeat(zeros)}`.replace(/^\+/, ''));
}

/** An integer in the column's own type if it fits, else in a wider type. */
function integerOperand(text: string, own: IntegerType): TypedValue {
  const number = wholeNumber(text);
  if (number === null || !isWithin(number, 'int8')) return { type: 'numeric', text };
  return { type: isWithin(number, own) ? own : 'int8', text: String(number) };
}

function isFloatType(type: string): type is FloatType {
  return type === 'float4' || type === 'float8';
}

function isIntegerType(type: string | undefined): type is IntegerType {
  return type === 'int2' || type === 'int4' || type === 'int8';
}

/**
 * Compared as the column rounds it, so that a written value is found; a number beyond its range is
 * not.
 */
function floatOperand(text: string, own: FloatType): TypedValue {
  const fits = own === 'float8' || floatFault(text, 4) === null;
  return { type: fits ? own : 'float8', text };
}

/** Whether a field may store special values such as NaN. */
function holdsWords({ type }: ColumnField): boolean {
  return type === 'float' || type === 'decimal';
}

/** Integers get an integer type, so that indexes on integer columns can serve. */
function numericOperand(text: string, field: ColumnField | null, place: string): TypedValue {
  const trimmed = text.trim();
  const isWord = field !== null && holdsWords(field) && NO_NUMBER.test(trimmed);
  if (trimmed.length > 1_000 || !(isWord || NUMBER.test(trimmed))) {
    throw invalidQuery(reason('number_expected', { place }));
  }
  const own = numberType(field);
  if (isFloatType(own)) return floatOperand(trimmed, own);
  return isIntegerType(own) ? integerOperand(trimmed, own) : { type: own, text: trimmed };
}

/** The PostgreSQL type for comparing numbers of a field; counts and parts of dates use int8. */
function numberType(field: ColumnField | null): string {
  if (field?.type === 'decimal') return 'numeric';
  const own = field?.column.typeName;
  if (field?.type === 'float') return own === 'float4' ? own : 'float8';
  return isIntegerType(own) ? own : 'int8';
}

function checkedOperand(field: ColumnField, text: string, type: string, place: string): TypedValue {
  const fault = textChecker(field)(text);
  if (fault !== null) throw invalidQuery(placed(`"${place}": `, fault.reason));
  const isText = type === 'uuid' && field.column.typeName !== 'uuid';
  return isText ? { type: textTypeOf(field), text: canonicalUuid(text) } : { type, text };
}

/**
 * The operands of a list that may match, all of the compared field's type: an integer beyond the
 * column's range equals no value. PostgreSQL hashes a list of the column's own type; with another
 * type it compares each row with each value.
 */
export function representableOperands(
  field: ColumnField | null,
  operands: readonly TypedValue[],
): { readonly type: string; readonly texts: readonly string[] } {
  const [first] = operands;
  if (first === undefined) return { type: 'text', texts: [] };
  const own = numberType(field);
  const isNumber = first.type === 'numeric' || isIntegerType(first.type) || isFloatType(first.type);
  const isChosen = isNumber && (isIntegerType(own) || own === 'float4');
  const found = isChosen ? operands.filter((operand) => operand.type === own) : operands;
  // One operand without a match remains, so that nulls still yield null.
  const [{ type } = first] = found;
  const kept = found.length === 0 ? [first] : found;
  return { type, texts: kept.map(({ text }) => text) };
}

/** The place of a value in the query, and whether it is text, as in URLs. */
export interface OperandSource {
  readonly place: string;
  readonly spelled: boolean;
}

/** Why the JSON type of a value does not fit the field; null when it may fit. */
function misfit(field: ColumnField | null, value: unknown): Reason | null {
  const kind = kindOf(value);
  return field === null || kind === null ? null : kindFault(field, kind);
}

/** Types whose values are validated as text, with the name of the type in PostgreSQL. */
const CHECKED: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  date: 'date',
  time: 'time',
  dateTime: 'timestamp',
  timestamp: 'timestamptz',
};

/**
 * The operand for comparing a field with one value; a null field stands for the integer result of a
 * function.
 * @throws ServiceError INVALID_QUERY when the value does not fit the field
 */
export function operandOf(
  field: ColumnField | null,
  value: unknown,
  { place, spelled }: OperandSource,
): TypedValue {
  const text = scalarText(value, place, field?.type === 'float');
  const wrong = spelled ? null : misfit(field, value);
  if (wrong !== null) throw invalidQuery(placed(`"${place}": `, wrong));
  if (field === null) return numericOperand(text, null, place);
  if (text.includes('\0')) throw invalidQuery(reason('contains_nul', { place }));
  switch (field.type) {
    case 'integer':
    case 'bigInteger':
    case 'float':
    case 'decimal':
      return numericOperand(text, field, place);
    case 'boolean':
      if (!/^(true|false|1|0)$/i.test(text))
        throw invalidQuery(reason('boolean_value_expected', { place }));
      return { type: 'boolean', text };
    case 'string':
    case 'text':
    case 'csv':
      return { type: textTypeOf(field), text };
    case 'binary':
      return { type: 'bytea', text: `\\x${Buffer.from(text).toString('hex')}` };
    default: {
      const type = CHECKED[field.type];
      if (type !== undefined) return checkedOperand(field, text, type, place);
      return { type: 'text', text };
    }
  }
}

/**
 * Character types compare in their own type, so that the column's rules for blanks and case apply.
 */
function textTypeOf(field: ColumnField): string {
  const { typeName, typeSchema } = field.column;
  if (typeName === 'bpchar') return 'bpchar';
  return typeName === 'citext' ? `${quote(typeSchema)}.citext` : 'text';
}
