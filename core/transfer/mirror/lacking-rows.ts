/**
 * The rows that a mirror deletes: those whose key the file lacks, as far as the sender may read and
 * delete them. They are found before the merge, so that no row of the file is among them.
 */
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type { Filter } from '#core/query/query.ts';
import { rowsWithRuleResults } from '#core/read/sql/table-rows.ts';
import { coveringPermissions, requireAction } from '#core/write/check-permissions.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { refreshStatistics } from '../copy/refresh-statistics.ts';
import { STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import type { ImportRun } from '../run/import-run.ts';

/** The keys of the rows, numbered in their order. */
export const LACKING: Sql = identifier('pg_temp', 'sluice_lacking');

/** A column of it. */
export function lackingKey(place: number): Sql {
  return identifier(`k${place}`);
}

/** The refusal of a mirror. */
export function mirrorRefused({ target }: ImportRun, why: ReturnType<typeof reason>): ServiceError {
  const { name: collection } = target.collection;
  return new ServiceError('UNPROCESSABLE_ENTITY', { collection, reason: why });
}

/** The rules that must hold for a row: one of each list; null when no row may be deleted. */
function neededRules({ target, collection }: WriteContext): readonly (readonly Filter[])[] | null {
  const lists = (['read', 'delete'] as const).map((action) =>
    coveringPermissions(target.rights.of(collection.name, action), []),
  );
  const known = lists.flatMap((list) => list ?? []);
  if (lists.includes(null)) return null;
  return known.map((list) => list.flatMap(({ rule }) => (rule === null ? [] : [rule])));
}

/** The rows that lack in the file, with their keys as texts. */
function lackingRows({ write, target }: ImportRun, { columns }: Staged): Sql {
  const lists = neededRules(write);
  const rules = [...new Set((lists ?? []).flat())];
  const table = rowsWithRuleResults(
    { ...write.target, collection: write.collection.name },
    rules,
    write.now,
  );
  const isAllowed = (lists ?? [[]]).map((list) => {
    const holds = list.map((rule) => table.verdicts[rules.indexOf(rule)] ?? sql`FALSE`);
    return holds.length === 0 ? sql`FALSE` : sql`(${join(holds, ' OR ')})`;
  });
  const same = target.key.map(({ name }) => {
    const place = columns.findIndex((column) => column.name === name);
    return sql`s.${stagingColumn(place)} = ${table.column(name)}`;
  });
  // A row without a value in the key can be in no file.
  const isKeyed = target.key.map(({ name }) => sql`${table.column(name)} IS NOT NULL`);
  const key = write.collection.primaryKey.map(({ name }) => table.column(name));
  const texts = key.map((column, place) => sql`${column}::text AS ${lackingKey(place)}`);
  const conditions = [...isKeyed, ...isAllowed];
  return sql`SELECT row_number() OVER (ORDER BY ${join(key)}) AS "n", ${join(texts)}
    FROM ${table.from} WHERE ${join(conditions, ' AND ')}
      AND NOT EXISTS (SELECT FROM ${STAGING} s WHERE ${join(same, ' AND ')})`;
}

/**
 * Finds the rows that the file lacks, and locks the table against other writers until the import
 * ends: rows that others insert meanwhile stay.
 * @throws {ServiceError} FORBIDDEN when the sender may delete nothing, UNPROCESSABLE_ENTITY for a
 *   file without rows
 */
export async function findLackingRows(run: ImportRun, staged: Staged): Promise<void> {
  const { connection, target, rejected, write } = run;
  requireAction(write, 'delete');
  if (staged.rows === 0 && (rejected?.rows ?? 0) === 0) {
    throw mirrorRefused(run, reason('mirror_file_without_rows'));
  }
  await refreshStatistics(run);
  await connection.run(sql`LOCK TABLE ${target.name} IN SHARE ROW EXCLUSIVE MODE`);
  await connection.run(sql`CREATE TEMPORARY TABLE sluice_lacking ON COMMIT DROP AS
    ${lackingRows(run, staged)}`);
  await connection.run(sql`CREATE INDEX ON ${LACKING} ("n")`);
}
