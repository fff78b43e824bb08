/** The file of an import: its format, its columns, and how its rows are read. */
import type { ImportFormat } from '#core/jobs/message/import.ts';
import { csvHeader, csvRows } from './csv-rows.ts';
import { allColumns, type FileColumn, fileColumn } from './file-column.ts';
import type { ImportableCollection } from './import-target.ts';
import { jsonMembers, jsonRows } from './json-rows.ts';
import { malformed, type RowFault, UnreadableFile } from './row-fault.ts';
import type { RowHandler, RowReader } from './row-reader.ts';

export interface ImportFile {
  readonly format: ImportFormat;
  readonly bytes: number;
  /** The content from the beginning; it can be read more than once. */
  open(): AsyncIterable<Buffer>;
}

const EMPTY = 'The file is empty; its first line must name the fields.';

/** The columns that a CSV file's header names. @throws {UnreadableFile} with all their faults */
async function csvColumns(
  file: ImportFile,
  collection: ImportableCollection,
): Promise<FileColumn[]> {
  const header = await csvHeader(file.open());
  if (header === null) throw new UnreadableFile(malformed(EMPTY, null, { line: 1, column: 1 }));
  const columns: FileColumn[] = [];
  const faults: RowFault[] = [];
  const seen = new Set<string>();
  for (const { name, ...place } of header) {
    const column = fileColumn(collection, name);
    const twice = seen.has(name) ? `The header names ${JSON.stringify(name)} twice.` : null;
    const reason = name === '' ? 'The header has a column without a name.' : twice;
    if (reason !== null || typeof column === 'string') {
      faults.push({ ...malformed(reason ?? String(column), null, place), field: name });
    } else {
      columns.push(column);
    }
    seen.add(name);
  }
  const [first, ...rest] = faults;
  if (first !== undefined) throw new UnreadableFile(first, ...rest);
  return columns;
}

/** The columns of the first objects; later ones are reported as unknown members. */
async function jsonColumns(
  file: ImportFile,
  collection: ImportableCollection,
): Promise<FileColumn[]> {
  const names = await jsonMembers(file.open());
  return names
    .map((name) => fileColumn(collection, name))
    .filter((column) => typeof column !== 'string');
}

/**
 * The columns of the file, from its beginning.
 * @throws {UnreadableFile} when they cannot be found, or one of them cannot be imported
 */
export function fileColumns(
  file: ImportFile,
  collection: ImportableCollection,
): Promise<FileColumn[]> {
  return file.format === 'csv' ? csvColumns(file, collection) : jsonColumns(file, collection);
}

/** The columns with which every row of the file can be read. */
export function widestColumns(
  file: ImportFile,
  collection: ImportableCollection,
  known: readonly FileColumn[],
): readonly FileColumn[] {
  return file.format === 'csv' ? known : allColumns(collection);
}

/** The fault of a member without a column; null when it has one. */
export function memberFault(
  collection: ImportableCollection,
  name: string,
  row: number,
): RowFault | null {
  const column = fileColumn(collection, name);
  if (typeof column !== 'string') return null;
  return { row, field: name, value: null, code: 'INVALID_PAYLOAD', reason: column };
}

/** Reads the rows of the file. */
export function rowReader(
  file: ImportFile,
  columns: readonly FileColumn[],
  handler: RowHandler,
): RowReader {
  return file.format === 'csv' ? csvRows(columns, handler) : jsonRows(columns, handler);
}
