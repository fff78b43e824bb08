/** The file of an import: its format, its columns, and how its rows are read. */
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { ImportableCollection } from '../target/import-target.ts';
import { constantColumns, withConstants } from './constant-columns.ts';
import { type CsvDialect, dialectOf, separatorHint, separatorLine } from './csv-dialect.ts';
import { csvHeader, csvRows, type HeaderCell } from './csv-rows.ts';
import { decode, markedEncoding } from './decode.ts';
import { type DecompressionLimits, decompress } from './decompress.ts';
import { allColumns, type FileColumn, fileColumn, isConstant, isReason } from './file-column.ts';
import { IgnoredColumns, IgnoredValues, isAdded } from './ignored-columns.ts';
import { jsonMembers, jsonRows } from './json-rows.ts';
import { NestedColumns, NestedItem } from './nested-column.ts';
import {
  displayName,
  type RowFault,
  syntaxFault,
  UnreadableFile,
  withAdvice,
} from './row-fault.ts';
import type { RowHandler, RowReader } from './row-reader.ts';
import { openTable } from './table/open-table.ts';
import type { TableFile } from './table/table-file.ts';
import { tableRows } from './table/table-rows.ts';

/** An uploaded file. */
export interface StoredFile {
  readonly format: ImportFormat;
  readonly gzip: boolean;
  readonly bytes: number;
  /** The content from the beginning; it can be read more than once. */
  open(): AsyncIterable<Buffer>;
}

/** A file whose content is UTF-8 without compression. */
export interface ImportFile {
  readonly format: ImportFormat;
  /** The uploaded size in bytes. */
  readonly bytes: number;
  readonly parameters: ImportParameters;
  /** The notation of its cells; null for JSON. */
  readonly dialect: CsvDialect | null;
  /** The columns that the import takes no value from. */
  readonly ignored: IgnoredColumns;
  /** Whether neither the options nor the file name the separator. */
  readonly isOpen?: boolean;
  /** The separator that was found in the file. */
  readonly found?: string;
  /** The field of a header or a member, where the mapping is not enough. */
  readonly fieldNamed?: (name: string) => string | null;
  /** The file whose cells are typed; the content consists of its frames. */
  readonly table?: TableFile;
  /**
   * The content from the beginning; it can be read more than once.
   * @param read is called with the number of file bytes as they are read
   */
  content(read?: (bytes: number) => void): AsyncIterable<Buffer>;
}

/** Frees the temporary files of a file. */
export function closeFile({ table }: ImportFile): void {
  table?.close();
}

/** Whether the rows of a format are cells under a header; others are objects with members. */
export function hasCells(format: ImportFormat): boolean {
  return format !== 'json' && format !== 'ndjson';
}

type Content = ImportFile['content'];

/** Files up to this size in bytes are read once into memory, because several steps need them. */
const KEPT_BYTES = 64 * 1024;
/**
 * The number of bytes for detecting the beginning of a file; a line with the separator is shorter.
 */
const BEGINNING = 16;

async function beginningOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  let beginning = Buffer.alloc(0);
  try {
    for await (const chunk of content) {
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length >= BEGINNING) break;
    }
  } catch (error) {
    // The error is reported with its row when the rows are read.
    if (!(error instanceof UnreadableFile)) throw error;
  }
  return beginning.subarray(0, BEGINNING);
}

/** Replaces the first bytes with an empty line, so that lines keep their numbers. */
async function* withoutLine(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  yield Buffer.from('\n');
  for await (const chunk of content) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** The content of a small file, which is read once. */
function kept(file: StoredFile): StoredFile['open'] {
  const readAll = async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of file.open()) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  let reading: Promise<Buffer> | null = null;
  return async function* () {
    reading ??= readAll();
    const content: Buffer = await reading;
    if (content.length > 0) yield content;
  };
}

function plainContent(file: StoredFile, limits: DecompressionLimits): Content {
  const counted = async function* (read: (bytes: number) => void) {
    for await (const chunk of file.open()) {
      read(chunk.length);
      yield chunk;
    }
  };
  return (read = () => undefined) => {
    const content = counted(read);
    return file.gzip ? decompress(content, limits) : content;
  };
}

