/**
 * Merges the staged rows that the table accepts, and leaves out the others: first all at once, then
 * without those that violate a known constraint, and only then in smaller and smaller parts.
 */
import pg from 'pg';
import { sql } from '#core/database/sql.ts';
import { byParts, countRows, removeRows } from '../copy/staged-parts.ts';
import { STAGING, type Staged } from '../copy/staging-table.ts';
import { correctStatistics } from '../copy/statistics.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { Run } from '../import-run.ts';
import { blamesRow, refusalFault } from '../judge/database-refusal.ts';
import { locate, locateBadKeys } from '../judge/find-faulty-rows.ts';
import { hashStaged } from '../judge/hash-staged.ts';
import { judgeRows } from '../judge/judge-rows.ts';
import { forbiddenRow, importView, seesValues } from '../judge/visible-faults.ts';
import type { RejectedRows } from '../report/rejected-rows.ts';
import { BadKeys, type MergeCounts, merge, mergeOnce, type Range } from './merge-by-key.ts';
import { removeStagedDuplicates } from './merge-staged.ts';
import { moveSequences } from './sequence.ts';

/** Faults that are found at once. */
const BATCH = 20_000;

type Failure = pg.DatabaseError | BadKeys;

function isFailure(error: unknown): error is Failure {
  return error instanceof BadKeys || blamesRow(error);
}

/** An import that leaves out faulty rows. */
export interface Skipping extends Run {
  readonly rejected: RejectedRows;
}

/** Leaves out the rows of the faults. */
async function reject(
  { connection, rejected }: Skipping,
  faults: readonly RowFault[],
): Promise<number> {
  for (const fault of faults) rejected.add(fault);
  const rows = faults.flatMap(({ row }) => (row === null ? [] : [row]));
  const removed = await removeRows(connection, [...new Set(rows)]);
  rejected.count(removed);
  return removed;
}

/** Leaves out rows as long as some are found. @returns whether there were any */
async function rejectAll(
  run: Skipping,
  find: (limit: number) => Promise<readonly RowFault[]>,
): Promise<boolean> {
  for (let found = false; ; found = true) {
    const faults = await find(BATCH);
    if (faults.length === 0 || (await reject(run, faults)) === 0) return found;
  }
}

/** Merges all staged rows; null when some are refused, with the reason. */
async function mergeAll(run: Skipping, staged: Staged): Promise<MergeCounts | Failure> {
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

const NO_ITEM = 'There is no item with this key to update.';

function faultOf({ options, target }: Run, row: number, failure: Failure): RowFault {
  const view = importView(options);
  if (failure instanceof pg.DatabaseError) return refusalFault(failure, view, { row });
  const key = target.key.map(({ name }) => name);
  if (!seesValues(options, key)) return forbiddenRow(row);
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
async function mergeParts(run: Skipping, staged: Staged): Promise<MergeCounts> {
  const { connection, target } = run;
  await connection.run(sql`LOCK TABLE ${target.name} IN SHARE ROW EXCLUSIVE MODE`);
  let counts: MergeCounts = { inserted: 0, updated: 0, unchanged: 0, skipped: 0 };
  const mergePart = async (range: Range, rows: number): Promise<Failure | null> => {
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
  let refused = await byParts(connection, mergePart);
  // A row can need another one that comes after it.
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

/** Merges what can be merged. @throws {TooManyRejected} */
export async function mergeGoodRows(
  run: Skipping,
  staged: Staged,
): Promise<MergeCounts & { readonly duplicates: number }> {
  const { connection, target, options } = run;
  await correctStatistics(run);
  await rejectAll(run, (limit) => judgeRows(run, staged, limit));
  await rejectAll(run, (limit) => locateBadKeys(run, staged, limit));
  const duplicates = await removeStagedDuplicates(run, staged);
  await hashStaged(run, staged);
  await options.failpoint('import.staged');
  let counts = await mergeAll(run, staged);
  while (isFailure(counts)) {
    const sqlstate = counts instanceof pg.DatabaseError ? counts.code : undefined;
    const found = await rejectAll(run, (limit) => locate(run, staged, { limit, sqlstate }));
    counts = found ? await mergeAll(run, staged) : await mergeParts(run, staged);
  }
  await options.failpoint('import.merging');
  await moveSequences(connection, target, staged.columns, STAGING);
  return { ...counts, duplicates };
}
