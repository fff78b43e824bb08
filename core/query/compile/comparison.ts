/** Compiles one operator on one value of a row: a column, a function of one, a part of a document. */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { type OperandType, type Operator, operatorsOf } from '../operator.ts';
import { compareMember, memberAmong } from './document.ts';
import { geometryTest, isGeometry } from './geometry.ts';
import {
  arrayOf,
  comparable,
  type Operand,
  operandOf,
  parameterOf,
  scalarText,
} from './operand.ts';
import { anyVoid, loosely, type Predicate, strictly, VOID } from './predicate.ts';
import { isRecordPath, RecordValues, recordValues } from './record.ts';
import type { Context } from './scope.ts';
import { type Binding, deferred } from './slot.ts';
import { isMoment, isVariable, NO_VALUE, resolveVariable } from './variable.ts';

/** What is compared. */
export interface Subject {
  readonly sql: Sql;
  readonly type: OperandType;
  /** The column behind it; null for the result of a function or a part of a document. */
  readonly field: ColumnField | null;
  /** The column as it is stored; absent where there is none behind it. */
  readonly bare?: Sql;
  /** The part of a document that `sql` is the text of. */
  readonly member?: Sql;
  readonly concealed: boolean;
  /** When the caller sees it; null: always. */
  readonly guard: Sql | null;
}

/** An operator with what it compares with, as it was written. */
export interface Operation {
  readonly operator: Operator;
  readonly value: unknown;
  readonly place: string;
  /** Texts stand for values of other types, as in URLs. */
  readonly spelled?: boolean;
}

interface Comparison extends Operation {
  readonly subject: Subject;
  readonly binding: Binding;
  /** The paths behind variables among the values, by their texts. */
  readonly records: ReadonlyMap<unknown, RecordValues | typeof NO_VALUE>;
}

/** Texts that mean something else inside a URL, which knows no other types. */
const SPELLINGS: ReadonlyMap<unknown, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['NULL', null],
]);

function literalOf({ binding, records, spelled }: Comparison, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const meant = spelled ? SPELLINGS.get(value) : undefined;
  if (meant !== undefined) return meant;
  return records.get(value) ?? resolveVariable(binding, value);
}

/** In a URL texts, `1` and `0` are true and false, and nothing is the operator as it is named. */
const SPELLED_FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['', true],
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
]);

/** `true` asks the operator as it is named; `false` its opposite. */
export function flagOf({ value, place, spelled }: Operation): boolean {
  if (typeof value === 'boolean') return value;
  const meant = spelled ? SPELLED_FLAGS.get(value) : undefined;
  if (meant !== undefined) return meant;
  throw invalidQuery(`"${place}" must be true or false.`);
}

/** What a value holds as it was written: itself, or the members of a list in any spelling. */
function entriesOf(value: unknown): readonly unknown[] {
  return typeof value === 'string' && !value.startsWith('$')
    ? value.split(',').map((entry) => entry.trim())
    : Array.isArray(value)
      ? value
      : typeof value === 'object' && value !== null
        ? Object.values(value)
        : [value];
}

