/** Writes the clauses of one level: select list, conditions, order and limits. */
import { empty, join, raw, type Sql, sql } from '#core/database/sql.ts';
import {
  type Entry,
  type Items,
  type LevelPlan,
  levelsBelow,
  type Order,
  type Plan,
  type RelatedExtremum,
  type Value,
} from '../plan/plan.ts';
import {
  bareSql,
  columnSql,
  conditionSql,
  guarded,
  innerJoins,
  leftJoins,
  rowRule,
  valueSql,
  visibleSql,
  whereVisible,
} from './expression.ts';
import { outputOf } from './output.ts';
import { childEnds, childrenSql, tableSql, whereSql } from './table.ts';

/** The terms of an order. */
export function orderTerms({ terms, nullsLast }: Order): Sql[] {
  return terms.map(({ value, descending, among }) => {
    const term = among === null ? sortSql(value) : foundAmong(among, value, descending);
    if (!descending) return term;
    return nullsLast || among !== null ? sql`${term} DESC NULLS LAST` : sql`${term} DESC`;
  });
}

/** The joins of an order besides the level's own table, for `FROM`. */
export function orderJoins({ joins, terms }: Order): Sql {
  const found = terms.map(({ value, descending, among }) =>
    among === null || among.indexed ? empty : foundForAll(among, value, descending),
  );
  return join([leftJoins(joins), ...found], '');
}

/** The visible related items of an order, for `FROM`. */
function amongRows({ table, joins }: RelatedExtremum, more: readonly Sql[]): Sql {
  return sql`${tableSql(table)}${innerJoins(joins)}${whereSql([...more, rowRule(table)])}`;
}

/** The alias of the joined values of all rows. */
function foundName({ table }: RelatedExtremum): Sql {
  return raw(`m${table.alias}`);
}

/** The smallest or the largest value among the related items of a row. */
function foundAmong(among: RelatedExtremum, value: Value, descending: boolean): Sql {
  if (!among.indexed) return sql`${foundName(among)}.v`;
  const { parent, table, relation, guard } = among;
  const rows = amongRows(among, [childrenSql(parent, table, relation)]);
  const direction = raw(descending ? ' DESC' : '');
  // Nulls are ignored.
  const first = sql`SELECT m.v FROM (SELECT ${sortSql(value)} AS v FROM ${rows}) AS m WHERE m.v IS NOT NULL ORDER BY m.v${direction} LIMIT 1`;
  return guarded(guard, sql`(${first})`);
}

/**
 * The same for all rows, read once and joined, where no index finds the related items of one row.
 */
function foundForAll(among: RelatedExtremum, value: Value, descending: boolean): Sql {
  const { parent, table, relation, guard } = among;
  const { keys, owner } = childEnds(parent, table, relation);
  const names = owner.map((_, index) => raw(`o${index}`));
  const owners = owner.map((column, index) => sql`${column} AS ${names[index]}`);
  const rows = sql`SELECT ${join(owners)}, ${sortSql(value)} AS v FROM ${amongRows(among, [])}`;
  const direction = raw(descending ? ' DESC' : '');
  const first = sql`SELECT DISTINCT ON (${join(names)}) * FROM (${rows}) AS m WHERE m.v IS NOT NULL ORDER BY ${join(names)}, m.v${direction}`;
  const name = foundName(among);
  const matches = keys.map((key, index) => sql`${name}.${names[index]} = ${key}`);
  return sql` LEFT JOIN (${first}) AS ${name} ON ${whereVisible(guard, join(matches, ' AND '))}`;
}

function sortSql(value: Value): Sql {
  // In a document, null and a missing member read and sort the same.
  if (value.kind === 'call' && value.name === 'json') {
    return sql`nullif(${valueSql(value)}, 'null'::jsonb)`;
  }
  // A stored form with the same order as the values has an index that serves.
  if (value.kind === 'column' && value.column.own.codec?.comparable === true) {
    return guarded(value.column.guard, bareSql(value.column));
  }
  return valueSql(value);
}

