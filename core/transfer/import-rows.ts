/**
 * The paths of a file into its table: in one statement for few rows, directly, or through the
 * staging table. After a failure, it uses the staging table and checks each row.
 */

import { reason } from '#core/base/errors/reason.ts';
import { sql } from '#core/database/sql.ts';
import { copyFile, FaultyRow, NewMember } from './copy/copy-file.ts';
import {
  canCopyDirectly,
  copyToTarget,
  DirectCopyImpossible,
  directWriter,
} from './copy/direct-copy.ts';
import { stageFile } from './copy/stage-file.ts';
import type { Staged } from './copy/staging-table.ts';
import { MisplacedValue } from './file/cell-text.ts';
import type { FileColumn } from './file/file-column.ts';
import { widestColumns } from './file/import-file.ts';
import { NestedItem } from './file/nested-column.ts';
import { type RowFault, syntaxFault, UnreadableFile } from './file/row-fault.ts';
import { hasReferences, linkStaged } from './link/link-staged.ts';
import type { MergeCounts } from './merge/merge-by-key.ts';
import { mergeStaged, prepareStaged } from './merge/merge-staged.ts';
import { mergeValidRows, rejectAll } from './merge/merge-valid-rows.ts';
import { moveSequences } from './merge/move-sequences.ts';
import { mergeSmallFile } from './merge-small-file.ts';
import { findLackingRows } from './mirror/lacking-rows.ts';
import { importNestedRows } from './nested/import-nested-rows.ts';
import type { ImportResult } from './run/import-options.ts';
import { ImportRefused, type ImportRun } from './run/import-run.ts';
import { isConstraintError, isRowError } from './validate/database-error.ts';
import { findFaultyRows } from './validate/find-faulty-rows.ts';
import { hashStaged, secretColumns } from './validate/hash-staged.ts';
import { restrictedLinks } from './validate/restricted-links.ts';
import { stageValidRows } from './validate/stage-valid-rows.ts';
import { validateRows } from './validate/validate-rows.ts';
import { mayCreateAny } from './validate/validate-staged.ts';
import { canSeeValues, visibleFieldNames } from './validate/visible-faults.ts';

type Columns = readonly FileColumn[];

/**
 * Rejects key columns that cannot be filled, or that the file must not fill. @throws
 * {ImportRefused}
 */
function checkKey({ target, options }: ImportRun, columns: Columns): void {
  const [numbered] = columns.filter(
    ({ name, field }) =>
      field.column.identity === 'always' && (target.mode === 'insert' || target.fixed.has(name)),
  );
  if (numbered !== undefined) {
    const field = numbered.name;
    const why = reason('import_field_numbered', { field: JSON.stringify(field) });
    throw new ImportRefused({ ...syntaxFault(why, null, null), field });
  }
  const isFound = target.mode === 'update' || target.mirrors || target.fixed.size > 0;
  for (const { name } of target.key) {
    if (columns.some((column) => column.name === name)) continue;
    const isMade = target.defaults.has(name) || target.made.create.values.has(name);
    if (!isFound && isMade) continue;
    const field = visibleFieldNames(options, [name]);
    const why =
      field === null
        ? reason('key_column_missing')
        : reason('named_key_column_missing', { field: JSON.stringify(field) });
    throw new ImportRefused({ ...syntaxFault(why, null, null), field });
  }
}

/** The table may be larger than the file by this factor if an import looks for its rows there. */
const SCANNED_MAX = 2;
const PAGE = 8192;

/** Whether the copied rows can be found again, if they are to be kept, without a long scan. */
function canFindCopied({ target, file }: ImportRun): boolean {
  const { kept, table, pages } = target;
  if (kept === null) return true;
  // A trigger may change other rows of the table, which are not new.
  return table.kind === 'table' && !table.userTriggers && pages * PAGE <= SCANNED_MAX * file.bytes;
}

