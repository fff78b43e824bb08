/** Writes the conditions and values of a plan, restricted by their permissions. */
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type {
  Condition,
  PathOperand,
  Predicate,
  RecordPath,
  Subject,
  Void,
} from '../plan/condition.ts';
import type { Column, Guard, Join, Table, Value } from '../plan/plan.ts';
import { memberText } from './json-member.ts';
import { containsSql, predicateSql, type Written } from './predicate.ts';
import { lengthSql, ofDocument, ofPart, type Part, partSql } from './readable-json.ts';
import { revisionSql } from './revision-visibility.ts';
import { childEnds, childrenSql, columnNamed, matchSql, tableSql, whereSql } from './table.ts';

/** No other alias can have this name: tables are `t` with a number. */
const ELEMENT = sql`e.v`;

// Permissions

function anyRight(table: Table, indexes: readonly number[], apart: boolean): Sql | null {
  const conditions = indexes.map((index) => table.rights[index]?.condition ?? null);
  if (conditions.some((condition) => condition === null)) return null;
  const parts = conditions.flatMap((condition) =>
    condition === null ? [] : [conditionSql(condition, apart)],
  );
  return sql`(${join(parts, ' OR ')})`;
}

/** The rows on which a permission holds, as a value; null: all rows. */
export function rightSql(table: Table, right: number): Sql | null {
  return anyRight(table, [right], true);
}

/** The rows of the table that the caller may see; null: all rows. */
export function rowRule(table: Table): Sql | null {
  return anyRight(table, [...table.rights.keys()], table.rights.length > 1);
}

/** The rows on which the caller may see the guarded value; null: all rows. */
export function guardSql(guard: Guard | null): Sql | null {
  return guard === null ? null : (guard.seen ?? anyRight(guard.table, guard.rights, true));
}

/** A value where the caller may see it, else null. */
export function guarded(guard: Guard | null, value: Sql): Sql {
  const seen = guardSql(guard);
  return seen === null ? value : sql`CASE WHEN ${seen} THEN ${value} END`;
}

/** A condition that holds only where the caller may see the guarded value. */
export function whereVisible(guard: Guard | null, condition: Sql): Sql {
  const seen = guardSql(guard);
  return seen === null ? condition : sql`(${seen} AND ${condition})`;
}

// Values

/** The stored value of a column. */
export function bareSql({ table, own, past }: Column): Sql {
  const bare = columnNamed(table, own.column.name);
  if (past === null) return bare;
  return revisionSql(table, past, bare, (item, right) => {
    const condition = item.rights[right]?.condition ?? null;
    return condition === null ? null : conditionSql(condition, true);
  });
}

/** The value of a column, whether or not the caller may see it. */
export function columnSql(column: Column): Sql {
  const { own, past } = column;
  const bare = bareSql(column);
  return past !== null || own.codec === null ? bare : own.codec.decode(bare);
}

/** The value of a column where the caller may see it, else null. */
export function visibleSql(column: Column): Sql {
  return guarded(column.guard, columnSql(column));
}

const PARTS: Readonly<Record<string, Sql>> = {
  year: sql`year`,
  month: sql`month`,
  week: sql`week`,
  day: sql`day`,
  weekday: sql`dow`,
  hour: sql`hour`,
  minute: sql`minute`,
  second: sql`second`,
};

function callSql({ name, column, steps }: Extract<Value, { kind: 'call' }>): Sql {
  const value = visibleSql(column);
  const { type, column: described } = column.field;
  if (name === 'json') return partSql({ field: column.field, value, steps });
  if (name === 'count') {
    return described.elementType === null
      ? lengthSql(column.field, value)
      : sql`cardinality(${value})`;
  }
  // Truncates the fraction of seconds, which a cast alone would round up to the next minute.
  const number = sql`trunc(extract(${PARTS[name]} FROM ${value}))::int`;
  // `infinity` has no parts. Its year would fail the statement, even on hidden rows.
  return type === 'time' ? number : sql`CASE WHEN isfinite(${value}) THEN ${number} END`;
}

/** The number of list items that the caller may see. */
function countSql({ parent, table, relation, guard }: Extract<Value, { kind: 'count' }>): Sql {
  const where = whereSql([childrenSql(parent, table, relation), rowRule(table)]);
  return guarded(guard, sql`(SELECT count(*)::int8 FROM ${tableSql(table)}${where})`);
}

function partOf({ of, field, steps }: Extract<Value, { kind: 'member' }>): Part {
  return { field, value: unguardedSql(of), steps };
}

/** A value of a row; columns without their guards, for tests that check guards themselves. */
function unguardedSql(value: Value): Sql {
  switch (value.kind) {
    case 'column':
      return columnSql(value.column);
    case 'call':
      return callSql(value);
    case 'count':
      return countSql(value);
    case 'member':
      return memberText(partSql(partOf(value)));
    case 'element':
      return value.field === null ? memberText(ELEMENT) : ELEMENT;
  }
}

