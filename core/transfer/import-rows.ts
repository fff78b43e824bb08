/**
 * The paths of a file into its table: at once where it has few rows, directly, through the staging
 * table, or, when something is wrong, through the staging table with each row checked.
 */
import { sql } from '#core/database/sql.ts';
import { copyFile, FaultyRow, NewMember } from './copy/copy-file.ts';
import { stage } from './copy/copy-to-staging.ts';
import { copyToTarget, directWayIsOpen, directWriter, NoDirectWay } from './copy/direct-copy.ts';
import type { Staged } from './copy/staging-table.ts';
import { mergeFew } from './few-rows.ts';
import { MisplacedValue } from './file/cell-text.ts';
import type { FileColumn } from './file/file-column.ts';
import { widestColumns } from './file/import-file.ts';
import { type RowFault, UnreadableFile } from './file/row-fault.ts';
import { type ImportResult, Refused, type Run } from './import-run.ts';
import { stageJudged } from './judge/check-rows.ts';
import { blamesConstraint, blamesRow } from './judge/database-refusal.ts';
import { locate } from './judge/find-faulty-rows.ts';
import { hashStaged, secretColumns } from './judge/hash-staged.ts';
import { judgeRows } from './judge/judge-rows.ts';
import { mayCreateAny } from './judge/judge-staged.ts';
import { restrictedLinks } from './judge/restricted-links.ts';
import { seenFields, seesValues } from './judge/visible-faults.ts';
import type { MergeCounts } from './merge/merge-by-key.ts';
import { mergeGoodRows } from './merge/merge-good-rows.ts';
import { prepareStaged, settle } from './merge/merge-staged.ts';
import { moveSequences } from './merge/sequence.ts';
import { NestedItem } from './nested/nested-item.ts';
import { importNested } from './nested/nested-rows.ts';

type Columns = readonly FileColumn[];

/** Refuses key columns that nothing can fill, or the file may not. @throws {Refused} */
function checkKey({ target, options }: Run, columns: Columns): void {
  const [numbered] = columns.filter(
    ({ name, field }) =>
      field.column.identity === 'always' && (target.mode === 'insert' || target.fixed.has(name)),
  );
  if (numbered !== undefined) {
    const field = numbered.name;
    const reason = `The field ${JSON.stringify(field)} is numbered by the database.`;
    throw new Refused({ row: null, field, value: null, code: 'INVALID_PAYLOAD', reason });
  }
  const isFound = target.mode === 'update' || target.fixed.size > 0;
  for (const { name } of target.key) {
    if (columns.some((column) => column.name === name)) continue;
    const isMade = target.defaults.has(name) || target.made.create.values.has(name);
    if (!isFound && isMade) continue;
    const field = seenFields(options, [name]);
    const reason =
      field === null
        ? 'The file has no column for the key.'
        : `The file has no column ${JSON.stringify(field)}, which the key needs.`;
    throw new Refused({ row: null, field, value: null, code: 'INVALID_PAYLOAD', reason });
  }
}

/** Directly into the table; null when that is not possible. */
async function direct(run: Run, columns: Columns): Promise<ImportResult | null> {
  const { connection, target } = run;
  // Rows are judged in the staging table.
  if (restrictedLinks(run, columns).length + secretColumns(columns).length > 0) return null;
  if (!(await mayCreateAny(run, columns))) return null;
  await connection.run(sql`SAVEPOINT direct`);
  try {
    if (await directWayIsOpen(connection, target, columns)) {
      const { copied, sent, skipped } = await copyFile(run, {
        columns,
        statement: copyToTarget(target, columns),
        writer: (out) => directWriter(target, columns, out),
      });
      await connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
      await moveSequences(connection, target, columns, null);
      const kept = { inserted: copied, skipped: skipped + sent - copied };
      return { updated: 0, unchanged: 0, duplicates: 0, failed: 0, ...kept };
    }
  } catch (error) {
    if (!(error instanceof NoDirectWay) && !blamesConstraint(error)) throw error;
  }
  await connection.run(sql`ROLLBACK TO SAVEPOINT direct`);
  return null;
}

