/** Copies the rows of a file into a table, or into the staging table, in one pass. */
import type { Sql } from '#core/database/sql.ts';
import { CopyText } from '../file/copy-text.ts';
import type { FileColumn } from '../file/file-column.ts';
import { memberFault, rowReader } from '../file/import-file.ts';
import type { Row, RowHandler } from '../file/row-reader.ts';
import type { ImportRun } from '../run/import-run.ts';
import { CopyIn } from './copy-in.ts';
import { feedFile } from './feed-file.ts';

/** A row is faulty; a fast pass gives no details. */
export class FaultyRow extends Error {}

/** A JSON object has a member that no object at the beginning of the file has. */
export class NewMember extends Error {}

/** How a pass processes the rows; without `handler` it stops at the first fault. */
export interface CopyPass {
  readonly columns: readonly FileColumn[];
  readonly statement: Sql;
  readonly writer: (out: CopyText) => { write(row: Row): void };
  /** Receives the faults, and decides which rows are written. */
  readonly handler?: ((write: (row: Row) => void) => RowHandler) | undefined;
}

export interface CopyResult {
  /** Rows that the table has accepted. */
  readonly copied: number;
  /** Rows that were sent to it. */
  readonly sent: number;
  /** Rows without any value. */
  readonly skipped: number;
}

function hasty(run: ImportRun, write: (row: Row) => void): RowHandler {
  return {
    row: write,
    fault: () => {
      throw new FaultyRow();
    },
    skipped: () => undefined,
    member: (name, row) => {
      const unknown = memberFault(run.target.collection, run.related, name, row) !== null;
      throw unknown ? new FaultyRow() : new NewMember();
    },
  };
}

/**
 * Copies the file.
 * @throws {FaultyRow} {NewMember} {UnreadableFile} PostgreSQL's error; no row remains then
 */
export async function copyFile(run: ImportRun, pass: CopyPass): Promise<CopyResult> {
  const { file } = run;
  const { progress, failpoint } = run.options;
  const out = new CopyText();
  const writer = pass.writer(out);
  let sent = 0;
  let skipped = 0;
  const write = (row: Row) => {
    writer.write(row);
    sent += 1;
  };
  const handler = pass.handler?.(write) ?? hasty(run, write);
  const reader = rowReader(file, pass.columns, {
    row: (row) => handler.row(row),
    fault: (fault, source) => handler.fault(fault, source),
    member: (name, row) => handler.member(name, row),
    skipped(row) {
      skipped += 1;
      handler.skipped(row);
    },
  });
  const copied = await feedFile({
    file,
    reader,
    out,
    copy: new CopyIn(run.connection, pass.statement),
    async progress(bytes) {
      // A pass that writes nothing, because each row is faulty, must end too.
      run.connection.signal.throwIfAborted();
      // The last percent is reserved for the end of the transaction.
      const percent = file.bytes === 0 ? null : Math.min(99, (bytes / file.bytes) * 100);
      progress({ rows: sent, bytes, percent: percent === null ? null : Math.floor(percent) });
      await failpoint('import.parsing');
    },
  });
  return { copied, sent, skipped };
}
