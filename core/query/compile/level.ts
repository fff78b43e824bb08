/** Puts the clauses of one level together: the rows of the root, or those of a relation. */
import { join, type Sql, sql } from '#core/database/sql.ts';
import type { Level } from '../query.ts';
import { compileAggregation } from './aggregate.ts';
import { compileFilter } from './filter.ts';
import { rowShape } from './row.ts';
import {
  type LevelPlan,
  type PlanLevel,
  rowRule,
  type Scope,
  tableSql,
  whereSql,
} from './scope.ts';
import { compileSearch } from './search.ts';
import { compileSelection } from './select.ts';
import { compileSort } from './sort.ts';

/** The rows that a level is about, before limits: rule, filter and search. */
export function levelConditions(scope: Scope, level: Level): (Sql | null)[] {
  return [
    rowRule(scope),
    level.filter === null ? null : compileFilter(scope, level.filter),
    level.search === null ? null : compileSearch(scope, level.search),
  ];
}

/** Whether a level is answered by groups of its items rather than by them. */
export function isAggregated(level: Level): boolean {
  return level.aggregate.length > 0 || level.groupBy.length > 0;
}

export function limitSql(level: Level): Sql {
  const limit = level.limit === null ? sql`` : sql` LIMIT ${level.limit}::int8`;
  return level.offset === 0 ? limit : sql`${limit} OFFSET ${level.offset}::int8`;
}

function planAggregation(scope: Scope, level: Level, where: Sql): LevelPlan {
  const { values, joins, groups, orderBy } = compileAggregation(scope, level);
  const { columns, json } = rowShape(values, scope);
  const names = level.aggregate.map((term) =>
    term.field === '*' ? [term.aggregate] : [term.aggregate, term.field],
  );
  const named = [...values.keys()].slice(0, level.groupBy.length).map((key) => [key]);
  const groupBy = groups.length === 0 ? sql`` : sql` GROUP BY ${join(groups)}`;
  return {
    columns: [...named, ...names],
    rows: sql`SELECT ${columns} FROM ${tableSql(scope)}${joins}${where}${groupBy}${orderBy}${limitSql(level)}`,
    json,
  };
}

/**
 * Plans a level.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export const planLevel: PlanLevel = (scope, level, conditions, { ordered = true } = {}) => {
  const where = whereSql([...conditions, ...levelConditions(scope, level)]);
  if (isAggregated(level)) {
    return planAggregation(scope, level, where);
  }
  const selected = compileSelection(scope, level, null);
  const { columns, json } = rowShape(selected.values, scope);
  const order = ordered ? compileSort(scope, level) : { joins: join([]), orderBy: join([]) };
  return {
    columns: selected.columns,
    rows: sql`SELECT ${columns} FROM ${tableSql(scope)}${order.joins}${where}${order.orderBy}${limitSql(level)}`,
    json,
  };
};
