/** Predicates that address items by their key, in the columns' own types so that its index serves. */
import { bareType } from '#core/database/column-type.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { forbidden } from '#core/errors/service-error.ts';
import type { Key } from '../key.ts';
import { columnNamed, type Scope, visibleField, whereSeen } from './scope.ts';

/** The item with this key; its values, or what stands for them until they are known. */
export function keyCondition(scope: Scope, key: readonly unknown[]): Sql {
  const tests = scope.collection.primaryKey.map(
    (field, index) =>
      sql`${columnNamed(scope, field.column.name)} = ${key[index]}::${bareType(field.column)}`,
  );
  return join(tests, ' AND ');
}

/** The items with any of these keys; one array parameter for each column, however many there are. */
export function anyKeyCondition(scope: Scope, keys: readonly Key[]): Sql {
  const fields = scope.collection.primaryKey;
  if (fields.length === 0) throw forbidden();
  const arrays = fields.map(
    (field, index) => sql`${keys.map((key) => key[index])}::${bareType(field.column)}[]`,
  );
  const columns = fields.map((field) => columnNamed(scope, field.column.name));
  return columns.length === 1
    ? sql`${join(columns)} = ANY(${join(arrays)})`
    : sql`(${join(columns)}) IN (SELECT * FROM unnest(${join(arrays)}))`;
}

/**
 * A condition on keys that a caller asks by. Where the caller may not see the whole key it holds for
 * no item, as if there were none: otherwise asking would confirm hidden values.
 */
export function whereKeySeen(scope: Scope, condition: Sql): Sql {
  const names = scope.collection.primaryKey.map(({ name }) => name);
  if (names.some((name) => visibleField(scope, name) === null)) return sql`FALSE`;
  return names.reduce((inner, name) => whereSeen(scope, name, inner), condition);
}
