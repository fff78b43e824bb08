/**
 * Hashes the secrets of staged rows. Hashing is slow on purpose, so their number per file is
 * limited.
 */

import { reason } from '#core/base/errors/reason.ts';
import { join, raw, type Sql, sql } from '#core/database/sql.ts';
import { hasSecrets } from '#core/write/special-flags.ts';
import { STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import type { FileColumn } from '../file/file-column.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';

/** The maximum number of secrets per file. */
export const SECRETS_MAX = 1_000;
/** The number of secrets to hash at the same time. */
const AT_ONCE = 4;

/** A column of secrets, with its index. */
interface SecretColumn {
  readonly name: string;
  readonly place: number;
  /** Whether its hashes are stored as JSON texts. */
  readonly isJson: boolean;
}

export function secretColumns(columns: readonly FileColumn[]): SecretColumn[] {
  return columns.flatMap(({ name, field }, place) =>
    hasSecrets(field) ? [{ name, place, isJson: field.type === 'json' }] : [],
  );
}

/** The secrets in the order of the rows, as `row`, `place` and `secret`. */
function secretsOf(columns: readonly SecretColumn[]): Sql {
  const lists = columns.map(({ place }) => {
    const secret = sql`s.${stagingColumn(place)}`;
    return sql`SELECT s."row", ${raw(String(place))} AS "place", ${secret}::text AS "secret"
      FROM ${STAGING} s WHERE ${secret} IS NOT NULL`;
  });
  return sql`(${join(lists, ' UNION ALL ')}) h`;
}

/** The rows with secrets beyond the limit. */
export async function findSurplusSecrets(
  { connection }: ImportRun,
  staged: Staged,
  limit: number,
): Promise<RowFault[]> {
  const columns = secretColumns(staged.columns);
  if (columns.length === 0) return [];
  const { rows } = await connection.run(sql`SELECT h."row", h."place" FROM ${secretsOf(columns)}
    ORDER BY 1, 2 OFFSET ${SECRETS_MAX} LIMIT ${limit}`);
  const names = new Map(columns.map(({ name, place }) => [place, name]));
  return rows.map(({ row, place }) => ({
    row: Number(row),
    field: names.get(Number(place)) ?? null,
    value: null,
    code: 'INVALID_PAYLOAD',
    reason: reason('too_many_secrets_in_file', { limit: SECRETS_MAX }),
  }));
}

/** Replaces secrets by their hashes. */
export async function hashStaged(run: ImportRun, staged: Staged): Promise<void> {
  const columns = secretColumns(staged.columns);
  if (columns.length === 0) return;
  const { connection, options } = run;
  const { rows } = await connection.run(
    sql`SELECT h."row", h."place", h."secret" FROM ${secretsOf(columns)} ORDER BY 2, 1`,
  );
  const hashes: string[] = [];
  for (let first = 0; first < rows.length; first += AT_ONCE) {
    options.signal.throwIfAborted();
    const batch = rows.slice(first, first + AT_ONCE);
    hashes.push(
      ...(await Promise.all(batch.map(({ secret }) => options.sender.hash(String(secret))))),
    );
  }
  for (const { place, isJson } of columns) {
    const textOf = (hash = '') => (isJson ? JSON.stringify(hash) : hash);
    const own = rows.flatMap((row, index) => (Number(row.place) === place ? [index] : []));
    await connection.run(sql`UPDATE ${STAGING} s SET ${stagingColumn(place)} = u."hash"
      FROM unnest(${own.map((index) => String(rows[index]?.row))}::int8[],
        ${own.map((index) => textOf(hashes[index]))}::text[]) AS u("row", "hash")
      WHERE u."row" = s."row"`);
  }
}
