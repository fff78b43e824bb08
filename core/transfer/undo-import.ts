/**
 * Undoes an import: removes the rows that it inserted, and restores the rows that it overwrote,
 * except those that have changed since. One transaction does all of it together with the result.
 */

import { sql } from '#core/database/sql.ts';
import type { UndoImportResult } from '#core/jobs/message/undo-import.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { RowFault } from './file/row-fault.ts';
import { ImportConnection } from './target/import-connection.ts';
import { transactionSettings } from './target/transaction-settings.ts';
import { namedRows } from './undo/named-rows.ts';
import { openUndo } from './undo/open-undo.ts';
import { findStayingRows, isUnrestricted } from './undo/staying-rows.ts';
import type { UndoOptions, UndoRun } from './undo/undo-run.ts';
import { type WrittenBack, writeAllBack, writeBack } from './undo/write-back.ts';

interface Undone {
  readonly result: UndoImportResult;
  readonly faults: readonly RowFault[];
}

async function undoRows(connection: ImportConnection, options: UndoOptions): Promise<Undone> {
  const run = await openUndo(connection, options);
  const written = (await isUnrestricted(run)) ? await writeAllBack(run) : null;
  if (written === null) await findStayingRows(run);
  return await told(run, written ?? (await writeBack(run)));
}

/** The result, and the rows that stay. */
async function told(run: UndoRun, written: WrittenBack): Promise<Undone> {
  const { faults, reasons } = await namedRows(run, written);
  const { removed, restored } = written;
  const kept = run.kept.inserted + run.kept.updated - removed - restored;
  return { result: { import: run.options.import, removed, restored, kept, reasons }, faults };
}

/** What the import kept is of no use any more; its result says so. */
async function forget(connection: ImportConnection, options: UndoOptions): Promise<void> {
  const { schema, import: id, job } = options;
  await connection.run(sql`UPDATE ${systemTable(schema, 'import_undos')}
    SET undone_by = ${job}, bytes = 0 WHERE import = ${id}`);
  await connection.run(sql`DELETE FROM ${systemTable(schema, 'import_changes')}
    WHERE import = ${id}::uuid`);
  await connection.run(sql`UPDATE ${systemTable(schema, 'jobs')}
    SET result = jsonb_set(result, '{undo}', 'false') WHERE id = ${id}::uuid`);
}

async function undo(connection: ImportConnection, options: UndoOptions): Promise<Undone> {
  if (!options.dryRun) {
    const done = await undoRows(connection, options);
    await forget(connection, options);
    return done;
  }
  await connection.run(sql`SAVEPOINT dry`);
  const { result, faults } = await undoRows(connection, options);
  await connection.run(sql`ROLLBACK TO SAVEPOINT dry`);
  return { result: { ...result, dry_run: true }, faults };
}

/**
 * Undoes an import.
 * @throws {ServiceError} CONFLICT when nothing is kept or the import is undone already,
 * UNPROCESSABLE_ENTITY when its table has changed, FORBIDDEN
 * @throws the signal's reason when the undo is cancelled; nothing is written then
 */
export async function undoImport(options: UndoOptions): Promise<UndoImportResult> {
  const { client, failpoint, signal } = options;
  // The running statement also fails when the connection is lost; this is the same error.
  const ignore = () => undefined;
  client.on('error', ignore);
  try {
    const connection = await ImportConnection.begin(options, transactionSettings(options.job));
    const { result, faults } = await undo(connection, options);
    await failpoint('undo.writing');
    await options.complete(result, faults);
    await failpoint('undo.committing');
    signal.throwIfAborted();
    const { command } = await client.query('COMMIT');
    // A failed transaction answers COMMIT with a rollback.
    if (command !== 'COMMIT') throw new Error('the transaction of the undo was rolled back');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.off('error', ignore);
  }
}
