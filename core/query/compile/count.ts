/** Counts the related items of rows: of each row, or of all rows at once. */
import type { ToMany } from '#core/catalog/relation.ts';
import { join, raw, type Sql, sql } from '#core/database/sql.ts';
import { ownerNames } from './page.ts';
import {
  childrenMatch,
  enterScope,
  guarded,
  rowRule,
  type Scope,
  tableSql,
  whereSql,
} from './scope.ts';

/**
 * How many items of a list the caller sees, for a row of the scope.
 * @throws ServiceError FORBIDDEN when none of them may be seen
 */
export function relatedCount(scope: Scope, relation: ToMany): Sql {
  const child = enterScope(scope, relation, relation.many.collection, relation.field);
  const where = whereSql([childrenMatch(scope, child, relation), rowRule(child)]);
  const count = sql`(SELECT count(*)::int8 FROM ${tableSql(child)}${where})`;
  return guarded(scope, relation.field, count);
}

/**
 * A select of how many items there are for each owner, with the columns of {@link ownerNames} and
 * `value`.
 * @param keys a select of the owners that are wanted; null: all
 */
export function countsByOwner(child: Scope, owner: readonly Sql[], keys: Sql | null): Sql {
  const names = ownerNames(owner.length);
  const columns = owner.map((column, index) => sql`${column} AS ${names[index]}`);
  const wanted = keys === null ? null : sql`(${join(owner)}) IN (${keys})`;
  const groups = owner.map((_, index) => raw(String(index + 1)));
  const where = whereSql([wanted, rowRule(child)]);
  return sql`SELECT ${join(columns)}, count(*)::int8 AS value FROM ${tableSql(child)}${where} GROUP BY ${join(groups)}`;
}
