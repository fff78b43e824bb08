/** Tables for use in other statements, restricted by a caller's permissions. */
import { ALL_GRANTS } from '#core/access/grants.ts';
import {
  empty,
  identifier,
  join,
  render,
  type Sql,
  type Statement,
  sql,
} from '#core/database/sql.ts';
import type { Key } from '#core/query/key.ts';
import type { Filter, Query } from '#core/query/query.ts';
import { resolveRecordPath } from '../plan/caller-record-path.ts';
import { planFilter } from '../plan/filter.ts';
import type { Table } from '../plan/plan.ts';
import { planRights, planRule } from '../plan/rights.ts';
import { contextOf, openScope, type ReadTarget } from '../plan/scope.ts';
import { planSort } from '../plan/sort.ts';
import { NO_VALUE } from '../plan/variable.ts';
import { orderJoins, orderTerms } from './clause.ts';
import { conditionSql, recordJson, rowRule } from './expression.ts';
import { anyKeyCondition, columnNamed, keyCondition, tableSql, whereSql } from './table.ts';

/** The rows of a collection's table in a statement. */
export interface TableRows {
  /** The table under its alias, for `FROM`. */
  readonly from: Sql;
  /** A column by its name in the table. */
  column(name: string): Sql;
  /** The condition that a row has one of some keys. */
  hasKey(keys: readonly Key[]): Sql;
}

function rowsOf(table: Table): TableRows {
  return {
    from: tableSql(table),
    column: (name) => columnNamed(table, name),
    hasKey: (keys) => anyKeyCondition(table, keys),
  };
}

/** The rows that a caller may read. */
export interface ReadableRows extends TableRows {
  /** A WHERE clause that selects them by further conditions. */
  where(conditions: readonly Sql[]): Sql;
  /** The condition that selects them; null: all rows. */
  readonly condition: Sql | null;
  /** The terms of the requested order. */
  readonly order: readonly Sql[];
}

/**
 * The rows that a caller may read and that meet a filter.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export function readableRows(
  target: ReadTarget,
  { filter, sort }: Pick<Query, 'filter' | 'sort'> = { filter: null, sort: [] },
): ReadableRows {
  const context = contextOf(target, { usesPlaceholders: false });
  const scope = openScope(context, target.collection);
  const asked = filter === null ? [] : [planFilter(scope, filter)];
  const order = sort.length === 0 ? null : planSort(scope, { sort, alias: new Map() });
  planRights(context);
  const { table } = scope;
  const own = [...asked.map((condition) => conditionSql(condition, false)), rowRule(table)];
  const stated = own.filter((condition) => condition !== null);
  return {
    ...rowsOf(table),
    from: sql`${tableSql(table)}${order === null ? empty : orderJoins(order)}`,
    where: (conditions) => whereSql([...conditions, ...own]),
    condition: stated.length === 0 ? null : sql`(${join(stated, ' AND ')})`,
    // The reader of the rows breaks ties.
    order: order === null ? [] : orderTerms(order).slice(0, sort.length),
  };
}

/**
 * All rows, and for each row whether each of some rules holds.
 * @param source a row source that replaces the collection's table; null: the table itself
 */
export function rowsWithRuleResults(
  target: ReadTarget,
  rules: readonly Filter[],
  now = new Date(),
  source: Sql | null = null,
): TableRows & { readonly table: Table; readonly verdicts: readonly Sql[] } {
  const context = contextOf({ ...target, grants: ALL_GRANTS }, { usesPlaceholders: false, now });
  const scope = openScope(context, target.collection, source);
  const verdicts = rules.map((rule) => {
    const condition = planRule(scope, rule);
    return sql`(${conditionSql(condition, false)}) IS TRUE`;
  });
  return { ...rowsOf(scope.table), table: scope.table, verdicts };
}

/**
 * The rows of a table `t` for which at least one rule of each list holds.
 * @param now the time for rules; null in a statement that callers with the same permissions share
 * at any time
 */
export function permittedChangeRows(
  target: ReadTarget,
  rules: readonly (readonly Filter[])[],
  now: Date | null = null,
): {
  /** Null: all rows. */
  readonly condition: Sql | null;
  /** Whether rules read other rows than these. */
  readonly reaches: boolean;
  /** The statement may be cached for other callers. */
  readonly reusable: boolean;
} {
  if (rules.length === 0) return { condition: null, reaches: false, reusable: true };
  const context = contextOf(
    { ...target, grants: ALL_GRANTS },
    { usesPlaceholders: now === null, ...(now === null ? {} : { now }) },
  );
  const opened = openScope(context, target.collection);
  const scope = { ...opened, table: { ...opened.table, alias: 't' } };
  const lists = rules.map((list) => {
    const tests = list.map((rule) => sql`(${conditionSql(planRule(scope, rule), true)}) IS TRUE`);
    return sql`(${join(tests, ' OR ')})`;
  });
  const { aliases, volatile } = context.notes;
  return { condition: join(lists, ' AND '), reaches: aliases > 1, reusable: !volatile };
}

/**
 * The value of a variable with a path, as JSON, regardless of the caller's permissions; null
 * without a record.
 * @throws ServiceError when the path cannot be resolved
 */
export function callerRecord(target: ReadTarget, path: string): Sql {
  const context = contextOf({ ...target, grants: ALL_GRANTS }, { usesPlaceholders: false });
  const found = resolveRecordPath(context, path, path);
  return found === NO_VALUE ? sql`NULL::json` : recordJson(found);
}

/** The item of a key; without a key the first one, for a singleton. */
function choice(table: Table, key: Key | null): Sql {
  if (key !== null) return sql` WHERE ${keyCondition(table, key)}`;
  const columns = table.collection.primaryKey.map(({ column }) =>
    identifier(table.alias, column.name),
  );
  const order = columns.length === 0 ? sql`` : sql` ORDER BY ${join(columns)}`;
  return sql`${order} LIMIT 1`;
}

/** One row with the JSON text of a list, true or false for each rule; no row without the item. */
export function compileRuleResults(
  target: ReadTarget,
  key: Key | null,
  rules: readonly Filter[],
): Statement {
  const { table, from, verdicts } = rowsWithRuleResults(target, rules);
  return render(
    sql`SELECT to_json(ARRAY[${join(verdicts)}]::boolean[])::text FROM ${from}${choice(table, key)}`,
  );
}