/** Directly into the table; null when that is not possible. */
async function direct(run: ImportRun, columns: Columns): Promise<ImportResult | null> {
  const { connection, target } = run;
  // Rows must be validated in the staging table.
  if (restrictedLinks(run, columns).length + secretColumns(columns).length > 0) return null;
  if (target.mirrors || hasReferences(columns)) return null;
  if (!(await mayCreateAny(run, columns))) return null;
  if (!canFindCopied(run)) return null;
  await connection.run(sql`SAVEPOINT direct`);
  try {
    if (await canCopyDirectly(connection, target, columns)) {
      const mark = await target.kept?.mark(connection);
      const { copied, sent, skipped } = await copyFile(run, {
        columns,
        statement: copyToTarget(target, columns),
        writer: (out) => directWriter(target, columns, out),
      });
      run.options.phase('checking');
      await connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
      if (mark !== undefined) await target.kept?.keepCopied(connection, mark);
      await moveSequences(connection, target, columns, null);
      const kept = { inserted: copied, skipped: skipped + sent - copied };
      return { updated: 0, unchanged: 0, duplicates: 0, failed: 0, ...kept };
    }
  } catch (error) {
    if (!(error instanceof DirectCopyImpossible) && !isConstraintError(error)) throw error;
  }
  await connection.run(sql`ROLLBACK TO SAVEPOINT direct`);
  return null;
}

/**
 * Why a file is rejected: the faults of its rows, and the constraints that its other rows violate.
 */
async function refusalOf(
  run: ImportRun,
  staged: Staged,
  faults: readonly [RowFault, ...RowFault[]],
): Promise<ImportRefused> {
  const [first, ...rest] = faults;
  const limit = run.options.errorLimit;
  if (faults.length >= limit) return new ImportRefused(first, ...rest);
  const told = new Set(faults.map(({ row }) => row));
  const broken = await findFaultyRows(run, staged, { limit, sqlstate: undefined });
  const others = broken.filter(({ row }) => !told.has(row));
  return new ImportRefused(first, ...rest, ...others.slice(0, limit - faults.length));
}

/** Hides the number of unchanged rows from a sender that may not read the written values. */
function toldCounts({ options }: ImportRun, { columns }: Staged, counts: MergeCounts): MergeCounts {
  const names = columns.map(({ name }) => name);
  if (options.sender.rights.admin || canSeeValues(options, names)) return counts;
  return { ...counts, updated: counts.updated + counts.unchanged, unchanged: 0 };
}

async function finish(run: ImportRun, staged: Staged, skipped: number): Promise<ImportResult> {
  const { rejected } = run;
  run.options.phase('checking');
  run.target.kept?.write(staged.columns);
  if (run.target.mirrors) await findLackingRows(run, staged);
  if (rejected !== null) {
    const { duplicates, ...merged } = await mergeValidRows({ ...run, rejected }, staged);
    const counts = { ...toldCounts(run, staged, merged), duplicates };
    return { ...counts, skipped: counts.skipped + skipped, failed: rejected.rows };
  }
  const duplicates = await prepareStaged(run, staged);
  const [first, ...rest] = await validateRows(run, staged, run.options.errorLimit);
  if (first !== undefined) throw await refusalOf(run, staged, [first, ...rest]);
  await hashStaged(run, staged);
  run.options.phase('writing');
  const counts = await mergeStaged(run, { ...staged, rows: staged.rows - duplicates });
  const told = toldCounts(run, staged, counts);
  return { ...told, duplicates, skipped: counts.skipped + skipped, failed: 0 };
}

/** With one statement; null when that is not possible. */
async function few(run: ImportRun, columns: Columns): Promise<ImportResult | null> {
  const isStaged = run.target.mirrors || hasReferences(columns);
  const merged = isStaged ? null : await mergeSmallFile(run, columns);
  if (merged === null) return null;
  const { duplicates, staged, skipped, ...counts } = merged;
  run.target.kept?.write(staged.columns);
  return { ...toldCounts(run, staged, { ...counts, skipped }), duplicates, failed: 0 };
}

/**
 * The staged rows with keys instead of the values that find items. Rows without an item are
 * skipped, or their faults returned.
 */
