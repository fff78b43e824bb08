/**
 * Imports a file into a table: everything or nothing, in one transaction together with its result.
 * Faults are reported row by row.
 */
import { sql } from '#core/database/sql.ts';
import { ImportConnection } from './import-connection.ts';
import { fileColumns } from './import-file.ts';
import { importRows } from './import-rows.ts';
import { type ImportOptions, type ImportResult, Refused } from './import-run.ts';
import { type ImportableCollection, importable, openTarget } from './import-target.ts';
import { importErrors, UnreadableFile } from './row-fault.ts';

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

async function run(
  options: ImportOptions,
  collection: ImportableCollection,
): Promise<ImportResult> {
  const columns = await fileColumns(options.file, collection);
  const connection = await ImportConnection.begin(options);
  await connection.run(SETTINGS);
  const target = await openTarget(connection, collection, options.parameters);
  const result = await importRows({ connection, target, options }, columns);
  await options.complete(result);
  options.signal.throwIfAborted();
  const { command } = await options.client.query('COMMIT');
  // A failed transaction answers COMMIT with a rollback.
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
  const { client, catalog, fields } = options;
  const collection = importable(catalog, options.collection, fields);
  // The running statement also fails when the connection is lost; this is the same error.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    return await run(options, collection);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof Refused) throw importErrors({ collection, fields }, error.faults);
    if (error instanceof UnreadableFile) throw importErrors({ collection, fields }, error.faults);
    throw error;
  } finally {
    client.off('error', ignore);
  }
}
