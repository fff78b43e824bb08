/**
 * Plans the level at the root of a statement: each row with its related items, or, where that
 * would scan a table for each of them, all rows first and then the related items of all.
 */
import { empty, sql } from '#core/database/sql.ts';
import { levelConditions, limitSql, planLevel } from './level.ts';
import { Page, POSITION } from './page.ts';
import { rowShape } from './row.ts';
import { type PlanLevel, type Scope, tableSql, whereSql } from './scope.ts';
import { compileSelection } from './select.ts';
import { compileSort } from './sort.ts';

const planPage: PlanLevel = (scope, level, conditions, { ordered = true } = {}) => {
  const where = whereSql([...conditions, ...levelConditions(scope, level)]);
  const page = new Page(scope);
  const selected = compileSelection(scope, level, page);
  const { columns, json } = rowShape(selected.values, scope);
  const order = ordered ? compileSort(scope, level) : { joins: empty, orderBy: empty };
  const rows = sql`SELECT ${page.columns} FROM ${tableSql(scope)}${order.joins}${where}${order.orderBy}${limitSql(level)}`;
  const numbered = sql`SELECT p.*, row_number() OVER () AS ${POSITION} FROM (${rows}) AS p`;
  const orderBy = ordered ? sql` ORDER BY ${page.name}.${POSITION}` : empty;
  return {
    columns: selected.columns,
    rows: sql`${page.with(ordered ? numbered : rows)} SELECT ${columns} FROM ${page.from}${orderBy}`,
    json,
  };
};

/** The same scope for a plan in which the levels that take scans are read at once. */
function inBatches(scope: Scope): Scope {
  const { context } = scope;
  let fields = 0;
  const countFields = (more: number) => {
    fields += more;
    return fields;
  };
  return {
    ...scope,
    context: { ...context, batches: context.scans, scans: new Set(), countFields },
  };
}

/**
 * Plans the root.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export const planRoot: PlanLevel = (scope, level, conditions, options) => {
  const plan = planLevel(scope, level, conditions, options);
  if (scope.context.scans.size === 0) return plan;
  return planPage(inBatches(scope), level, conditions, options);
};
