/** SQL fragments that name a collection's table as `t` and match its rows by key. */

import { forbidden } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';

/** `schema.table AS t`. */
export function tableAliasedT({ table }: Collection): Sql {
  if (table === null) throw forbidden();
  return sql`${identifier(table.schema, table.name)} AS t`;
}

/** The columns of the primary key, each qualified with `t`. */
export function keyColumns({ primaryKey }: Collection): Sql[] {
  return primaryKey.map(({ column }) => identifier('t', column.name));
}

/** The condition that the row `t` has a given key. */
export function matchesKey(collection: Collection, key: Key): Sql {
  const tests = collection.primaryKey.map(
    ({ column }, part) =>
      sql`${identifier('t', column.name)} = ${key[part]}::text::${bareType(column)}`,
  );
  return join(tests, ' AND ');
}
