/**
 * Plans related items for all their parents at once, grouped by whose they are. So a table that
 * no index serves is read once in a statement, not once for each parent.
 */
import { empty, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Level } from '../query.ts';
import { type Aggregation, compileAggregation } from './aggregate.ts';
import { isAggregated, levelConditions } from './level.ts';
import { ownerNames, Page, POSITION } from './page.ts';
import { rowShape } from './row.ts';
import {
  type Batch,
  type BatchPlan,
  isAboveBatch,
  type PlanBatch,
  type Scope,
  tableSql,
  whereSql,
} from './scope.ts';
import { compileSelection } from './select.ts';
import { compileSort } from './sort.ts';

function ownersSql(batch: Batch): Sql {
  const names = ownerNames(batch.owner.length);
  return join(batch.owner.map((column, index) => sql`${column} AS ${names[index]}`));
}

/** `GROUP BY` the first columns of the select. */
function groupBy(batch: Batch): Sql {
  return sql` GROUP BY ${join(batch.owner.map((_, index) => raw(String(index + 1))))}`;
}

function whereOf(scope: Scope, level: Level, batch: Batch): Sql {
  const owned = sql`(${join(batch.owner)}) IN (${batch.keys})`;
  return whereSql([owned, ...levelConditions(scope, level)]);
}

/** Limit and offset of each parent's items, by their positions. */
function range(position: Sql, level: Level): Sql {
  const { limit, offset } = level;
  return whereSql([
    offset === 0 ? null : sql`${position} > ${offset}::int8`,
    limit === null ? null : sql`${position} <= ${offset + limit}::int8`,
  ]);
}

/** A name that no column of the scope's table has. */
function freeName(scope: Scope): Sql {
  const taken = new Set(scope.collection.table?.columns.map((column) => column.name));
  let name = 'position';
  while (taken.has(name)) name += '_';
  return raw(name);
}

/** Where the rows come from, under the alias of the scope, and where they stand in their order. */
interface Source {
  readonly from: Sql;
  readonly where: Sql;
  readonly position: Sql | null;
}

function sourceOf(scope: Scope, level: Level, batch: Batch): Source {
  const where = whereOf(scope, level, batch);
  if (batch.single) return { from: tableSql(scope), where, position: null };
  const alias = raw(scope.alias);
  const name = freeName(scope);
  const position = sql`${alias}.${name}`;
  const { joins, orderBy } = compileSort(scope, level);
  const numbered = sql`SELECT ${alias}.*, row_number() OVER (PARTITION BY ${join(batch.owner)}${orderBy}) AS ${name} FROM ${tableSql(scope)}${joins}${where}`;
  return { from: sql`(${numbered}) AS ${alias}`, where: range(position, level), position };
}

function batchValue(batch: Batch, json: Sql, position: Sql | null): Sql {
  const member = batch.member(json);
  return position === null ? member : sql`json_agg(${member} ORDER BY ${position})`;
}

/** Items without anything below them that has to be read at once as well. */
function planLeaf(scope: Scope, level: Level, batch: Batch): BatchPlan {
  const selected = compileSelection(scope, level, null);
  const { columns, json } = rowShape(selected.values, scope);
  const { from, where, position } = sourceOf(scope, level, batch);
  const value = batchValue(batch, json, position);
  const group = position === null ? empty : groupBy(batch);
  return {
    columns: selected.columns,
    sql: sql`SELECT ${ownersSql(batch)}, ${value} AS value FROM ${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${where}${group}`,
  };
}

function planPage(scope: Scope, level: Level, batch: Batch): BatchPlan {
  const page = new Page(scope);
  const selected = compileSelection(scope, level, page);
  const { columns, json } = rowShape(selected.values, scope);
  const { from, where, position } = sourceOf(scope, level, batch);
  const numbered = position === null ? empty : sql`, ${position} AS ${POSITION}`;
  const rows = sql`SELECT ${ownersSql(batch)}, ${page.columns}${numbered} FROM ${from}${where}`;
  const owners = ownerNames(batch.owner.length).map((name) => sql`${page.name}.${name}`);
  const value = batchValue(batch, json, position && sql`${page.name}.${POSITION}`);
  const group = position === null ? empty : groupBy(batch);
  return {
    columns: selected.columns,
    sql: sql`${page.with(rows)} SELECT ${join(owners)}, ${value} AS value FROM ${page.from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${group}`,
  };
}

/** What aggregates give where a parent has no items; null when they then give no rows. */
function nothing(scope: Scope, level: Level, plan: Aggregation): Sql | null {
  if (level.groupBy.length > 0) return null;
  const { columns, json } = rowShape(plan.values, scope);
  const limit = level.limit === null ? empty : sql` LIMIT ${level.limit}::int8`;
  const rows = sql`SELECT ${columns} FROM ${tableSql(scope)}${plan.joins} WHERE FALSE${limit} OFFSET ${level.offset}::int8`;
  return sql`(SELECT coalesce(json_agg(${json}), '[]') FROM (${rows}) AS r)`;
}

function planAggregation(scope: Scope, level: Level, batch: Batch): BatchPlan {
  const plan = compileAggregation(scope, level);
  const alias = raw(scope.context.nextAlias());
  const entries = [...plan.values];
  const kept = entries.map(([, value], index) => sql`, ${value} AS ${raw(`c${index}`)}`);
  const { columns, json } = rowShape(
    new Map(entries.map(([key], index) => [key, sql`${alias}.${raw(`c${index}`)}`])),
    scope,
  );
  const owner = join(batch.owner);
  const groups = plan.groups.length === 0 ? owner : sql`${owner}, ${join(plan.groups)}`;
  const where = whereOf(scope, level, batch);
  const rows = sql`SELECT ${ownersSql(batch)}, row_number() OVER (PARTITION BY ${owner}${plan.orderBy}) AS ${POSITION}${join(kept, '')} FROM ${tableSql(scope)}${plan.joins}${where} GROUP BY ${groups}`;
  const position = sql`${alias}.${POSITION}`;
  const owners = ownerNames(batch.owner.length).map((name) => sql`${alias}.${name}`);
  const value = batchValue(batch, json, position);
  return {
    columns: [],
    nothing: nothing(scope, level, plan),
    sql: sql`SELECT ${join(owners)}, ${value} AS value FROM (${rows}) AS ${alias} CROSS JOIN LATERAL (SELECT ${columns}) AS r${range(position, level)}${groupBy(batch)}`,
  };
}

/**
 * Plans the related items of all parents.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export const planBatch: PlanBatch = (scope, level, batch) => {
  if (isAggregated(level)) return planAggregation(scope, level, batch);
  return isAboveBatch(scope) ? planPage(scope, level, batch) : planLeaf(scope, level, batch);
};
