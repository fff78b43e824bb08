/**
 * Merges the staged rows that the table accepts, and skips the rest. It tries all rows at once,
 * then without those that violate a known constraint, and then in smaller and smaller parts.
 */
import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { sql } from '#core/database/sql.ts';
import { bisectRows, countRows, type RowRange, removeRows } from '../copy/bisect-rows.ts';
import { refreshStatistics } from '../copy/refresh-statistics.ts';
import { STAGING, type Staged } from '../copy/staging-table.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { RejectedRows } from '../run/rejected-rows.ts';
import { isRowError, rowErrorFault } from '../validate/database-error.ts';
import { findFaultyRows, findInvalidKeys } from '../validate/find-faulty-rows.ts';
import { hashStaged } from '../validate/hash-staged.ts';
import { validateRows } from '../validate/validate-rows.ts';
import { canSeeValues, forbiddenRowFault, importFailureView } from '../validate/visible-faults.ts';
import { InvalidKeys, type MergeCounts, merge, mergeOnce } from './merge-by-key.ts';
import { removeStagedDuplicates } from './merge-staged.ts';
import { moveSequences } from './move-sequences.ts';

/** The number of faults to find at once. */
const BATCH = 20_000;

type Failure = pg.DatabaseError | InvalidKeys;

function isFailure(error: unknown): error is Failure {
  return error instanceof InvalidKeys || isRowError(error);
}

/** An import that skips faulty rows. */
export interface SkippingImport extends ImportRun {
  readonly rejected: RejectedRows;
}

/** Skips the rows of the faults. */
async function reject(
  { connection, rejected }: SkippingImport,
  faults: readonly RowFault[],
): Promise<number> {
  for (const fault of faults) rejected.add(fault);
  const rows = faults.flatMap(({ row }) => (row === null ? [] : [row]));
  const removed = await removeRows(connection, [...new Set(rows)]);
  rejected.count(removed);
  return removed;
}

/** Skips rows as long as faults are found. @returns whether there were any */
export async function rejectAll(
  run: SkippingImport,
  find: (limit: number) => Promise<readonly RowFault[]>,
): Promise<boolean> {
  for (let found = false; ; found = true) {
    const faults = await find(BATCH);
    if (faults.length === 0 || (await reject(run, faults)) === 0) return found;
  }
}

/** Merges all staged rows; returns the reason when some are rejected. */
async function mergeAll(run: SkippingImport, staged: Staged): Promise<MergeCounts | Failure> {
  const { connection, target } = run;
  const rows = await countRows(connection);
  await connection.run(sql`SAVEPOINT settle`);
  try {
    return await merge({ connection, target, staged, rows });
  } catch (error) {
    if (!isFailure(error)) throw error;
    await connection.run(sql`ROLLBACK TO SAVEPOINT settle`);
    return error;
  }
}

const NO_ITEM = reason('no_item_to_update');

function faultOf({ options, target }: ImportRun, row: number, failure: Failure): RowFault {
  const view = importFailureView(options);
  if (failure instanceof pg.DatabaseError) return rowErrorFault(failure, view, { row });
  const key = target.key.map(({ name }) => name);
  if (!canSeeValues(options, key)) return forbiddenRowFault(row);
  const field = key.join(',');
  return { row, field, value: null, code: 'FAILED_VALIDATION', reason: NO_ITEM };
}

function sum(a: MergeCounts, b: MergeCounts): MergeCounts {
  return {
    inserted: a.inserted + b.inserted,
    updated: a.updated + b.updated,
    unchanged: a.unchanged + b.unchanged,
    skipped: a.skipped + b.skipped,
  };
}

/** Merges part by part, with the table locked against other writers. */
async function mergeParts(run: SkippingImport, staged: Staged): Promise<MergeCounts> {
  const { connection, target } = run;
  await connection.run(sql`LOCK TABLE ${target.name} IN SHARE ROW EXCLUSIVE MODE`);
  let counts: MergeCounts = { inserted: 0, updated: 0, unchanged: 0, skipped: 0 };
  const mergePart = async (range: RowRange, rows: number): Promise<Failure | null> => {
    await connection.run(sql`SAVEPOINT part`);
    try {
      counts = sum(counts, await mergeOnce({ connection, target, staged, range, rows }));
      await connection.run(sql`RELEASE SAVEPOINT part`);
      return null;
    } catch (error) {
      if (!isFailure(error)) throw error;
      await connection.run(sql`ROLLBACK TO SAVEPOINT part`);
      return error;
    }
  };
  let refused = await bisectRows(connection, mergePart);
  // A row may refer to a later one.
  for (let tried = Number.POSITIVE_INFINITY; refused.length < tried; ) {
    tried = refused.length;
    const still: typeof refused = [];
    for (const { row, failure } of refused) {
      const needsOthers = failure instanceof pg.DatabaseError && failure.code?.startsWith('23');
      const again = needsOthers ? await mergePart({ first: row, last: row }, 1) : failure;
      if (again !== null) still.push({ row, failure: again });
    }
    refused = still;
  }
  await reject(
    run,
    refused.map(({ row, failure }) => faultOf(run, row, failure)),
  );
  return counts;
}

/** Merges the valid rows. @throws {TooManyRejected} */
export async function mergeValidRows(
  run: SkippingImport,
  staged: Staged,
): Promise<MergeCounts & { readonly duplicates: number }> {
  const { connection, target, options } = run;
  await refreshStatistics(run);
  await rejectAll(run, (limit) => validateRows(run, staged, limit));
  await rejectAll(run, (limit) => findInvalidKeys(run, staged, limit));
  const duplicates = await removeStagedDuplicates(run, staged);
  await hashStaged(run, staged);
  await options.failpoint('import.staged');
  let counts = await mergeAll(run, staged);
  while (isFailure(counts)) {
    const sqlstate = counts instanceof pg.DatabaseError ? counts.code : undefined;
    const found = await rejectAll(run, (limit) => findFaultyRows(run, staged, { limit, sqlstate }));
    counts = found ? await mergeAll(run, staged) : await mergeParts(run, staged);
  }
  await options.failpoint('import.merging');
  await moveSequences(connection, target, staged.columns, STAGING);
  return { ...counts, duplicates };
}
