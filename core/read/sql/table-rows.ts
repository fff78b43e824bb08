/** Tables in statements of others, under the rights of a caller. */
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
  /** Whether a row has one of some keys. */
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
  /** A clause that holds for them and meets further conditions. */
  where(conditions: readonly Sql[]): Sql;
  /** What holds for them; null: nothing is asked of them. */
  readonly condition: Sql | null;
  /** The terms of the order that was asked. */
  readonly order: readonly Sql[];
}

/**
 * The rows that a caller may read, and of these the ones that meet a filter.
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
    // Ties are broken by whoever reads the rows.
    order: order === null ? [] : orderTerms(order).slice(0, sort.length),
  };
}

/**
 * All rows, and for each of some rules whether it holds for a row.
 * @param source what stands in the place of the collection's table; null: the table itself
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
 * The rows of a table `t` for which, of each of some lists, one of the rules holds.
 * @param now the time that rules speak of; null in a statement that serves everybody with the same
 *   rights, whenever it runs
 */
export function permittedChangeRows(
  target: ReadTarget,
  rules: readonly (readonly Filter[])[],
  now: Date | null = null,
): {
  /** Null: all rows. */
  readonly condition: Sql | null;
  /** Whether rules look at other rows than these. */
  readonly reaches: boolean;
  /** The statement may be kept for others. */
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
 * What a variable with a path leads to, as JSON, whatever the caller may see; null without a record.
 * @throws ServiceError when it leads nowhere
 */
export function callerRecord(target: ReadTarget, path: string): Sql {
  const context = contextOf({ ...target, grants: ALL_GRANTS }, { usesPlaceholders: false });
  const found = resolveRecordPath(context, path, path);
  return found === NO_VALUE ? sql`NULL::json` : recordJson(found);
}

/** The item of a key; without a key the first one, as of a singleton. */
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
