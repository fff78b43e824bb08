/**
 * Imports a file into a table: everything or nothing, in one transaction together with its result.
 * Faults are reported row by row.
 */
import { knownRelations } from '#core/access/schema-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { FileColumn } from './file/file-column.ts';
import {
  closeFile,
  fileColumns,
  type ImportFile,
  openFile,
  widestColumns,
} from './file/import-file.ts';
import { NestedColumns } from './file/nested-column.ts';
import {
  importErrors,
  type RowFault,
  redactFault,
  syntaxFault,
  UnreadableFile,
} from './file/row-fault.ts';
import { importRows } from './import-rows.ts';
import { errorReport } from './report/error-report.ts';
import { withWrittenValues } from './report/written-values.ts';
import type { ImportOptions, ImportResult } from './run/import-options.ts';
import { ImportRefused, type ImportRun } from './run/import-run.ts';
import { openImportWrite } from './run/import-write.ts';
import { REJECTED_MAX, RejectedRows, TooManyRejected } from './run/rejected-rows.ts';
import { generatedValues } from './target/generated-values.ts';
import { ImportConnection } from './target/import-connection.ts';
import { type ImportableCollection, importable, openTarget } from './target/import-target.ts';

/**
 * Settings of the transaction: no timeout but the caller's signal, the same parsing of values
 * everywhere, and enough memory to match large files by key.
 */
const SETTINGS = sql`
  SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL TimeZone = 'UTC';
  SET LOCAL DateStyle = 'ISO, YMD';
  SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL client_min_messages = 'error';
  SET LOCAL work_mem = '128MB';
  SET LOCAL jit = off`;

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

/** The settings of an import; those of a job show its id in `pg_stat_activity`. */
function settingsOf({ job }: ImportOptions): Sql {
  if (job === undefined) return SETTINGS;
  return sql`${SETTINGS};
    SELECT set_config('application_name', ${`sluice job ${job}`}, true)`;
}

/** A running import, and the columns found at the beginning of its file. */
interface OpenRun extends ImportRun {
  readonly columns: readonly FileColumn[];
}

/** Opens the transaction and the table. */
async function openRun(
  options: ImportOptions,
  file: ImportFile,
  collection: ImportableCollection,
  rejected: RejectedRows | null,
): Promise<OpenRun> {
  const { catalog, sender, parameters } = options;
  const related = new NestedColumns(catalog, sender.rights, collection.name);
  const columns = await fileColumns(file, collection, related);
  const connection = await ImportConnection.begin(options, settingsOf(options));
  const write = openImportWrite(options);
  const made = await generatedValues(write);
  const target = await openTarget(connection, collection, { ...parameters, made });
  const written = new Set([collection.name]);
  return { connection, target, file, options, rejected, write, related, written, columns };
}

/** Imports the rows, and takes them back after a dry run. @throws {ImportRefused} with all faults */
async function importOrTry(run: OpenRun): Promise<ImportResult> {
  const { connection, options } = run;
  if (options.parameters.dryRun !== true) return await importOrRefuse(run);
  await connection.run(sql`SAVEPOINT dry`);
  const counts = await importOrRefuse(run);
  await connection.run(sql`ROLLBACK TO SAVEPOINT dry`);
  return { ...counts, dry_run: true };
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

/** Stores the report of the rejected rows, if there are any. */
async function reportRejected(run: OpenRun): Promise<void> {
  const { rejected, options } = run;
  if (rejected === null || rejected.rows === 0) return;
  await options.failpoint('import.reporting');
  await options.report(errorReport(run, columnsOf(run), rejected));
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
  const file = await openFile(options.file, options.parameters, options.expansion);
  try {
    const opened = await openRun(options, file, collection, rejected);
    const result = await importOrTry(opened);
    await reportRejected(opened);
    options.phase('committing');
    await options.complete(result, opened.written);
    await commit(options);
    return result;
  } finally {
    closeFile(file);
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
  const collection = { ...target, relations };
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
