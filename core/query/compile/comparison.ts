/** Compiles one operator on one value of a row: a column, or a function of one. */
import type { ColumnField } from '#core/catalog/catalog.ts';
import type { FieldType } from '#core/catalog/field-type.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { type Operator, operatorsOf } from '../operator.ts';
import { arrayOf, comparable, type Operand, operandOf, parameterOf } from './operand.ts';
import { ALWAYS, loosely, type Predicate, strictly, VOID } from './predicate.ts';
import type { Context } from './scope.ts';
import { NO_VALUE, resolveVariable } from './variable.ts';

/** What is compared. */
export interface Subject {
  readonly sql: Sql;
  readonly type: FieldType;
  /** The column behind it; null for the result of a function. */
  readonly field: ColumnField | null;
  readonly concealed: boolean;
  /** When the caller sees it; null: always. */
  readonly guard: Sql | null;
}

/** An operator with what it compares with, as it was written. */
export interface Operation {
  readonly operator: Operator;
  readonly value: unknown;
  readonly place: string;
}

interface Comparison extends Operation {
  readonly subject: Subject;
  readonly context: Context;
}

/** Texts that mean something else inside a filter, because URLs know no other types. */
function literalOf(context: Context, value: unknown): unknown {
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (value === 'null' || value === 'NULL') return null;
  return typeof value === 'string' ? resolveVariable(context, value) : value;
}

/** `true`, nothing and `1` ask the operator as it is named; `false` and `0` its opposite. */
function flagOf({ value, place }: Operation): boolean {
  if (value === true || value === 'true' || value === '' || value === '1' || value === 1) {
    return true;
  }
  if (value === false || value === 'false' || value === '0' || value === 0) return false;
  throw invalidQuery(`"${place}" must be true or false.`);
}

/** The members of a list, with list variables unfolded in their place. */
function listOf({ context, value, place }: Comparison): unknown[] {
  const entries =
    typeof value === 'string' && !value.startsWith('$')
      ? value.split(',').map((entry) => entry.trim())
      : Array.isArray(value)
        ? value
        : typeof value === 'object' && value !== null
          ? Object.values(value)
          : [value];
  if (entries.length === 0) throw invalidQuery(`"${place}" must not be an empty list.`);
  return entries.flatMap((entry) => literalOf(context, entry));
}

/** A strict test that holds only where the caller sees the value. */
function seen({ subject }: Comparison, test: Sql): Predicate {
  return strictly(subject.guard === null ? test : sql`(${subject.guard} AND ${test})`);
}

/** A test that a value is set, or with `negated` that it is null or hidden. */
function presence(comparison: Comparison, test: Sql, negated: boolean): Predicate {
  const present = seen(comparison, test);
  return negated ? loosely(sql`(${present.sql}) IS NOT TRUE`) : present;
}

function isSet(comparison: Comparison): Sql {
  return sql`${comparison.subject.sql} IS NOT NULL`;
}

function nullTest(comparison: Comparison): Predicate {
  const wantsNull = flagOf(comparison) === (comparison.operator === '_null');
  return presence(comparison, isSet(comparison), wantsNull);
}

/** Empty is null or `''`; types that have no empty text are empty when null. */
function emptyTest(comparison: Comparison): Predicate {
  const { subject, operator } = comparison;
  const wantsEmpty = flagOf(comparison) === (operator === '_empty');
  const hasEmptyText =
    ['string', 'text', 'csv', 'hash'].includes(subject.type) &&
    subject.field?.column.typeKind !== 'e';
  const filled = hasEmptyText ? sql`${subject.sql} <> ''` : isSet(comparison);
  return presence(comparison, filled, wantsEmpty);
}

const ORDER_SQL: Readonly<Partial<Record<Operator, Sql>>> = {
  _eq: sql`=`,
  _neq: sql`<>`,
  _lt: sql`<`,
  _lte: sql`<=`,
  _gt: sql`>`,
  _gte: sql`>=`,
};

function operand({ subject, place }: Comparison, value: unknown): Operand {
  return operandOf(subject.field, value, place);
}

function left({ subject }: Comparison): Sql {
  return subject.field === null ? subject.sql : comparable(subject.field, subject.sql);
}

function orderTest(comparison: Comparison, operatorSql: Sql): Predicate {
  const { operator, place } = comparison;
  const value = literalOf(comparison.context, comparison.value);
  if (value === NO_VALUE) return VOID;
  if (value === null) {
    if (operator === '_eq') return presence(comparison, isSet(comparison), true);
    if (operator === '_neq') return presence(comparison, isSet(comparison), false);
    throw invalidQuery(`"${place}" must not be null.`);
  }
  if (value === '' && operator !== '_eq' && operator !== '_neq') {
    throw invalidQuery(`"${place}" must not be empty; use _empty.`);
  }
  const right = parameterOf(operand(comparison, value));
  return seen(comparison, sql`${left(comparison)} ${operatorSql} ${right}`);
}

