/** Compiles filters into predicates with SQL's own three-valued logic. */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { forbidden, invalidQuery } from '#core/errors/service-error.ts';
import { type Operator, operatorsOf } from '../operator.ts';
import type { Filter } from '../query.ts';
import { arrayOf, comparable, operandOf, parameterOf } from './operand.ts';
import { isConcealed } from './output.ts';
import { columnOf, readableColumn, type Scope } from './scope.ts';

const TRUE = sql`TRUE`;

/** One comparison: the column, what it is compared with, and where that was written. */
interface Comparison {
  readonly field: ColumnField;
  readonly column: Sql;
  readonly operator: Operator;
  readonly value: unknown;
  readonly place: string;
}

/** Texts that mean something else inside a filter, because URLs know no other types. */
function literalOf(value: unknown): unknown {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return value === 'null' || value === 'NULL' ? null : value;
}

/** `true`, nothing and `1` ask the operator as it is named; `false` and `0` its opposite. */
function flagOf(value: unknown, place: string): boolean {
  const flag = literalOf(value);
  if (flag === true || flag === '' || flag === '1' || flag === 1) return true;
  if (flag === false || flag === '0' || flag === 0) return false;
  throw invalidQuery(`"${place}" must be true or false.`);
}

function listOf(value: unknown, place: string): unknown[] {
  const entries =
    typeof value === 'string'
      ? value.split(',').map((entry) => entry.trim())
      : Array.isArray(value)
        ? value
        : typeof value === 'object' && value !== null
          ? Object.values(value)
          : [value];
  if (entries.length === 0) throw invalidQuery(`"${place}" must not be an empty list.`);
  return entries.map(literalOf);
}

