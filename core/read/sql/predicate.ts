/** Writes one operator on one value of any kind. */

import { bareType } from '#core/database/column-type.ts';
import { join, raw, Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { Operator } from '#core/query/operator.ts';
import type { Condition, ListOperand, Operand, PathOperand, Predicate } from '../plan/condition.ts';
import { isArray, mayBeList } from '../plan/list-value.ts';
import { mapPlaceholder, Placeholder } from '../plan/placeholder.ts';
import { geometryPredicate } from './geometry.ts';
import { compareMember, memberInList } from './json-member.ts';
import { isNotEmptySql as documentFilled, listContains } from './readable-json.ts';

/** The value of a test, as SQL. */
export interface Written {
  readonly value: Sql;
  /** The stored column value, if the value is a column. */
  readonly bare: Sql | null;
  /** The document part whose text is the value; null for other values. */
  readonly member: Sql | null;
  /** Writes the values of a path. */
  readonly path: (operand: PathOperand) => Sql;
}

const ORDER: Readonly<Partial<Record<Operator, Sql>>> = {
  _eq: sql`=`,
  _neq: sql`<>`,
  _lt: sql`<`,
  _lte: sql`<=`,
  _gt: sql`>`,
  _gte: sql`>=`,
};

/** The column in the form of its operands: enums and unknown types as text. */
function comparable(field: ColumnField, column: Sql): Sql {
  const asText =
    field.type === 'unknown' || field.column.typeKind === 'e' || field.column.typeName === 'char';
  return asText ? sql`${column}::text` : column;
}

function left({ subject: { field } }: Predicate, { value, bare }: Written): Sql {
  if (field === null) return value;
  return field.codec?.comparable && bare !== null ? bare : comparable(field, value);
}

/** Whether a value is not empty: a list has elements, or a text has characters. */
function filledSql({ subject }: Pick<Predicate, 'subject'>, value: Sql): Sql {
  const { field, type } = subject;
  if (field !== null && mayBeList(subject)) {
    return isArray(field) ? sql`cardinality(${value}) > 0` : documentFilled(field, value);
  }
  // Types without an empty text are empty only when null.
  const hasEmptyText =
    ['string', 'text', 'csv', 'hash', 'member'].includes(type) && field?.column.typeKind !== 'e';
  return hasEmptyText ? sql`${value} <> ''` : sql`${value} IS NOT NULL`;
}

type Texts = ListOperand['texts'];

/** Longer lists of a type other than the column's are compared without its index. */
const INDEXED_MAX = 100;

/** Equality with values in the column's own stored form, so that its index serves. */
function storedAmong(
  { subject, operator }: Predicate,
  { bare }: Written,
  texts: Texts,
): Sql | null {
  const among = subject.field?.codec?.among;
  if (among === undefined || bare === null) return null;
  const make = (values: readonly string[]) =>
    among(bare, values, operator === '_neq' || operator === '_nin');
  if (!(texts instanceof Placeholder)) return sql`(${make(texts)})`;
  const { strings, values } = make([]);
  const filled = values.map((value, index) =>
    value instanceof Sql ? value : mapPlaceholder(texts, (known) => make(known).values[index]),
  );
  return sql`(${new Sql(strings, filled)})`;
}

/** An operand as a parameter of the comparison. */
function parameter(written: Written, operand: Operand): Sql {
  if (operand.kind === 'path') return written.path(operand);
  if (operand.kind !== 'value') throw new TypeError(`a ${operand.kind} is no single value`);
  return sql`${operand.text}::${raw(operand.type)}`;
}

function orderSql(test: Predicate, written: Written, sign: Sql, operand: Operand): Sql {
  if (operand.kind === 'value') {
    const { text } = operand;
    const found = storedAmong(
      test,
      written,
      mapPlaceholder(text, (known): readonly string[] => [known]),
    );
    if (found !== null) return found;
    if (written.member !== null) return compareMember(written.member, sign, text);
  }
  return sql`${left(test, written)} ${sign} ${parameter(written, operand)}`;
}

/** The left side of a list test; PostgreSQL hashes a list of the left side's own type. */
function leftOfList(test: Predicate, written: Written, { type, texts }: ListOperand): Sql {
  const { field } = test.subject;
  if (field === null) return sql`(${written.value})::${raw(type)}`;
  const isLong = !(texts instanceof Placeholder) && texts.length > INDEXED_MAX;
  const isOther = field.codec?.comparable === true || field.column.typeName === 'name';
  return isLong && isOther ? sql`(${written.value})::${raw(type)}` : left(test, written);
}

function amongSql(test: Predicate, written: Written): Sql {
  const negated = test.operator === '_nin';
  const among = negated ? sql`<> ALL` : sql`= ANY`;
  const tests = test.operands.map((operand) => {
    if (operand.kind === 'path')
      return sql`${left(test, written)} ${among}(${written.path(operand)})`;
    if (operand.kind !== 'list') throw new TypeError(`a ${operand.kind} is no list`);
    const { texts, type } = operand;
    const sought = leftOfList(test, written, operand);
    if (written.member !== null) return memberInList(written.member, among, texts);
    const array = sql`${texts}::${raw(type)}[]`;
    return storedAmong(test, written, texts) ?? sql`${sought} ${among}(${array})`;
  });
  return tests.length === 1 ? join(tests) : sql`(${join(tests, negated ? ' AND ' : ' OR ')})`;
}

function rangeSql(test: Predicate, written: Written): Sql {
  const [low, high] = test.operands;
  if (low === undefined || high === undefined) throw new TypeError('a range has two ends');
  const range =
    written.member === null
      ? sql`(${left(test, written)} BETWEEN ${parameter(written, low)} AND ${parameter(written, high)})`
      : sql`(${orderSql(test, written, sql`>=`, low)} AND ${orderSql(test, written, sql`<=`, high)})`;
  return test.operator === '_between' ? range : sql`NOT ${range}`;
}

/** The text with LIKE's special characters escaped. */
function likeText(value: string): string {
  return value.replace(/[\\%_]/g, '\\$&');
}

/** The same for a text that is known only in PostgreSQL. */
function likeSql(text: Sql): Sql {
  return sql`regexp_replace(${text}, ${'([\\\\%_])'}::text, ${'\\\\\\1'}::text, 'g')`;
}

/** The value as a text for LIKE. */
function textSql(field: ColumnField | null, value: Sql): Sql {
  const isText = ['text', 'varchar', 'citext'].includes(field?.column.typeName ?? '');
  return isText ? value : sql`${value}::text`;
}

/** Substring, prefix and suffix tests and case-insensitive equality: `_[n][i](contains|…|eq)`. */
function patternSql({ operator, subject, operands }: Predicate, { value, path }: Written): Sql {
  const match = /^_(n?)(i?)(contains|starts_with|ends_with|eq)$/.exec(operator);
  const [operand] = operands;
  if (match === null || operand === undefined) throw new Error(`${operator} has no pattern`);
  const [, negated, insensitive, kind] = match;
  const before = kind === 'contains' || kind === 'ends_with' ? '%' : '';
  const after = kind === 'contains' || kind === 'starts_with' ? '%' : '';
  const like = sql`${negated ? sql`NOT ` : sql``}${insensitive ? sql`ILIKE` : sql`LIKE`}`;
  const shown = textSql(subject.field, value);
  if (operand.kind === 'path') {
    return sql`${shown} ${like} ${before}::text || ${likeSql(path(operand))} || ${after}::text`;
  }
  if (operand.kind !== 'value') throw new TypeError(`a ${operand.kind} is no pattern`);
  const pattern = mapPlaceholder(operand.text, (text) => before + likeText(text) + after);
  return sql`${shown} ${like} ${pattern}::text`;
}

/** The positive form of a test on a visible value; presence tests always test whether it is set. */
export function predicateSql(test: Predicate, written: Written): Sql {
  const { operator, operands, subject } = test;
  const [operand] = operands;
  if (operator === '_null' || operator === '_nnull') return sql`${written.value} IS NOT NULL`;
  if (operator === '_empty' || operator === '_nempty') return filledSql(test, written.value);
  if (operand?.kind === 'geometry' && subject.field !== null) {
    return geometryPredicate(subject.field, written.value, operator, operand.shape);
  }
  if (operator === '_in' || operator === '_nin') return amongSql(test, written);
  if (operator === '_between' || operator === '_nbetween') return rangeSql(test, written);
  const sign = ORDER[operator];
  if (sign === undefined || operand === undefined) return patternSql(test, written);
  return orderSql(test, written, sign, operand);
}

/** Whether a list value contains one of some elements, in a form that a GIN index serves. */
export function containsSql(
  { subject: { field }, texts }: Extract<Condition, { kind: 'holds' }>,
  value: Sql,
): Sql {
  if (field !== null && isArray(field)) {
    return sql`${value} @> ${texts}::text[]::${bareType(field.column)}`;
  }
  if (field === null) throw new TypeError('a list has a field behind it');
  return listContains(field, value, texts);
}
