/** Deletes the rows that a mirrored file lacks, by the path of all deletions. */
import { reason } from '#core/base/errors/reason.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { deleteItems } from '#core/write/delete.ts';
import { itemText } from '#core/write/history/history.ts';
import { cascadesOf } from '#core/write/record-cascades.ts';
import type { ImportOptions, ImportResult } from '../run/import-options.ts';
import type { ImportRun } from '../run/import-run.ts';
import { LACKING, lackingKey, mirrorRefused } from './lacking-rows.ts';

/** Rows that are deleted at once. */
const BATCH = 5_000;
/** Most keys that a dry run names. */
const NAMED_MAX = 100;

type Mirrored = Pick<ImportResult, 'deleted' | 'not_deleted' | 'deleted_keys'>;

/** The keys of lacking rows. */
async function keysOf(
  { connection, write }: ImportRun,
  first: number,
  last: number,
): Promise<string[][]> {
  const names = write.collection.primaryKey.map((_, place) => lackingKey(place));
  const { rows } = await connection.run(
    sql`SELECT ${join(names)} FROM ${LACKING} WHERE "n" BETWEEN ${first} AND ${last} ORDER BY "n"`,
  );
  return rows.map((row) => Object.values(row).map(String));
}

/** Whether the sender may read the keys of all rows that it may read. */
function mayReadKeys({ write: { collection, target } }: ImportRun): boolean {
  const names = collection.primaryKey.map(({ name }) => name);
  return target.rights
    .of(collection.name, 'read')
    .every(({ fields }) => fields === null || names.every((name) => fields.has(name)));
}

async function named(run: ImportRun): Promise<Pick<Mirrored, 'deleted_keys'>> {
  if (!mayReadKeys(run)) return {};
  return { deleted_keys: (await keysOf(run, 1, NAMED_MAX)).map(itemText) };
}

/** Whether rows of the table refer to others of it, so that their order matters. */
function refersToItself({ target: { table } }: ImportRun): boolean {
  return table.foreignKeys.some(
    (key) => key.targetSchema === table.schema && key.targetTable === table.name,
  );
}

async function deleteAll(
  run: ImportRun,
  rows: number,
  { history, listeners }: NonNullable<ImportOptions['deletions']>,
): Promise<void> {
  const { connection, options } = run;
  const write = { ...run.write, history, listeners };
  const size = refersToItself(run) ? rows : BATCH;
  for (let first = 1; first <= rows; first += size) {
    const keys = await keysOf(run, first, first + size - 1);
    // A trigger of the merge may have deleted some.
    await connection.work(() => deleteItems(write, keys, history, { mayBeGone: true }));
    await connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
    await options.failpoint('import.deleting');
  }
}

/** Runs a deletion; no other row of the table may go with the deleted ones. */
async function withoutOthers(run: ImportRun, rows: number, work: () => Promise<void>) {
  const { connection, target, write } = run;
  const cascades = cascadesOf(write.target.catalog, write.collection);
  if (!cascades.some(({ child }) => child.name === write.collection.name)) return await work();
  const count: Sql = sql`SELECT count(*) FROM ${target.name}`;
  const before = await connection.number(count);
  await work();
  const others = before - rows - (await connection.number(count));
  if (others > 0) throw mirrorRefused(run, reason('mirror_deletes_other_rows', { others }));
}

/**
 * Deletes the rows that the file lacks, unless a row was rejected. Without `max_deletes` it only
 * counts and names them.
 * @throws {ServiceError} UNPROCESSABLE_ENTITY for more rows than `max_deletes`; FORBIDDEN,
 *   INVALID_FOREIGN_KEY as for any deletion
 */
export async function deleteLackingRows(
  run: ImportRun,
  { failed }: Pick<ImportResult, 'failed'>,
): Promise<Mirrored> {
  const { connection, options } = run;
  const { maxDeletes: limit, dryRun } = options.parameters;
  const rows = await connection.number(sql`SELECT count(*) FROM ${LACKING}`);
  if (failed > 0) return { deleted: 0, not_deleted: rows };
  const keys = dryRun === true || limit === undefined ? await named(run) : {};
  if (limit === undefined) return { deleted: rows, ...keys };
  if (rows > limit) {
    throw mirrorRefused(run, reason('mirror_too_many_deletes', { count: rows, limit }));
  }
  const { deletions } = options;
  if (deletions === undefined) throw new Error('a mirror has a history of its deletions');
  if (rows > 0) await withoutOthers(run, rows, () => deleteAll(run, rows, deletions));
  return { deleted: rows, ...keys };
}