function nullTest(comparison: Comparison): Sql {
  const { column, operator, value, place } = comparison;
  const isNull = flagOf(value, place) === (operator === '_null');
  return isNull ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`;
}

/** Empty is null or `''`; types that have no empty text are empty when null. */
function emptyTest(comparison: Comparison): Sql {
  const { field, column, operator, value, place } = comparison;
  const isEmpty = flagOf(value, place) === (operator === '_empty');
  const hasEmptyText = ['string', 'text', 'csv', 'hash'].includes(field.type);
  if (!hasEmptyText || field.column.typeKind === 'e') {
    return isEmpty ? sql`${column} IS NULL` : sql`${column} IS NOT NULL`;
  }
  return isEmpty ? sql`(${column} IS NULL OR ${column} = '')` : sql`${column} <> ''`;
}

const ORDER_SQL: Readonly<Partial<Record<Operator, Sql>>> = {
  _eq: sql`=`,
  _neq: sql`<>`,
  _lt: sql`<`,
  _lte: sql`<=`,
  _gt: sql`>`,
  _gte: sql`>=`,
};

function orderTest(comparison: Comparison, operatorSql: Sql): Sql {
  const { field, column, operator, place } = comparison;
  const value = literalOf(comparison.value);
  if (value === null) {
    if (operator === '_eq') return sql`${column} IS NULL`;
    if (operator === '_neq') return sql`${column} IS NOT NULL`;
    throw invalidQuery(`"${place}" must not be null.`);
  }
  if (value === '' && operator !== '_eq' && operator !== '_neq') {
    throw invalidQuery(`"${place}" must not be empty; use _empty.`);
  }
  const operand = parameterOf(operandOf(field, value, place));
  return sql`${comparable(field, column)} ${operatorSql} ${operand}`;
}

/** A null in the list is SQL's null: it matches nothing, and under `_nin` nothing passes it. */
function membershipTest(comparison: Comparison): Sql {
  const { field, column, operator, value, place } = comparison;
  const entries = listOf(value, place);
  const operands = entries
    .filter((entry) => entry !== null)
    .map((entry) => operandOf(field, entry, place));
  if (operands.length < entries.length && operator === '_nin') return sql`NULL::boolean`;
  return operator === '_in'
    ? sql`${comparable(field, column)} = ANY(${arrayOf(operands)})`
    : sql`${comparable(field, column)} <> ALL(${arrayOf(operands)})`;
}

/** A range needs two values; with any other number of them the condition is void. */
function rangeTest(comparison: Comparison): Sql {
  const { field, column, operator, value, place } = comparison;
  const [low, high, ...rest] = listOf(value, place);
  if (low === undefined || high === undefined || rest.length > 0) return TRUE;
  if (low === null || high === null) throw invalidQuery(`"${place}" must not hold null.`);
  const from = parameterOf(operandOf(field, low, place));
  const to = parameterOf(operandOf(field, high, place));
  const left = comparable(field, column);
  return operator === '_between'
    ? sql`${left} BETWEEN ${from} AND ${to}`
    : sql`${left} NOT BETWEEN ${from} AND ${to}`;
}

/** The text with LIKE's own characters made ordinary. */
function likeText(value: string): string {
  return value.replace(/[\\%_]/g, '\\$&');
}

/** Substring, prefix and suffix tests and case-insensitive equality: `_[n][i](contains|…|eq)`. */
function patternTest(comparison: Comparison): Sql {
  const { field, column, operator, place } = comparison;
  const match = /^_(n?)(i?)(contains|starts_with|ends_with|eq)$/.exec(operator);
  if (match === null) throw new Error(`${operator} has no pattern`);
  const [, negated, insensitive, kind] = match;
  const value = literalOf(comparison.value);
  if (value === null || typeof value === 'object') {
    throw invalidQuery(`"${place}" must be a text.`);
  }
  const text = String(value);
  if (text === '' && kind !== 'eq') throw invalidQuery(`"${place}" must not be empty; use _empty.`);
  if (text.includes('\0')) throw invalidQuery(`"${place}" holds a NUL character.`);
  const before = kind === 'contains' || kind === 'ends_with' ? '%' : '';
  const after = kind === 'contains' || kind === 'starts_with' ? '%' : '';
  const pattern = `${before}${likeText(text)}${after}`;
  const left = ['text', 'varchar', 'citext'].includes(field.column.typeName)
    ? column
    : sql`${column}::text`;
  const like = sql`${left} ${insensitive ? sql`ILIKE` : sql`LIKE`} ${pattern}::text`;
  return negated ? sql`NOT (${like})` : like;
}

function compileComparison(comparison: Comparison): Sql {
  const { operator } = comparison;
  if (operator === '_null' || operator === '_nnull') return nullTest(comparison);
  if (operator === '_empty' || operator === '_nempty') return emptyTest(comparison);
  if (operator === '_in' || operator === '_nin') return membershipTest(comparison);
  if (operator === '_between' || operator === '_nbetween') return rangeTest(comparison);
  const order = ORDER_SQL[operator];
  return order === undefined ? patternTest(comparison) : orderTest(comparison, order);
}

/** The condition on one column: operators, joined by AND where there are several. */
function compileField(scope: Scope, field: ColumnField, filter: Filter): Sql {
  if (filter.kind === 'group') {
    return connect(filter, (part) => compileField(scope, field, part));
  }
  if (filter.kind === 'field') {
    const { key, place } = filter;
    if (key.startsWith('_')) throw invalidQuery(`"${place}" is not an operator.`);
    throw forbidden(`Field "${field.name}" has no field "${key}" (queried in ${place}).`);
  }
  const { operator, value, place } = filter;
  if (!operatorsOf(field.type, isConcealed(field)).includes(operator)) {
    throw invalidQuery(`"${place}": a field of type ${field.type} does not take ${operator}.`);
  }
  return compileComparison({ field, column: columnOf(scope, field), operator, value, place });
}

type Group = Extract<Filter, { kind: 'group' }>;

function connect(group: Group, compile: (filter: Filter) => Sql): Sql {
  const parts = group.filters.map(compile);
  if (parts.length === 0) return TRUE;
  return sql`(${join(parts, group.connective === 'and' ? ' AND ' : ' OR ')})`;
}

/**
 * Compiles a filter for the rows of a scope.
 * @throws ServiceError FORBIDDEN for a field that is unknown or may not be read, INVALID_QUERY for
 *   an operator or a value that does not fit
 */
export function compileFilter(scope: Scope, filter: Filter): Sql {
  if (filter.kind === 'group') {
    return connect(filter, (part) => compileFilter(scope, part));
  }
  if (filter.kind === 'operation') {
    throw invalidQuery(`"${filter.place}" stands where a field is expected.`);
  }
  const unknown = !scope.collection.fields.has(filter.key);
  if (unknown && filter.key.startsWith('_')) {
    throw invalidQuery(`"${filter.place}" is neither an operator nor a field.`);
  }
  return compileField(scope, readableColumn(scope, filter.key, 'filter'), filter.filter);
}
