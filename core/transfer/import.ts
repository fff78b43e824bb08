/**
 * Imports a file into a table: everything or nothing, in one transaction together with its result.
 * Faults are reported row by row.
 */
import { knownRelations } from '#core/access/schema-visibility.ts';
import { reason } from '#core/base/errors/reason.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { fileColumns, openFile, widestColumns } from './file/import-file.ts';
import {
  importErrors,
  type RowFault,
  redactFault,
  syntaxFault,
  UnreadableFile,
} from './file/row-fault.ts';
import { ImportConnection } from './import-connection.ts';
import type { ImportOptions, ImportResult } from './import-options.ts';
import { importRows } from './import-rows.ts';
import { ImportRefused, type ImportRun } from './import-run.ts';
import { openImportWrite } from './import-sender.ts';
import { type ImportableCollection, importable, openTarget } from './import-target.ts';
import { NestedColumns } from './nested/nested-column.ts';
import { errorReport } from './report/error-report.ts';
import { REJECTED_MAX, RejectedRows, TooManyRejected } from './report/rejected-rows.ts';
import { withWrittenValues } from './report/written-values.ts';
import { generatedValues } from './validate/generated-values.ts';

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

async function run(
  options: ImportOptions,
  collection: ImportableCollection,
  rejected: RejectedRows | null,
): Promise<ImportResult> {
  const file = await openFile(options.file, options.parameters, options.expansion);
  const related = new NestedColumns(options.catalog, options.sender.rights, collection.name);
  const columns = await fileColumns(file, collection, related);
  const connection = await ImportConnection.begin(options, settingsOf(options));
  const write = openImportWrite(options);
  const made = await generatedValues(write);
  const target = await openTarget(connection, collection, { ...options.parameters, made });
  const written = new Set([collection.name]);
  const started: ImportRun = {
    ...{ connection, target, file, options, rejected, write, related, written },
  };
  const isDry = options.parameters.dryRun === true;
  if (isDry) await connection.run(sql`SAVEPOINT dry`);
  const counts = await importRows(started, columns).catch(async (error) => {
    const faults = refusal(error, rejected);
    if (faults === null) throw error;
    // No locks are held while the file is read once more.
    await options.client.query('ROLLBACK');
    const widest = widestColumns(file, target.collection, columns);
    throw new ImportRefused(...(await withWrittenValues(started, widest, faults)));
  });
  if (isDry) await connection.run(sql`ROLLBACK TO SAVEPOINT dry`);
  const result = isDry ? { ...counts, dry_run: true } : counts;
  if (rejected !== null && rejected.rows > 0) {
    const widest = widestColumns(file, target.collection, columns);
    await options.failpoint('import.reporting');
    await options.report(errorReport(started, widest, rejected));
  }
  await options.complete(result, written);
  await options.failpoint('import.committing');
  options.signal.throwIfAborted();
  const { command } = await options.client.query('COMMIT');
  // COMMIT of a failed transaction returns ROLLBACK.
  if (command !== 'COMMIT') throw new Error('the transaction of the import was rolled back');
  return result;
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
