/** Merges the staged rows into the table, and finds the faulty rows when the merge fails. */
import pg from 'pg';
import { sql } from '#core/database/sql.ts';
import type { RowRange } from '../copy/bisect-rows.ts';
import { refreshStatistics } from '../copy/refresh-statistics.ts';
import { STAGING, type Staged } from '../copy/staging-table.ts';
import type { RowFault } from '../file/row-fault.ts';
import { ImportRefused, type ImportRun } from '../run/import-run.ts';
import { isRowError, rowErrorFault } from '../validate/database-error.ts';
import { findFaultyRows, findInvalidKeys } from '../validate/find-faulty-rows.ts';
import { importFailureView } from '../validate/visible-faults.ts';
import { InvalidKeys, type MergeCounts, merge, removeDuplicates } from './merge-by-key.ts';
import { moveSequences } from './move-sequences.ts';

/** Removes staged duplicates. @returns how many were removed */
export async function removeStagedDuplicates(run: ImportRun, staged: Staged): Promise<number> {
  if (staged.distinct) return 0;
  return await removeDuplicates(run.connection, run.target, staged.columns);
}

/** Prepares staged rows for the merge. @returns how many duplicates were removed */
export async function prepareStaged(run: ImportRun, staged: Staged): Promise<number> {
  await refreshStatistics(run);
  const duplicates = await removeStagedDuplicates(run, staged);
  await run.options.failpoint('import.staged');
  return duplicates;
}

async function refusalOf(
  run: ImportRun,
  staged: Staged,
  range: RowRange,
): Promise<pg.DatabaseError | null> {
  const { connection, target } = run;
  await connection.run(sql`SAVEPOINT probe`);
  try {
    const rows = await connection.number(
      sql`SELECT count(*) FROM ${STAGING} s WHERE s."row" BETWEEN ${range.first} AND ${range.last}`,
    );
    await merge({ connection, target, staged, range, rows });
    return null;
  } catch (error) {
    if (!isRowError(error)) throw error;
    return error;
  } finally {
    if (!connection.signal.aborted) await connection.run(sql`ROLLBACK TO SAVEPOINT probe`);
  }
}

/**
 * Finds the first row that the table rejects, by bisection: for faults that only the database can
 * detect, such as an exception of a trigger.
 */
async function search(
  run: ImportRun,
  staged: Staged,
  failure: pg.DatabaseError,
): Promise<RowFault> {
  let first = 1;
  let last = await run.connection.number(sql`SELECT max(s."row") FROM ${STAGING} s`);
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    if ((await refusalOf(run, staged, { first, last: middle })) === null) first = middle + 1;
    else last = middle;
  }
  const found = await refusalOf(run, staged, { first, last });
  return rowErrorFault(found ?? failure, importFailureView(run.options), {
    row: found === null ? null : first,
  });
}

/**
 * The error of a failed merge. The cause is unknown if rows lacked an item that another transaction
 * now inserts.
 */
async function blame(
  run: ImportRun,
  staged: Staged,
  failure: pg.DatabaseError | InvalidKeys,
): Promise<Error> {
  const isRefusal = failure instanceof pg.DatabaseError;
  const [first, ...rest] = await findFaultyRows(run, staged, {
    limit: run.options.errorLimit,
    sqlstate: isRefusal ? failure.code : undefined,
  });
  if (first !== undefined) return new ImportRefused(first, ...rest);
  return isRefusal ? new ImportRefused(await search(run, staged, failure)) : failure;
}

/** Merges the staged rows. @throws {ImportRefused} */
export async function mergeStaged(run: ImportRun, staged: Staged): Promise<MergeCounts> {
  const { connection, target, options } = run;
  if ((await findInvalidKeys(run, staged, 1)).length > 0)
    throw await blame(run, staged, new InvalidKeys());
  await connection.run(sql`SAVEPOINT settle`);
  try {
    const counts = await merge({ connection, target, staged, rows: staged.rows });
    await options.failpoint('import.merging');
    await moveSequences(connection, target, staged.columns, STAGING);
    return counts;
  } catch (error) {
    if (!(error instanceof InvalidKeys) && !isRowError(error)) throw error;
    await connection.run(sql`ROLLBACK TO SAVEPOINT settle`);
    throw await blame(run, staged, error);
  }
}
