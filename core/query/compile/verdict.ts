/** Compiles the question which of several rules hold for an item as it is. */
import { ALL_GRANTS } from '#core/access/grants.ts';
import { identifier, join, render, type Sql, type Statement, sql } from '#core/database/sql.ts';
import type { Key } from '../key.ts';
import type { Filter } from '../query.ts';
import { keyCondition } from './key.ts';
import { contextOf, type ReadTarget } from './read.ts';
import { openScope, ruleSql, type Scope, tableSql } from './scope.ts';

/** The item of a key; without a key the first one, as of a singleton. */
function choice(scope: Scope, key: Key | null): Sql {
  if (key !== null) return sql` WHERE ${keyCondition(scope, key)}`;
  const columns = scope.collection.primaryKey.map(({ column }) =>
    identifier(scope.alias, column.name),
  );
  const order = columns.length === 0 ? sql`` : sql` ORDER BY ${join(columns)}`;
  return sql`${order} LIMIT 1`;
}

/** One row with the JSON text of a list, true or false for each rule; no row without the item. */
export function compileVerdicts(
  target: ReadTarget,
  key: Key | null,
  rules: readonly Filter[],
): Statement {
  const notes = { reusable: false, columns: [] };
  const context = contextOf({ ...target, grants: ALL_GRANTS }, { backlink: true }, notes);
  const scope = openScope(context, target.collection);
  const verdicts = rules.map((rule) => sql`(${ruleSql(scope, rule)}) IS TRUE`);
  return render(
    sql`SELECT to_json(ARRAY[${join(verdicts)}]::boolean[])::text FROM ${tableSql(scope)}${choice(scope, key)}`,
  );
}