/**
 * Determines how to read a file, from the options and its first bytes. The caller closes it.
 * @throws {UnreadableFile} when it begins with a line that contradicts the options
 */
export async function openFile(
  file: StoredFile,
  parameters: ImportParameters,
  limits: DecompressionLimits,
): Promise<ImportFile> {
  const { format, bytes } = file;
  const ignored = new IgnoredColumns();
  if (format === 'xlsx' || format === 'parquet') {
    const content = plainContent(file, limits)();
    const table = await openTable({ format, content }, parameters, limits);
    return { format, bytes, parameters, dialect: null, ignored, table, content: table.content };
  }
  const plain = plainContent(bytes <= KEPT_BYTES ? { ...file, open: kept(file) } : file, limits);
  const marked = markedEncoding(await beginningOf(plain()));
  const charset = marked ?? parameters.charset ?? 'utf-8';
  // The scanners check UTF-8 themselves.
  const decoded: Content = charset === 'utf-8' ? plain : (read) => decode(plain(read), charset);
  if (format !== 'csv')
    return { format, bytes, parameters, dialect: null, ignored, content: decoded };
  const dialect = dialectOf(parameters);
  const line = separatorLine((await beginningOf(decoded())).toString('utf8'));
  if (line === null) {
    const isOpen = parameters.separator === undefined;
    return { format, bytes, parameters, dialect, isOpen, ignored, content: decoded };
  }
  const { separator } = parameters;
  if (separator !== undefined && separator !== line.separator) {
    const why = reason('separator_line_differs', { separator });
    throw new UnreadableFile(syntaxFault(why, null, { line: 1, column: 1 }));
  }
  const named = { ...dialect, separator: line.separator };
  const content: Content = (read) => withoutLine(decoded(read), line.bytes);
  return { format, bytes, parameters, dialect: named, ignored, content };
}

const EMPTY = reason('import_file_empty');

/** The field for a header or a member; null for one that is omitted, or added to rejected rows. */
export function fieldOf(
  { parameters: { mapping }, fieldNamed }: Pick<ImportFile, 'parameters' | 'fieldNamed'>,
  name: string,
): string | null {
  const mapped = mapping !== undefined && Object.hasOwn(mapping, name) ? mapping[name] : undefined;
  if (mapped !== undefined) return mapped;
  if (isAdded(name)) return null;
  return fieldNamed === undefined ? name : fieldNamed(name);
}

/** The faults of headers in the mapping that the file does not have. */
export function missingHeaders(
  { mapping = {} }: ImportParameters,
  header: readonly HeaderCell[],
): RowFault[] {
  const names = new Set(header.map(({ name }) => name));
  const missing = Object.keys(mapping).filter((name) => !names.has(name));
  return missing.map((name) => {
    const why = reason('mapping_column_missing', { name: JSON.stringify(name) });
    return { ...syntaxFault(why, null, { line: header[0]?.line ?? 1, column: 1 }), field: name };
  });
}

/** The names in the header of a file with cells. @throws {UnreadableFile} when it is empty */
export async function headerOf(file: ImportFile): Promise<readonly HeaderCell[]> {
  const { dialect, parameters, content, table } = file;
  if (table !== undefined) return table.header;
  const header = dialect && (await csvHeader(dialect, parameters, content()));
  if (header === null) throw new UnreadableFile(syntaxFault(EMPTY, null, { line: 1, column: 1 }));
  return header;
}

/** Why a header cannot contain a name in addition to the other names; null when it can. */
function nameFault(name: string, others: ReadonlySet<string>): Reason | null {
  if (name === '') return reason('header_column_without_name');
  if (!others.has(name)) return null;
  return reason('header_names_field_twice', { name: JSON.stringify(displayName(name)) });
}

