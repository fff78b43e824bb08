/**
 * Imports a file into a table: everything or nothing, in one transaction together with its result.
 * Faults are reported row by row.
 */
import { knownRelations } from '#core/access/schema-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { sql } from '#core/database/sql.ts';
import { type FileColumn, isReason } from './file/file-column.ts';
import {
  closeFile,
  fileColumns,
  type ImportFile,
  openFile,
  widestColumns,
} from './file/import-file.ts';
import { withLooseNames } from './file/loose-header.ts';
import { NestedColumns } from './file/nested-column.ts';
import {
  importErrors,
  type RowFault,
  redactFault,
  syntaxFault,
  UnreadableFile,
} from './file/row-fault.ts';
import { withSeparator } from './file/separator.ts';
import { importRows } from './import-rows.ts';
import { deleteLackingRows } from './mirror/delete-lacking.ts';
import { errorReport, loadFaults } from './report/error-report.ts';
import { groupedFaults } from './report/grouped-faults.ts';
import { RejectedFile } from './report/rejected-file.ts';
import { withWrittenValues } from './report/written-values.ts';
import type { ImportOptions, ImportResult } from './run/import-options.ts';
import { ImportRefused, type ImportRun } from './run/import-run.ts';
import { openImportWrite } from './run/import-write.ts';
import { REJECTED_MAX, RejectedRows, TooManyRejected } from './run/rejected-rows.ts';
import { generatedValues } from './target/generated-values.ts';
import { ImportConnection } from './target/import-connection.ts';
import { type ImportableCollection, importable, openTarget } from './target/import-target.ts';
import { type Reference, referenceOf } from './target/reference.ts';
import { transactionSettings } from './target/transaction-settings.ts';

/** The collector of rows that an import skips; null when it skips no rows. */
function rejectedRows(
  { parameters, errorLimit, fields }: ImportOptions,
  collection: ImportableCollection,
): RejectedRows | null {
  const { onError, maxErrors: max = REJECTED_MAX } = parameters;
  if (onError !== 'skip') return null;
  const shown = (fault: RowFault) => redactFault(fault, { collection, fields });
  return new RejectedRows({ max, firstMax: errorLimit, shown });
}

/** Why the whole file is rejected; null when it was not. */
function refusal(
  error: unknown,
  rejected: RejectedRows | null,
): readonly [RowFault, ...RowFault[]] | null {
  if (error instanceof ImportRefused) return error.faults;
  if (error instanceof UnreadableFile) return error.faults;
  if (!(error instanceof TooManyRejected)) return null;
  const why = reason('too_many_faulty_rows', { limit: error.max });
  return [syntaxFault(why, null, null), ...(rejected?.first ?? [])];
}

/**
 * The collection with the options that concern its fields.
 * @throws {ServiceErrors} one for each field that the options cannot concern
 */
function withOptions(
  collection: ImportableCollection,
  { catalog, sender, parameters, fields }: ImportOptions,
): ImportableCollection {
  const references = new Map<string, Reference>();
  const faults: RowFault[] = [];
  const view = { catalog, rights: sender.rights };
  for (const [field, chosen] of Object.entries(parameters.references ?? {})) {
    const found = referenceOf(view, collection.name, field, chosen);
    if (isReason(found)) faults.push({ ...syntaxFault(found, null, null), field });
    else references.set(field, found);
  }
  const [first, ...rest] = faults;
  if (first !== undefined) throw importErrors({ collection, fields }, [first, ...rest]);
  const { constants } = parameters;
  return { ...collection, references, ...(constants && { constants }) };
}

/** A running import, and the columns found at the beginning of its file. */
interface OpenRun extends ImportRun {
  readonly columns: readonly FileColumn[];
}

/** Opens the transaction and the table. */
async function openRun(
  options: ImportOptions,
  whole: ImportFile,
  collection: ImportableCollection,
  rejected: RejectedRows | null,
): Promise<OpenRun> {
  const { catalog, sender, parameters } = options;
  const opened = withLooseNames(whole, collection);
  const related = new NestedColumns(catalog, sender.rights, collection.name);
  const { file, header: columns } = await withSeparator(opened, (one) =>
    fileColumns(one, collection, related),
  );
  const connection = await ImportConnection.begin(options, transactionSettings(options.job));
  const write = openImportWrite(options);
  const made = await generatedValues(write);
  const { keep = null } = options;
  const target = await openTarget(connection, collection, { ...parameters, made, keep });
  const written = new Set([collection.name]);
  return { connection, target, file, options, rejected, write, related, written, columns };
}

/** Imports the rows, and takes them back after a dry run. @throws {ImportRefused} with all faults */
async function importOrTry(run: OpenRun): Promise<ImportResult> {
  const { connection, options } = run;
  const { dryRun, maxDeletes } = options.parameters;
  // A mirror without a limit is tried, whatever its message says.
  const isTried = dryRun === true || (run.target.mirrors && maxDeletes === undefined);
  if (!isTried) return await importAndKeep(run);
  await connection.run(sql`SAVEPOINT dry`);
  const counts = await importAndKeep(run);
  await connection.run(sql`ROLLBACK TO SAVEPOINT dry`);
  const { undo: _, ...result } = counts;
  return { ...result, dry_run: true };
}

