/**
 * Imports rows with related items: in batches through the writer of the API, in file order. A row
 * that names an item of an earlier row begins a new batch, so that the item is already written.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { sql } from '#core/database/sql.ts';
import { isColumn } from '#core/model/catalog/catalog.ts';
import { type FileColumn, fileColumn, isReason } from '../file/file-column.ts';
import { fieldOf, hasCells, rowReader } from '../file/import-file.ts';
import { asMember } from '../file/nested-column.ts';
import { UnreadableFile } from '../file/row-fault.ts';
import type { RowReader } from '../file/row-reader.ts';
import { moveSequences } from '../merge/move-sequences.ts';
import type { ImportResult } from '../run/import-options.ts';
import { ImportRefused, type ImportRun } from '../run/import-run.ts';
import { NestedBatches, type NestedRow } from './nested-batch.ts';
import { RowPayloads } from './nested-row.ts';

/** The maximum number of rows and of characters of a batch. */
const ROWS = 500;
const CHARACTERS = 1024 * 1024;
/**
 * The number of file bytes to convert to payloads at once: payloads need far more memory than their
 * text.
 */
const PIECE = 64 * 1024;

/** The first rows that can be written together; an incomplete batch only if `isEnd`. */
function takeBatch(pending: NestedRow[], isEnd: boolean): NestedRow[] {
  const named = new Map<string, boolean>();
  let characters = 0;
  let count = 0;
  let isWhole = isEnd;
  for (const row of pending) {
    const isFull = count >= ROWS || (count > 0 && characters + row.length > CHARACTERS);
    const isLater = [...row.named].some(([item, isWritten]) => {
      const earlier = named.get(item);
      return earlier !== undefined && (earlier || isWritten);
    });
    if (isFull || isLater) {
      isWhole = true;
      break;
    }
    for (const [item, isWritten] of row.named) {
      named.set(item, isWritten || named.get(item) === true);
    }
    characters += row.length;
    count += 1;
  }
  return isWhole ? pending.splice(0, count) : [];
}

/** Reads a piece of the file. @throws {ImportRefused} when the rest cannot be read */
function reading(batches: NestedBatches, reader: RowReader, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    const { fault } = error;
    const place = fault.row === null ? { ...fault, row: reader.next() } : fault;
    const [first, ...rest] = [...batches.faults, place];
    throw first === undefined ? error : new ImportRefused(first, ...rest);
  }
}

/** Advances the sequences of the columns that the file filled. */
async function settleSequences(
  { connection, target, options }: ImportRun,
  names: ReadonlySet<string>,
) {
  const collection = options.catalog.collections.get(target.collection.name);
  const columns = [...names]
    .filter((name) => isColumn(collection?.fields.get(name)))
    .map((name) => collection && fileColumn(collection, name))
    .flatMap((column) => (column === undefined || isReason(column) ? [] : [column]));
  await moveSequences(connection, target, columns, null);
}

/**
 * Imports the rows of the file.
 * @param known the columns of a CSV file
 * @throws {ImportRefused}
 */
export async function importNestedRows(
  run: ImportRun,
  known: readonly FileColumn[],
): Promise<ImportResult> {
  const { file, options, connection, target } = run;
  if (target.kept !== null || target.mirrors) {
    const { name: collection } = target.collection;
    const why = reason(
      target.mirrors ? 'mirror_without_related_items' : 'undo_without_related_items',
    );
    throw new ServiceError('UNPROCESSABLE_ENTITY', { collection, reason: why });
  }
  const isCsv = hasCells(file.format);
  const columns = isCsv
    ? known
        .filter(({ constant }) => constant === undefined)
        .map((column) => (column.path === null ? asMember(column, [column.name]) : column))
    : [];
  const payloads = new RowPayloads(run, columns, (name) => fieldOf(file, name));
  const batches = new NestedBatches(run);
  const pending: NestedRow[] = [];
  let skipped = 0;
  let rows = 0;
  const reader = rowReader(file, columns, {
    row(row) {
      const made = payloads.of(row);
      rows += 1;
      if (made.row === null) batches.refuse(made.faults);
      else pending.push(made.row);
    },
    fault: (fault) => batches.refuse([fault]),
    skipped: () => {
      skipped += 1;
    },
    member: () => undefined,
  });
  const flush = async (isEnd: boolean) => {
    for (;;) {
      const batch = takeBatch(pending, isEnd);
      if (batch.length === 0) return;
      await batches.write(batch);
    }
  };
  let bytes = 0;
  const report = () => {
    const percent = file.bytes === 0 ? null : Math.floor(Math.min(99, (bytes / file.bytes) * 100));
    options.progress({ rows: rows - pending.length, bytes, percent });
  };
  const content = file.content((read) => {
    bytes += read;
  });
  for await (const chunk of content) {
    for (let from = 0; from < chunk.length; from += PIECE) {
      reading(batches, reader, () => reader.push(chunk.subarray(from, from + PIECE)));
      await flush(false);
      connection.signal.throwIfAborted();
    }
    report();
    await options.failpoint('import.parsing');
  }
  reading(batches, reader, () => reader.end());
  await flush(true);
  report();
  const counts = await batches.end();
  await settleSequences(run, payloads.names);
  await connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
  await options.failpoint('import.merging');
  const failed = run.rejected?.rows ?? 0;
  return { ...counts, unchanged: 0, duplicates: 0, skipped, failed };
}