/** The columns that a header names. @throws {UnreadableFile} with all their faults */
async function csvColumns(
  file: ImportFile,
  collection: ImportableCollection,
  related: NestedColumns,
): Promise<FileColumn[]> {
  const { parameters } = file;
  const header = await headerOf(file);
  const columns: FileColumn[] = [];
  const faults = missingHeaders(parameters, header);
  const seen = new Set<string>();
  for (const [cell, { name: written, ...place }] of header.entries()) {
    const name = fieldOf(file, written);
    // A column of a sheet without a name may be empty; its values are faults.
    if (name === null || (name === '' && file.table !== undefined)) continue;
    const own = fileColumn(collection, name);
    const isOwn = !isReason(own) || isConstant(collection, name);
    const column = isOwn ? own : (related.column(name) ?? own);
    const conflict = isReason(column) ? null : NestedColumns.conflict(name, seen);
    const found = nameFault(name, seen) ?? conflict ?? column;
    if (isReason(found)) {
      const hint = header.length === 1 ? separatorHint(written) : null;
      const told = hint === null ? found : withAdvice(found, hint);
      faults.push({ ...syntaxFault(told, null, place), field: displayName(name) });
    } else {
      columns.push({ ...found, cell });
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
  const format = file.format === 'ndjson' ? 'ndjson' : 'json';
  const members = await jsonMembers(format, file.content());
  const names = members.map((name) => fieldOf(file, name));
  return [...new Set(names)]
    .filter((name) => name !== null)
    .map((name) => fileColumn(collection, name))
    .flatMap((column) => (isReason(column) ? [] : [column]));
}

/**
 * The columns of the file, from its beginning, and then those of constants.
 * @throws {UnreadableFile} when they cannot be found, or one of them cannot be imported
 */
export async function fileColumns(
  file: ImportFile,
  collection: ImportableCollection,
  related: NestedColumns,
): Promise<FileColumn[]> {
  const constants = constantColumns(collection);
  const own = hasCells(file.format)
    ? await csvColumns(file, collection, related)
    : await jsonColumns(file, collection);
  return [...own, ...constants];
}

/** The columns for reading any row of the file. */
export function widestColumns(
  file: ImportFile,
  collection: ImportableCollection,
  known: readonly FileColumn[],
): readonly FileColumn[] {
  if (hasCells(file.format)) return known;
  return [...allColumns(collection), ...constantColumns(collection)];
}

/**
 * The fault of a member without a column; null when it has one.
 * @throws {NestedItem} when it names related items
 */
export function memberFault(
  collection: ImportableCollection,
  related: NestedColumns,
  name: string,
  row: number,
): RowFault | null {
  const column = fileColumn(collection, name);
  if (!isReason(column)) return null;
  const nested = isConstant(collection, name) ? null : related.column(name);
  if (nested !== null && !isReason(nested)) throw new NestedItem();
  const field = displayName(name);
  return { row, field, value: null, code: 'INVALID_PAYLOAD', reason: column };
}

/** Reads the rows of the file; constants follow its own columns. */
export function rowReader(
  file: ImportFile,
  columns: readonly FileColumn[],
  handler: RowHandler,
): RowReader {
  const own = columns.filter(({ constant }) => constant === undefined);
  if (own.length === columns.length) return ownReader(file, columns, handler);
  return ownReader(file, own, withConstants(columns, own.length, handler));
}

function ownReader(
  file: ImportFile,
  columns: readonly FileColumn[],
  handler: RowHandler,
): RowReader {
  const { format, dialect, parameters, ignored, table } = file;
  if (table !== undefined) return tableRows(table, columns, parameters, handler);
  const fieldNamed = (name: string) => fieldOf(file, name);
  const omitsAny = Object.values(parameters.mapping ?? {}).includes(null);
  const values = omitsAny ? new IgnoredValues() : null;
  const watched = values && { values, isIgnored: (name: string) => fieldNamed(name) === null };
  const json = format === 'ndjson' ? 'ndjson' : 'json';
  const reader =
    dialect === null
      ? jsonRows({ format: json, columns, parameters, fieldNamed, ignored: values }, handler)
      : csvRows(dialect, columns, parameters, handler, watched);
  if (values === null) return reader;
  return {
    ...reader,
    end() {
      reader.end();
      ignored.settle(values);
    },
  };
}