/** Imports the rows, and keeps what they change if that is asked for. @throws {ImportRefused} */
async function importAndKeep(run: OpenRun): Promise<ImportResult> {
  const { connection, target } = run;
  await target.kept?.begin(connection);
  const merged = await importOrRefuse(run);
  const counts = target.mirrors ? { ...merged, ...(await deleteLackingRows(run, merged)) } : merged;
  if (target.kept === null) return counts;
  await target.kept.end(connection);
  return { ...counts, undo: true };
}

/** Imports the rows. @throws {ImportRefused} with the values of the faulty rows */
async function importOrRefuse(run: OpenRun): Promise<ImportResult> {
  try {
    return await importRows(run, run.columns);
  } catch (error) {
    const faults = refusal(error, run.rejected);
    if (faults === null) throw error;
    // The file is read once more, so the locks are released before.
    await run.options.client.query('ROLLBACK');
    const told = await withWrittenValues(run, columnsOf(run), faults);
    throw new ImportRefused(...withAddresses(run, told));
  }
}

/** The faults with the addresses of their cells, if the format has addresses. */
function withAddresses(
  { file: { table }, columns }: OpenRun,
  [first, ...rest]: readonly [RowFault, ...RowFault[]],
): [RowFault, ...RowFault[]] {
  const addressed = (fault: RowFault): RowFault => {
    const column = columns.find(({ name }) => name === fault.field);
    if (table === undefined || column === undefined || fault.row === null) return fault;
    const cell = table.address(fault.row, column.cell);
    return cell === null ? fault : { ...fault, cell };
  };
  return [addressed(first), ...rest.map(addressed)];
}

/** The columns of the file, and those that a later row of it may have. */
function columnsOf({ file, target, columns }: OpenRun) {
  return widestColumns(file, target.collection, columns);
}

/**
 * Stores the report of the rejected rows, and the rows themselves, if there are any.
 * @returns the faults by reason
 */
async function reportRejected(run: OpenRun): Promise<Pick<ImportResult, 'reasons'>> {
  const { rejected, options } = run;
  if (rejected === null || rejected.rows === 0) return {};
  await options.failpoint('import.reporting');
  await loadFaults(run, rejected);
  const file = options.rejectedFile === undefined ? null : await RejectedFile.open(run);
  try {
    await options.report(errorReport(run, columnsOf(run), rejected, file));
    if (file !== null) await options.rejectedFile?.(file.read());
  } finally {
    file?.close();
  }
  return { reasons: await groupedFaults(run) };
}

async function commit({ failpoint, signal, client }: ImportOptions): Promise<void> {
  await failpoint('import.committing');
  signal.throwIfAborted();
  const { command } = await client.query('COMMIT');
  // A failed transaction answers COMMIT with a rollback.
  if (command !== 'COMMIT') throw new Error('the transaction of the import was rolled back');
}

/** The import from its beginning to its commit. `importRows` chooses the path of the rows. */
async function run(
  options: ImportOptions,
  collection: ImportableCollection,
  rejected: RejectedRows | null,
): Promise<ImportResult> {
  options.phase('reading');
  const whole = await openFile(options.file, options.parameters, options.expansion);
  try {
    const opened = await openRun(options, whole, collection, rejected);
    const { ignored, found } = opened.file;
    const counts = await importOrTry(opened);
    const reasons = await reportRejected(opened);
    const result = {
      ...counts,
      ...reasons,
      ...(ignored.counts && { ignored: ignored.counts }),
      ...(found !== undefined && { separator: found }),
    };
    options.phase('committing');
    await options.complete(result, opened.written);
    await commit(options);
    return result;
  } finally {
    closeFile(whole);
  }
}

/**
 * Imports the file. Rows whose primary key exists are updated, the others inserted.
 * @throws {ServiceErrors} one for each faulty row, with `row`, `field`, `value`, `reason`
 * @throws {ServiceError} when the collection cannot be imported into
 * @throws the signal's reason when the import is cancelled; nothing is written then
 */
export async function importFile(options: ImportOptions): Promise<ImportResult> {
  const { client, catalog, fields, sender } = options;
  const target = importable(catalog, options.collection, fields);
  // A relation that is hidden from the sender appears as a plain field, or is missing.
  const relations = knownRelations(catalog, sender.rights, target.name);
  const collection = withOptions({ ...target, relations }, options);
  // The running statement also fails when the connection is lost; this is the same error.
  const ignore = () => undefined;
  client.on('error', ignore);
  const rejected = rejectedRows(options, collection);
  try {
    return await run(options, collection, rejected);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    const isRefused = error instanceof ImportRefused || error instanceof UnreadableFile;
    throw isRefused ? importErrors({ collection, fields }, error.faults) : error;
  } finally {
    rejected?.close();
    client.off('error', ignore);
  }
}