/** A value of a row where the caller may see it, else null. */
export function valueSql(value: Value): Sql {
  return value.kind === 'column' ? visibleSql(value.column) : unguardedSql(value);
}

// Paths of variables

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const NUMBER = '^[+-]?[0-9]{1,100}([.][0-9]{1,100})?$';

function joinSql(kind: Sql, { table, match, guard }: Join): Sql {
  const seen = whereVisible(guard, matchSql(match));
  const rule = rowRule(table);
  return sql` ${kind} ${tableSql(table)} ON ${rule === null ? seen : sql`${seen} AND ${rule}`}`;
}

/** The joins of an order, besides the level's own table. */
export function leftJoins(joins: readonly Join[]): Sql {
  return join(
    joins.map((one) => joinSql(sql`LEFT JOIN`, one)),
    '',
  );
}

/** Inner joins: each row needs a match. */
export function innerJoins(joins: readonly Join[]): Sql {
  return join(
    joins.map((one) => joinSql(sql`JOIN`, one)),
    '',
  );
}

function elementsSql({ elements, column }: RecordPath, value: Sql): Sql {
  if (elements === 'array') return sql`unnest((${value})::text[])`;
  if (elements === 'csv') return sql`unnest(string_to_array(${value}, ','))`;
  const list = ofDocument(
    column.field,
    value,
    (document) =>
      sql`CASE jsonb_typeof(${document}) WHEN 'array' THEN ${document} ELSE jsonb_build_array(${document}) END`,
  );
  return sql`jsonb_array_elements_text(${list})`;
}

/** A SELECT of one column `v`. */
function recordRows(path: RecordPath): Sql {
  const { root, joins, ids, isList, column, elements } = path;
  const key = identifier(root.alias, 'id');
  const mine = isList ? sql`${key} = ANY(${ids}::uuid[])` : sql`${key} = ${ids}::uuid`;
  const from = sql`${tableSql(root)}${innerJoins(joins)}`;
  const where = whereSql([mine, rowRule(root)]);
  const value = visibleSql(column);
  return elements === null
    ? sql`SELECT ${value} AS v FROM ${from}${where}`
    : sql`SELECT e.v FROM ${from} CROSS JOIN LATERAL ${elementsSql(path, value)} AS e (v)${where}`;
}

/** The value converted for the comparison with the field; texts are cast if they fit the type. */
function convertedSql(as: PathOperand['as']): Sql {
  switch (as) {
    case 'text':
      return sql`v::text`;
    case 'uuid':
      return sql`CASE WHEN v ~ ${UUID}::text THEN v::uuid END`;
    case 'number':
      return sql`CASE WHEN v ~ ${NUMBER}::text THEN v::numeric END`;
    default:
      return sql`v`;
  }
}

/** All values of a path as an array, or the one value; null without values. */
function pathSql({ path, as, all }: PathOperand): Sql {
  const values = sql`SELECT w FROM (SELECT ${convertedSql(as)} AS w FROM (${recordRows(path)}) AS r) AS s WHERE w IS NOT NULL`;
  return all ? sql`NULLIF(ARRAY(${values}), '{}')` : sql`(${values} LIMIT 1)`;
}

/**
 * The values of a path as JSON, numbers as texts; a list for a path with several values; null
 * without values.
 */
export function recordJson(path: RecordPath): Sql {
  const value = path.family === 'number' ? sql`v::text` : sql`v`;
  const values = sql`SELECT to_json(${value}) AS j FROM (${recordRows(path)}) AS r WHERE v IS NOT NULL`;
  return path.single ? sql`(${values} LIMIT 1)` : sql`(SELECT json_agg(j) FROM (${values}) AS s)`;
}

// Conditions

/** Whether a comparison's variable has no value, checked at execution; null where that is known. */
function voidSql(isVoid: Void): Sql | null {
  if (typeof isVoid === 'boolean') return null;
  const open = isVoid.map((operand) => sql`${pathSql({ ...operand, all: true })} IS NULL`);
  return sql`(${join(open, ' OR ')})`;
}

/** No row exists. @param exists holds when there is a row; never null */
function noneSql(exists: Sql, isVoid: Void): Sql {
  const open = voidSql(isVoid);
  if (open === null) return sql`NOT ${exists}`;
  return sql`(CASE WHEN NOT ${open} THEN TRUE END AND NOT ${exists})`;
}

function writtenOf({ value }: Subject, member: Sql | null): Written {
  return {
    value: member === null ? unguardedSql(value) : memberText(member),
    bare: value.kind === 'column' ? bareSql(value.column) : null,
    member,
    path: pathSql,
  };
}

