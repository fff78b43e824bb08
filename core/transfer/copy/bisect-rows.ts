/**
 * Splits the rows of a staging table into ranges, to find the rows that a bulk operation rejects.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import { STAGING } from './staging-table.ts';

/** The number of rows to remove per statement. */
const REMOVED_AT_ONCE = 20_000;

/** Rows of the staging table by number, both inclusive. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export async function countRows(connection: ImportConnection): Promise<number> {
  return await connection.number(sql`SELECT count(*) FROM ${STAGING}`);
}

/** Removes rows by their numbers. @returns how many existed */
export async function removeRows(
  connection: ImportConnection,
  rows: readonly number[],
): Promise<number> {
  let removed = 0;
  for (let from = 0; from < rows.length; from += REMOVED_AT_ONCE) {
    const some = rows.slice(from, from + REMOVED_AT_ONCE);
    const { rowCount } = await connection.run(
      sql`DELETE FROM ${STAGING} WHERE "row" = ANY (${some}::int8[])`,
    );
    removed += rowCount ?? 0;
  }
  return removed;
}

/** A single rejected row. */
export interface RefusedRow<T> {
  readonly row: number;
  readonly failure: T;
}

/**
 * Tries ranges of rows, halved repeatedly until each is accepted or is a single row.
 * @param attempt returns null when it accepts the range; `rows` is its number of rows
 * @param table has a column "row"; the staging table by default
 */
export async function bisectRows<T>(
  connection: ImportConnection,
  attempt: (range: RowRange, rows: number) => Promise<T | null>,
  table: Sql = STAGING,
): Promise<RefusedRow<T>[]> {
  await connection.run(sql`CREATE INDEX ON ${table} ("row"); ANALYZE ${table} ("row")`);
  const { rows: found } = await connection.run(
    sql`SELECT min("row") AS "first", max("row") AS "last" FROM ${table}`,
  );
  const refused: RefusedRow<T>[] = [];
  const parts: RowRange[] = [{ first: Number(found[0]?.first), last: Number(found[0]?.last) }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { first, last } = part;
    const rows = await connection.number(
      sql`SELECT count(*) FROM ${table} WHERE "row" BETWEEN ${first} AND ${last}`,
    );
    if (rows === 0) continue;
    const failure = await attempt(part, rows);
    if (failure === null) continue;
    const middle = Math.floor((first + last) / 2);
    if (first === last) refused.push({ row: first, failure });
    else parts.push({ first: middle + 1, last }, { first, last: middle });
  }
  return refused;
}
