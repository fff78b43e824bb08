/** The schema of the system tables, statements in it, and keys of one column, for writes to system collections. */
import { strict as assert } from 'node:assert';
import { render, type Sql } from '#core/database/sql.ts';
import type { WriteContext } from '#core/write/write-context.ts';

/** The schema of the system tables. */
export function systemSchemaOf({ collection }: WriteContext): string {
  assert(collection.system && collection.table !== null);
  return collection.table.schema;
}

/** Runs statements in the transaction of a write. */
export function queryInTransaction({ client }: WriteContext) {
  return async <Row extends object>(statement: Sql): Promise<readonly Row[]> =>
    (await client.query<Row>(render(statement))).rows;
}

/** The keys of system collections have one column. */
export function singleKeys(keys: readonly (readonly string[])[]): string[] {
  return keys.flatMap(([key]) => key ?? []);
}