/** The members of a list, with list variables unfolded in their place. */
function listOf(comparison: Comparison): unknown[] {
  const { value, place } = comparison;
  const entries = entriesOf(value);
  if (entries.length === 0) throw invalidQuery(`"${place}" must not be an empty list.`);
  return entries.flatMap((entry) => literalOf(comparison, entry));
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
    ['string', 'text', 'csv', 'hash', 'member'].includes(subject.type) &&
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

function left({ subject }: Comparison): Sql {
  const { field, bare } = subject;
  if (field === null) return subject.sql;
  return field.stored?.comparable && bare ? bare : comparable(field, subject.sql);
}

/** Equality with values that the column keeps in a form of its own, as its index serves. */
function storedAmong({ subject, operator }: Comparison, values: readonly Operand[]): Sql | null {
  const { field, bare } = subject;
  const among = field?.stored?.among;
  if (among === undefined || bare === undefined) return null;
  const texts = values.map(({ text }) => text);
  return sql`(${among(bare, texts, operator === '_neq' || operator === '_nin')})`;
}

/** A text without characters that PostgreSQL's cannot hold. */
function textOf(value: unknown, place: string): string {
  const text = scalarText(value, place);
  if (text.includes('\0')) throw invalidQuery(`"${place}" holds a NUL character.`);
  return text;
}

/** A value as the parameter that the subject compares with. */
function parameter(comparison: Comparison, value: unknown): Sql {
  if (value instanceof RecordValues) return value.one(comparison.subject.field);
  return parameterOf(operand(comparison, value));
}

function operand({ subject, place, spelled }: Comparison, value: unknown): Operand {
  return operandOf(subject.field, value, { place, spelled: spelled === true });
}

/** Members of documents vary in type, so what a path leads to cannot be compared with them. */
function memberValue(value: unknown, place: string): string {
  if (value instanceof RecordValues) {
    throw invalidQuery(`"${place}": a variable with a path does not compare with a document.`);
  }
  return textOf(value, place);
}

function ordered(comparison: Comparison, operatorSql: Sql, value: unknown): Sql {
  const { subject, place } = comparison;
  if (subject.field?.stored?.among && !(value instanceof RecordValues)) {
    const found = storedAmong(comparison, [operand(comparison, value)]);
    if (found !== null) return found;
  }
  return subject.member === undefined
    ? sql`${left(comparison)} ${operatorSql} ${parameter(comparison, value)}`
    : compareMember(subject.member, operatorSql, memberValue(value, place));
}

function among(comparison: Comparison, values: readonly unknown[]): Sql {
  const { subject, place, operator } = comparison;
  const test = operator === '_nin' ? sql`<> ALL` : sql`= ANY`;
  const connective = operator === '_nin' ? ' AND ' : ' OR ';
  if (subject.member !== undefined) {
    return memberAmong(
      subject.member,
      test,
      values.map((value) => memberValue(value, place)),
    );
  }
  const single = values.filter((value) => !(value instanceof RecordValues));
  const lists = values.flatMap((value) =>
    value instanceof RecordValues ? [value.all(subject.field)] : [],
  );
  const own = single.map((value) => operand(comparison, value));
  const stored = storedAmong(comparison, own);
  if (single.length > 0 && stored === null) lists.push(arrayOf(own));
  const tests = lists.map((list) => sql`${left(comparison)} ${test}(${list})`);
  if (single.length > 0 && stored !== null) tests.push(stored);
  return tests.length === 1 ? join(tests) : sql`(${join(tests, connective)})`;
}

function within(comparison: Comparison, low: unknown, high: unknown): Sql {
  if (comparison.subject.member !== undefined) {
    return sql`(${ordered(comparison, sql`>=`, low)} AND ${ordered(comparison, sql`<=`, high)})`;
  }
  const bounds = sql`${parameter(comparison, low)} AND ${parameter(comparison, high)}`;
  return sql`(${left(comparison)} BETWEEN ${bounds})`;
}

/** Whether a path among the values leads to nothing, as the statement finds out. */
function voidOf({ subject }: Comparison, values: readonly unknown[]): boolean | Sql {
  return anyVoid(
    values.map((value) =>
      value instanceof RecordValues ? sql`${value.all(subject.field)} IS NULL` : false,
    ),
  );
}

function orderTest(comparison: Comparison, operatorSql: Sql): Predicate {
  const { operator, place } = comparison;
  const value = literalOf(comparison, comparison.value);
  if (value === NO_VALUE) return VOID;
  if (value === null) {
    if (operator === '_eq') return presence(comparison, isSet(comparison), true);
    if (operator === '_neq') return presence(comparison, isSet(comparison), false);
    throw invalidQuery(`"${place}" must not be null.`);
  }
  if (value === '' && operator !== '_eq' && operator !== '_neq') {
    throw invalidQuery(`"${place}" must not be empty; use _empty.`);
  }
  const test = ordered(comparison, operatorSql, value);
  return { ...seen(comparison, test), void: voidOf(comparison, [value]) };
}

/**
 * A null in the list is SQL's null: it matches nothing, and under `_nin` nothing passes it. Only the
 * null of `_eq` and `_neq` asks whether a value is set.
 */
function membershipTest(comparison: Comparison): Predicate {
  const entries = listOf(comparison);
  const values = entries.filter((entry) => entry !== null && entry !== NO_VALUE);
  const isVoid = entries.includes(NO_VALUE) || entries.length === 0;
  const negated = comparison.operator === '_nin';
  if (isVoid && (negated || values.length === 0)) return VOID;
  const isUnknown = values.length === 0 || (negated && values.length < entries.length);
  if (isUnknown) return strictly(sql`NULL::boolean`);
  const found = seen(comparison, among(comparison, values));
  return { ...found, void: anyVoid([isVoid, voidOf(comparison, values)]) };
}

/** A range needs two values. */
function rangeTest(comparison: Comparison): Predicate {
  const { operator, place } = comparison;
  const entries = listOf(comparison);
  const [low, high] = entries;
  if (entries.includes(NO_VALUE)) return VOID;
  const isOpen = (entry: unknown) => entry === undefined || entry === null || entry === '';
  if (isOpen(low) || isOpen(high) || entries.length !== 2) {
    throw invalidQuery(`"${place}" must hold two values.`);
  }
  const range = within(comparison, low, high);
  const found = seen(comparison, operator === '_between' ? range : sql`NOT ${range}`);
  return { ...found, void: voidOf(comparison, entries) };
}

/** The text with LIKE's own characters made ordinary. */
export function likeText(value: string): string {
  return value.replace(/[\\%_]/g, '\\$&');
}

/** The same for a text that only PostgreSQL knows. */
function likeSql(text: Sql): Sql {
  return sql`regexp_replace(${text}, ${'([\\\\%_])'}::text, ${'\\\\\\1'}::text, 'g')`;
}

/** The value as a text that LIKE takes. */
export function textSql(field: ColumnField | null, column: Sql): Sql {
  const isText = ['text', 'varchar', 'citext'].includes(field?.column.typeName ?? '');
  return isText ? column : sql`${column}::text`;
}

function patternText({ operator, place, spelled }: Comparison, value: unknown): string {
  if (value === null || typeof value === 'object' || (!spelled && typeof value !== 'string')) {
    throw invalidQuery(`"${place}" must be a text.`);
  }
  const text = String(value);
  if (text === '' && !operator.endsWith('eq')) {
    throw invalidQuery(`"${place}" must not be empty; use _empty.`);
  }
  if (text.includes('\0')) throw invalidQuery(`"${place}" holds a NUL character.`);
  return text;
}

/** Substring, prefix and suffix tests and case-insensitive equality: `_[n][i](contains|…|eq)`. */
function patternTest(comparison: Comparison): Predicate {
  const { subject, operator } = comparison;
  const match = /^_(n?)(i?)(contains|starts_with|ends_with|eq)$/.exec(operator);
  if (match === null) throw new Error(`${operator} has no pattern`);
  const [, negated, insensitive, kind] = match;
  const value = literalOf(comparison, comparison.value);
  if (value === NO_VALUE) return VOID;
  const before = kind === 'contains' || kind === 'ends_with' ? '%' : '';
  const after = kind === 'contains' || kind === 'starts_with' ? '%' : '';
  const pattern =
    value instanceof RecordValues
      ? sql`${before}::text || ${likeSql(value.one(subject.field))} || ${after}::text`
      : sql`${before + likeText(patternText(comparison, value)) + after}::text`;
  const like = sql`${negated ? sql`NOT ` : sql``}${insensitive ? sql`ILIKE` : sql`LIKE`}`;
  const test = sql`${textSql(subject.field, subject.sql)} ${like} ${pattern}`;
  return { ...seen(comparison, test), void: voidOf(comparison, [value]) };
}

/** Null is a literal here as everywhere; all else is a shape. */
function shapeTest(comparison: Comparison, field: ColumnField): Predicate | null {
  const { subject, operator, value, place, spelled = false } = comparison;
  const isNothing = value === null || (spelled && SPELLINGS.get(value) === null);
  if (isNothing || operator === '_null' || operator === '_nnull') return null;
  return seen(comparison, geometryTest(field, subject.sql, operator, { value, place, spelled }));
}

function compare(comparison: Comparison): Predicate {
  const { operator, subject } = comparison;
  const { field } = subject;
  const shape = field !== null && isGeometry(field) ? shapeTest(comparison, field) : null;
  if (shape !== null) return shape;
  if (operator === '_null' || operator === '_nnull') return nullTest(comparison);
  if (operator === '_empty' || operator === '_nempty') return emptyTest(comparison);
  if (operator === '_in' || operator === '_nin') return membershipTest(comparison);
  if (operator === '_between' || operator === '_nbetween') return rangeTest(comparison);
  const order = ORDER_SQL[operator];
  return order === undefined ? patternTest(comparison) : orderTest(comparison, order);
}

const LIST_OPERATORS: ReadonlySet<Operator> = new Set(['_in', '_nin', '_between', '_nbetween']);

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
    const kind = subject.concealed ? 'concealed field' : `field of type ${subject.type}`;
    throw invalidQuery(`"${place}": a ${kind} does not take ${operator}.`);
  }
  const values = LIST_OPERATORS.has(operator) ? entriesOf(operation.value) : [operation.value];
  const texts = values.filter((value) => typeof value === 'string');
  const paths = texts.filter(isRecordPath);
  const records = new Map<unknown, RecordValues | typeof NO_VALUE>(
    paths.map((text) => [text, recordValues(context, text, place)]),
  );
  const comparison: Comparison = { ...operation, subject, binding: context, records };
  if (texts.some(isMoment)) context.markFleeting();
  const found = compare(comparison);
  if (!context.slots || !texts.some(isVariable)) return found;
  // How many members a list variable has decides whether a range is one.
  if (/^_n?between$/.test(operator)) context.markVolatile();
  return {
    ...found,
    sql: deferred(found.sql, (to) => compare({ ...comparison, binding: to }).sql),
  };
}
