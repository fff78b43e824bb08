/** Turns the values of filters into typed parameters, refusing those that do not fit their field. */

import { canonicalUuid } from '#core/catalog/canonical-text.ts';
import type { ColumnField } from '#core/catalog/catalog.ts';
import { quote } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { textChecker } from '#core/values/check-value.ts';
import { kindFault, kindOf } from '#core/values/json-type.ts';

const INT8_MIN = -(2n ** 63n);
const INT8_MAX = 2n ** 63n - 1n;
const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A value and the SQL type it is sent as. */
export interface Typed {
  readonly type: string;
  readonly text: string;
}

/**
 * The scalar as text; filters take no objects or lists here.
 * @throws ServiceError INVALID_QUERY
 */
export function scalarText(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalidQuery(`"${place}" must be a finite number.`);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw invalidQuery(`"${place}" is beyond the exact range of JSON numbers; send it as text.`);
    }
    return String(value);
  }
  throw invalidQuery(`"${place}" must be a single value.`);
}

/** Whole numbers stay integers, so that every index on an integer column serves them. */
function numericOperand(text: string, type: string, place: string): Typed {
  const trimmed = text.trim();
  if (trimmed.length > 1_000 || !NUMBER.test(trimmed)) {
    throw invalidQuery(`"${place}" must be a number.`);
  }
  if (type === 'float') return { type: 'float8', text: trimmed };
  if (type !== 'decimal' && INTEGER.test(trimmed)) {
    const number = BigInt(trimmed.replace(/^\+/, ''));
    if (number >= INT8_MIN && number <= INT8_MAX) return { type: 'int8', text: String(number) };
  }
  return { type: 'numeric', text: trimmed };
}

function checkedOperand(field: ColumnField, text: string, type: string, place: string): Typed {
  const fault = textChecker(field)(text);
  if (fault !== null) throw invalidQuery(`"${place}": ${fault.reason}`);
  const isText = type === 'uuid' && field.column.typeName !== 'uuid';
  return isText ? { type: textTypeOf(field), text: canonicalUuid(text) } : { type, text };
}

/** The type of a list of operands: the widest type of its members counts. */
export function listType(operands: readonly Typed[]): string {
  const types = new Set(operands.map((operand) => operand.type));
  return types.size > 1 ? 'numeric' : (operands[0]?.type ?? 'text');
}

/** Where a value was written, and whether as text, as in URLs. */
export interface Written {
  readonly place: string;
  readonly spelled: boolean;
}

/** Why a value, by the type that it is written in, is none of the field's; null when it may be. */
function misfit(field: ColumnField | null, value: unknown): string | null {
  const kind = kindOf(value);
  return field === null || kind === null ? null : kindFault(field, kind);
}

/** Types whose values are written as text of the same name in PostgreSQL. */
const CHECKED: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  date: 'date',
  time: 'time',
  dateTime: 'timestamp',
  timestamp: 'timestamptz',
};

/**
 * The operand for comparing a field with one value; null stands for the whole number that a
 * function yields.
 * @throws ServiceError INVALID_QUERY when the value cannot be one of the field's
 */
export function operandOf(
  field: ColumnField | null,
  value: unknown,
  { place, spelled }: Written,
): Typed {
  const text = scalarText(value, place);
  const wrong = spelled ? null : misfit(field, value);
  if (wrong !== null) throw invalidQuery(`"${place}": ${wrong}`);
  if (field === null) return numericOperand(text, 'integer', place);
  if (text.includes('\0')) throw invalidQuery(`"${place}" holds a NUL character.`);
  switch (field.type) {
    case 'integer':
    case 'bigInteger':
    case 'float':
    case 'decimal':
      return numericOperand(text, field.type, place);
    case 'boolean':
      if (!/^(true|false|1|0)$/i.test(text)) throw invalidQuery(`"${place}" must be a boolean.`);
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

/** Character types compare in their own type, so that blanks and case count as the column says. */
function textTypeOf(field: ColumnField): string {
  const { typeName, typeSchema } = field.column;
  if (typeName === 'bpchar') return 'bpchar';
  return typeName === 'citext' ? `${quote(typeSchema)}.citext` : 'text';
}