/** A test of a value; a document part is computed once. */
function judgedSql(test: Predicate): Sql {
  const { subject } = test;
  const { value } = subject;
  const judged = (member: Sql | null) => predicateSql(test, writtenOf(subject, member));
  if (value.kind === 'member') return ofPart(partOf(value), judged);
  return judged(value.kind === 'element' && value.field === null ? ELEMENT : null);
}

function guardedTest(test: Predicate): Sql {
  const { operator, subject } = test;
  const judged = judgedSql(test);
  // An index serves this form: PostgreSQL makes `IS NULL` of it.
  const isPlain = subject.value.kind !== 'member' && guardSql(subject.guard) === null;
  if (operator === '_null' && isPlain) return sql`NOT (${judged})`;
  const seen = whereVisible(subject.guard, judged);
  const isMissing = operator === '_null' || operator === '_empty';
  return isMissing ? sql`(${seen}) IS NOT TRUE` : seen;
}

function elementsTest(condition: Extract<Condition, { kind: 'elements' }>): Sql {
  const { subject, none, condition: inner } = condition;
  const value = unguardedSql(subject.value);
  const { field } = subject;
  if (field === null) throw new TypeError('a list has a field behind it');
  const list = ofDocument(
    field,
    value,
    (document) => sql`CASE jsonb_typeof(${document}) WHEN 'array' THEN ${document} ELSE '[]' END`,
  );
  const from =
    field.column.elementType === null
      ? sql`jsonb_array_elements(${list}) AS e(v)`
      : sql`unnest(${value}) AS e(v)`;
  const exists = sql`EXISTS (SELECT FROM ${from} WHERE ${conditionSql(inner, false)})`;
  if (!none) return whereVisible(subject.guard, exists);
  const without = noneSql(exists, inner.void);
  return whereVisible(subject.guard, sql`(${value} IS NOT NULL AND ${without})`);
}

function oneTest(
  { join: on, condition }: Extract<Condition, { kind: 'one' }>,
  apart: boolean,
): Sql {
  const { table, guard } = on;
  const match = whereVisible(guard, matchSql(on.match));
  const rule = rowRule(table);
  if (condition.strict) {
    const where = whereSql([match, rule, conditionSql(condition, apart)]);
    return sql`EXISTS (SELECT FROM ${tableSql(table)}${where})`;
  }
  const onSql = rule === null ? match : sql`${match} AND ${rule}`;
  return sql`(SELECT ${conditionSql(condition, true)} FROM (VALUES (1)) AS one LEFT JOIN ${tableSql(table)} ON ${onSql})`;
}

/**
 * Whether some related item meets the conditions. Beside an OR, in a CASE or in a select list,
 * `EXISTS` would scan the table for each row. There it tests against a list of all owners with a
 * match, computed once.
 */
function manyTest(condition: Extract<Condition, { kind: 'many' }>, apart: boolean): Sql {
  const { parent, table, relation, none, condition: inner } = condition;
  const conditions = [rowRule(table), inner && conditionSql(inner, false)];
  const found = () => {
    if (relation.indexed || !apart) {
      const where = whereSql([childrenSql(parent, table, relation), ...conditions]);
      return sql`EXISTS (SELECT FROM ${tableSql(table)}${where})`;
    }
    const { keys, owner } = childEnds(parent, table, relation);
    const owned = owner.map((column) => sql`${column} IS NOT NULL`);
    const owners = join(owner);
    const list = sql`SELECT ${owners} FROM ${tableSql(table)}${whereSql([...owned, ...conditions])} GROUP BY ${owners}`;
    return sql`((${join(keys)}) IN (${list}) IS TRUE)`;
  };
  return none ? noneSql(found(), condition.void) : found();
}

/** @param apart it is beside an OR, or in a CASE or a select list */
export function conditionSql(condition: Condition, apart: boolean): Sql {
  switch (condition.kind) {
    case 'constant':
      if (condition.value === null) return sql`NULL::boolean`;
      return condition.value ? sql`TRUE` : sql`FALSE`;
    case 'test':
      return guardedTest(condition);
    case 'group': {
      const isOr = condition.connective === 'or';
      const parts = condition.parts.map((part) => conditionSql(part, apart || isOr));
      return sql`(${join(parts, isOr ? ' OR ' : ' AND ')})`;
    }
    case 'holds': {
      const found = containsSql(condition, unguardedSql(condition.subject.value));
      return whereVisible(condition.subject.guard, condition.negated ? sql`NOT ${found}` : found);
    }
    case 'elements':
      return elementsTest(condition);
    case 'one':
      return oneTest(condition, apart);
    case 'many':
      return manyTest(condition, apart);
    case 'seen':
      return whereVisible(condition.guard, conditionSql(condition.condition, apart));
  }
}