/** A null in the list is SQL's null: it matches nothing, and under `_nin` nothing passes it. */
function membershipTest(comparison: Comparison): Predicate {
  const entries = listOf(comparison);
  const values = entries.filter((entry) => entry !== null && entry !== NO_VALUE);
  const isVoid = entries.includes(NO_VALUE) || entries.length === 0;
  const negated = comparison.operator === '_nin';
  if (isVoid && (negated || values.length === 0)) return VOID;
  if (negated && values.length < entries.length) return strictly(sql`NULL::boolean`);
  const list = arrayOf(values.map((value) => operand(comparison, value)));
  const test = negated ? sql`<> ALL(${list})` : sql`= ANY(${list})`;
  return { ...seen(comparison, sql`${left(comparison)} ${test}`), void: isVoid };
}

/** A range needs two values; with any other number of them the condition is no condition. */
function rangeTest(comparison: Comparison): Predicate {
  const { operator, place } = comparison;
  const entries = listOf(comparison);
  const [low, high] = entries;
  if (entries.includes(NO_VALUE)) return VOID;
  if (low === undefined || high === undefined || entries.length !== 2) return ALWAYS;
  if (low === null || high === null || low === '' || high === '') {
    throw invalidQuery(`"${place}" must hold two values.`);
  }
  const from = parameterOf(operand(comparison, low));
  const to = parameterOf(operand(comparison, high));
  const range = operator === '_between' ? sql`BETWEEN` : sql`NOT BETWEEN`;
  return seen(comparison, sql`${left(comparison)} ${range} ${from} AND ${to}`);
}

/** The text with LIKE's own characters made ordinary. */
export function likeText(value: string): string {
  return value.replace(/[\\%_]/g, '\\$&');
}

/** The value as a text that LIKE takes. */
export function textSql(field: ColumnField | null, column: Sql): Sql {
  const isText = ['text', 'varchar', 'citext'].includes(field?.column.typeName ?? '');
  return isText ? column : sql`${column}::text`;
}

/** Substring, prefix and suffix tests and case-insensitive equality: `_[n][i](contains|…|eq)`. */
function patternTest(comparison: Comparison): Predicate {
  const { subject, operator, place } = comparison;
  const match = /^_(n?)(i?)(contains|starts_with|ends_with|eq)$/.exec(operator);
  if (match === null) throw new Error(`${operator} has no pattern`);
  const [, negated, insensitive, kind] = match;
  const value = literalOf(comparison.context, comparison.value);
  if (value === NO_VALUE) return VOID;
  if (value === null || typeof value === 'object') {
    throw invalidQuery(`"${place}" must be a text.`);
  }
  const text = String(value);
  if (text === '' && kind !== 'eq') throw invalidQuery(`"${place}" must not be empty; use _empty.`);
  if (text.includes('\0')) throw invalidQuery(`"${place}" holds a NUL character.`);
  const before = kind === 'contains' || kind === 'ends_with' ? '%' : '';
  const after = kind === 'contains' || kind === 'starts_with' ? '%' : '';
  const pattern = `${before}${likeText(text)}${after}`;
  const like = sql`${negated ? sql`NOT ` : sql``}${insensitive ? sql`ILIKE` : sql`LIKE`}`;
  return seen(comparison, sql`${textSql(subject.field, subject.sql)} ${like} ${pattern}::text`);
}

/**
 * Compiles an operation on a subject.
 * @throws ServiceError INVALID_QUERY when the type does not take the operator or the value
 */
export function compileOperation(
  context: Context,
  subject: Subject,
  operation: Operation,
): Predicate {
  const { operator, place } = operation;
  if (!operatorsOf(subject.type, subject.concealed).includes(operator)) {
    throw invalidQuery(`"${place}": a field of type ${subject.type} does not take ${operator}.`);
  }
  const comparison: Comparison = { ...operation, subject, context };
  if (operator === '_null' || operator === '_nnull') return nullTest(comparison);
  if (operator === '_empty' || operator === '_nempty') return emptyTest(comparison);
  if (operator === '_in' || operator === '_nin') return membershipTest(comparison);
  if (operator === '_between' || operator === '_nbetween') return rangeTest(comparison);
  const order = ORDER_SQL[operator];
  return order === undefined ? patternTest(comparison) : orderTest(comparison, order);
}