/** Why a file is refused: faults of its rows, and constraints that its other rows violate. */
async function refusalOf(
  run: Run,
  staged: Staged,
  faults: readonly [RowFault, ...RowFault[]],
): Promise<Refused> {
  const [first, ...rest] = faults;
  const limit = run.options.errorLimit;
  if (faults.length >= limit) return new Refused(first, ...rest);
  const told = new Set(faults.map(({ row }) => row));
  const broken = await locate(run, staged, { limit, sqlstate: undefined });
  const others = broken.filter(({ row }) => !told.has(row));
  return new Refused(first, ...rest, ...others.slice(0, limit - faults.length));
}

/** Who may not read what he writes is not told which items had the same values already. */
function toldCounts({ options }: Run, { columns }: Staged, counts: MergeCounts): MergeCounts {
  const names = columns.map(({ name }) => name);
  if (options.sender.rights.admin || seesValues(options, names)) return counts;
  return { ...counts, updated: counts.updated + counts.unchanged, unchanged: 0 };
}

async function finish(run: Run, staged: Staged, skipped: number): Promise<ImportResult> {
  const { rejected } = run;
  if (rejected !== null) {
    const { duplicates, ...merged } = await mergeGoodRows({ ...run, rejected }, staged);
    const counts = { ...toldCounts(run, staged, merged), duplicates };
    return { ...counts, skipped: counts.skipped + skipped, failed: rejected.rows };
  }
  const duplicates = await prepareStaged(run, staged);
  const [first, ...rest] = await judgeRows(run, staged, run.options.errorLimit);
  if (first !== undefined) throw await refusalOf(run, staged, [first, ...rest]);
  await hashStaged(run, staged);
  const counts = await settle(run, { ...staged, rows: staged.rows - duplicates });
  const told = toldCounts(run, staged, counts);
  return { ...told, duplicates, skipped: counts.skipped + skipped, failed: 0 };
}

/** With one statement; null when that is not possible. */
async function few(run: Run, columns: Columns): Promise<ImportResult | null> {
  const merged = await mergeFew(run, columns);
  if (merged === null) return null;
  const { duplicates, staged, skipped, ...counts } = merged;
  return { ...toldCounts(run, staged, { ...counts, skipped }), duplicates, failed: 0 };
}

/** Through the staging table, without checking values. */
async function hasty(run: Run, columns: Columns): Promise<ImportResult> {
  const { staged, skipped } = await stage(run, columns);
  return await finish(run, staged, skipped);
}

/** Through the staging table, checking each row. @throws {Refused} */
async function judged(run: Run, columns: Columns): Promise<ImportResult> {
  const { staged, skipped, faults } = await stageJudged(run, columns);
  const [first, ...rest] = faults;
  if (first === undefined) return await finish(run, staged, skipped);
  // The other rows can still be refused: the report covers all of them.
  await prepareStaged(run, staged);
  const limit = run.options.errorLimit - faults.length;
  const more = limit > 0 ? await judgeRows(run, staged, limit) : [];
  throw await refusalOf(run, staged, [first, ...rest, ...more]);
}

function callsForJudgement(error: unknown): boolean {
  if (error instanceof FaultyRow || error instanceof MisplacedValue) return true;
  return error instanceof UnreadableFile || blamesRow(error);
}

/** Tries a path; when the file is not as expected, everything is rolled back. */
async function attempt(
  run: Run,
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
 * @param known the columns found at the beginning of the file
 * @throws {Refused}
 */
export async function importRows(run: Run, known: Columns): Promise<ImportResult> {
  if (known.some(({ path }) => path !== null)) return await importNested(run, known);
  const mark = run.rejected?.mark();
  try {
    return await importFlat(run, known);
  } catch (error) {
    if (!(error instanceof NestedItem)) throw error;
    await run.connection.run(sql`ROLLBACK TO SAVEPOINT way`);
    if (mark !== undefined) run.rejected?.rewind(mark);
    return await importNested(run, known);
  }
}

/** Imports rows without related items. @throws {Refused} {NestedItem} */
async function importFlat(run: Run, known: Columns): Promise<ImportResult> {
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