async function linked(
  run: ImportRun,
  read: Staged,
  limit: number,
): Promise<{ readonly staged: Staged; readonly faults: readonly RowFault[] }> {
  const { rejected } = run;
  if (rejected === null) {
    const faults: RowFault[] = [];
    const staged = await linkStaged(run, read, async (find) => {
      const left = limit - faults.length;
      if (left > 0) faults.push(...(await find(left)));
    });
    return { staged, faults };
  }
  const before = rejected.rows;
  const staged = await linkStaged(run, read, async (find) => {
    await rejectAll({ ...run, rejected }, find);
  });
  return { staged: { ...staged, rows: staged.rows + before - rejected.rows }, faults: [] };
}

/** Why a file is rejected that has faulty rows. The report covers its other rows too. */
async function refusedRows(
  run: ImportRun,
  staged: Staged,
  faults: readonly RowFault[],
): Promise<ImportRefused> {
  await prepareStaged(run, staged);
  const limit = run.options.errorLimit - faults.length;
  const told = new Set(faults.map(({ row }) => row));
  const more = limit > 0 ? await validateRows(run, staged, limit) : [];
  const others = more.filter(({ row }) => !told.has(row));
  const [first, ...rest] = [...faults, ...others];
  if (first === undefined) throw new Error('a refused file has faults');
  return await refusalOf(run, staged, [first, ...rest]);
}

/** Through the staging table, without checking values. */
async function hasty(run: ImportRun, columns: Columns): Promise<ImportResult> {
  run.options.phase('reading');
  const { staged: read, skipped } = await stageFile(run, columns);
  const { staged, faults } = await linked(run, read, run.options.errorLimit);
  if (faults.length > 0) throw await refusedRows(run, staged, faults);
  return await finish(run, staged, skipped);
}

/** Through the staging table, checking each row. @throws {ImportRefused} */
async function judged(run: ImportRun, columns: Columns): Promise<ImportResult> {
  run.options.phase('reading');
  const { staged: read, skipped, faults } = await stageValidRows(run, columns);
  const { staged, faults: more } = await linked(run, read, run.options.errorLimit - faults.length);
  const all = [...faults, ...more];
  if (all.length > 0) throw await refusedRows(run, staged, all);
  return await finish(run, staged, skipped);
}

function callsForJudgement(error: unknown): boolean {
  if (error instanceof FaultyRow || error instanceof MisplacedValue) return true;
  return error instanceof UnreadableFile || isRowError(error);
}

/** Tries a path; when the file is not as expected, everything is rolled back. */
async function attempt(
  run: ImportRun,
  way: () => Promise<ImportResult>,
): Promise<ImportResult | 'new member' | 'faulty'> {
  await run.connection.run(sql`SAVEPOINT way`);
  const mark = run.rejected?.mark();
  try {
    return await way();
  } catch (error) {
    if (!(error instanceof NewMember) && !callsForJudgement(error)) throw error;
    await run.connection.run(sql`ROLLBACK TO SAVEPOINT way`);
    if (mark !== undefined) run.rejected?.rewind(mark);
    return error instanceof NewMember ? 'new member' : 'faulty';
  }
}

/**
 * Imports the rows of the file.
 * @param known the columns at the beginning of the file
 * @throws {ImportRefused}
 */
export async function importRows(run: ImportRun, known: Columns): Promise<ImportResult> {
  if (known.some(({ path }) => path !== null)) return await importNestedRows(run, known);
  const mark = run.rejected?.mark();
  try {
    return await importFlat(run, known);
  } catch (error) {
    if (!(error instanceof NestedItem)) throw error;
    await run.connection.run(sql`ROLLBACK TO SAVEPOINT way`);
    if (mark !== undefined) run.rejected?.rewind(mark);
    return await importNestedRows(run, known);
  }
}

/** Imports rows without related items. @throws {ImportRefused} {NestedItem} */
async function importFlat(run: ImportRun, known: Columns): Promise<ImportResult> {
  const widest = widestColumns(run.file, run.target.collection, known);
  const columns = known.length === 0 ? widest : known;
  checkKey(run, widest);
  const result = await few(run, columns);
  if (result !== null) return result;
  let outcome = await attempt(
    run,
    async () => (await direct(run, columns)) ?? (await hasty(run, columns)),
  );
  if (outcome === 'new member') outcome = await attempt(run, () => hasty(run, widest));
  return typeof outcome === 'string' ? await judged(run, widest) : outcome;
}