/** The rows of a level before limits: permissions, filter and search. */
export function levelConditions({ table, conditions }: Pick<LevelPlan, 'table' | 'conditions'>) {
  return [rowRule(table), ...conditions.map((condition) => conditionSql(condition, false))];
}

/** Common limits are few, so few statements with such limits are cached. */
function isCommon(limit: number): boolean {
  return limit <= 100 || limit % 100 === 0;
}

/** Whether PostgreSQL can plan a statement once because its limits are constants. */
export function hasKnownLimits(plan: Plan): boolean {
  const isKnown = (level: LevelPlan): boolean =>
    level.offset === 0 &&
    (level.limit === null || isCommon(level.limit)) &&
    levelsBelow(level).every(isKnown);
  return plan.unconditional && isKnown(plan.root);
}

/** @param known limits are constants of the statement; else they are parameters */
export function limitSql({ limit, offset }: LevelPlan, known: boolean): Sql {
  if (limit !== null && known) return sql` LIMIT ${raw(String(limit))}`;
  const limited = limit === null ? empty : sql` LIMIT ${limit}::int8`;
  return offset === 0 ? limited : sql`${limited} OFFSET ${offset}::int8`;
}

/** The order of a level, and its joins. */
export function ordered({ order }: Items): { joins: Sql; orderBy: Sql } {
  if (order === null) return { joins: empty, orderBy: empty };
  const terms = orderTerms(order);
  const orderBy = terms.length === 0 ? empty : sql` ORDER BY ${join(terms)}`;
  return { joins: orderJoins(order), orderBy };
}

/** Applies limit and offset to each parent's items, by their positions. */
export function range(position: Sql, { limit, offset }: LevelPlan): Sql {
  return whereSql([
    offset === 0 ? null : sql`${position} > ${offset}::int8`,
    limit === null ? null : sql`${position} <= ${offset + limit}::int8`,
  ]);
}

/** @param output writes the value of a column */
function valueOutput(value: Value, output: typeof outputOf): Sql {
  if (value.kind === 'column') return output(value.column.field, visibleSql(value.column));
  const made = valueSql(value);
  // Counts and parts of dates are texts in the result, like all counts.
  return value.kind === 'call' && value.name === 'json' ? made : sql`(${made})::text`;
}

/** A value in the requested format. */
export function formOutput(
  { value, form }: Extract<Entry, { kind: 'value' }>,
  output: typeof outputOf,
): Sql {
  if (form === undefined) return valueOutput(value, output);
  const made = value.kind === 'column' ? visibleSql(value.column) : valueSql(value);
  return form === 'text' ? sql`(${made})::text` : finite(value, made);
}

/** A finite number, else null: JSON has neither `NaN` nor `Infinity`. */
function finite(value: Value, made: Sql): Sql {
  const type = value.kind === 'column' ? value.column.field.type : 'integer';
  if (type === 'decimal') {
    // A number too large for a double is null, and one too small is 0.
    return sql`CASE WHEN abs(${made}) < 2.5e-324 THEN 0 WHEN abs(${made}) < 1.7976931348623158e308 THEN (${made})::float8 END`;
  }
  if (type !== 'float') return made;
  // A four-byte float has fewer digits, which a direct cast to eight bytes would change.
  const isShort = value.kind === 'column' && value.column.field.column.typeName === 'float4';
  const double = isShort ? sql`(${made})::text::float8` : sql`(${made})::float8`;
  return sql`CASE WHEN ${double} NOT IN ('NaN', 'Infinity', '-Infinity') THEN ${double} END`;
}

/** A key as a list; null when a part of it is missing. */
export function keySql({ columns }: Extract<Entry, { kind: 'key' }>): Sql {
  const set = columns.map((column) => sql`${visibleSql(column)} IS NOT NULL`);
  const values = columns.map((column) => outputOf(column.field, columnSql(column)));
  return sql`CASE WHEN ${join(set, ' AND ')} THEN json_build_array(${join(values)}) END`;
}
