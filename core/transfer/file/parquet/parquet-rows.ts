/** Reads the rows of a Parquet file as frames, page by page. */

import type { FileMetaData, RowGroup, SchemaTree } from 'hyparquet';
import { parquetMetadata } from 'hyparquet';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { COLUMNS_MAX, WIDE_HEADER } from '../csv-rows.ts';
import type { DecompressionLimits } from '../decompress.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import { FrameWriter, NULL } from '../table/cell-frames.ts';
import type { DeclaredType, TableFile } from '../table/table-file.ts';
import type { ReadableAt } from '../temporary-file.ts';
import { openColumn } from './column-cursor.ts';
import { damagedParquet, HeldPages, PAGE_BYTES_MAX, partTooLarge } from './page-reader.ts';
import { type ParquetColumn, parquetColumns } from './parquet-schema.ts';

/** The length of the metadata and the mark at the end of the file. */
const TAIL = 8;
const BATCH = 128 * 1024;
/** Content up to this size may have any ratio: short repetitive texts are harmless. */
const FREE_BYTES = 16 * 1024 * 1024;

/** Reports errors of the library as a damaged file. */
function within<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof ServiceError) throw error;
    throw damagedParquet(error instanceof Error ? error.message : String(error));
  }
}

function refused(why: ReturnType<typeof reason>): UnreadableFile {
  return new UnreadableFile(syntaxFault(why, null, null));
}

function metadataOf(file: ReadableAt): FileMetaData {
  const tail = Buffer.alloc(TAIL);
  if (file.read(tail, Math.max(0, file.size - TAIL)) < TAIL)
    throw damagedParquet('it is too short');
  const mark = tail.toString('latin1', 4);
  if (mark === 'PARE') throw refused(reason('parquet_encrypted'));
  const size = tail.readUInt32LE(0) + TAIL;
  if (mark !== 'PAR1' || size > file.size) throw damagedParquet('its end is missing');
  if (size > PAGE_BYTES_MAX) throw partTooLarge(size);
  const bytes = new Uint8Array(new ArrayBuffer(size));
  file.read(bytes, file.size - size);
  const metadata = parquetMetadata(bytes.buffer);
  const isEncrypted = metadata.row_groups.some(({ columns }) =>
    columns.some(({ crypto_metadata }) => crypto_metadata !== undefined),
  );
  if (isEncrypted) throw refused(reason('parquet_encrypted'));
  return metadata;
}

/** Checks that few bytes do not become very many. */
class Expansion {
  readonly #limits: DecompressionLimits;
  readonly #size: number;
  #bytes = 0;

  constructor(limits: DecompressionLimits, size: number) {
    this.#limits = limits;
    this.#size = size;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    const { bytes: most, ratio } = this.#limits;
    if (this.#bytes > most) {
      const variable = 'IMPORT_MAX_EXPANDED_SIZE';
      const why = reason('expanded_file_too_large', { limit: most });
      throw new ServiceError('CONTENT_TOO_LARGE', { limit: most, variable, reason: why });
    }
    if (this.#bytes <= FREE_BYTES || this.#bytes <= this.#size * ratio) return;
    const variable = 'IMPORT_MAX_EXPANSION';
    const why = reason('file_expands_too_far', { limit: ratio });
    throw new ServiceError('CONTENT_TOO_LARGE', { limit: ratio, variable, reason: why });
  }
}

interface Source {
  readonly file: ReadableAt;
  readonly root: SchemaTree;
  readonly columns: readonly ParquetColumn[];
}

/** Writes the rows of a group; a step yields after each batch. */
function* groupRows(
  source: Source,
  group: RowGroup,
  { out, first, read }: { out: FrameWriter; first: number; read: (bytes: number) => void },
): Generator<void> {
  const { file, root, columns } = source;
  const pages = { file, root, read, held: new HeldPages() };
  const cursors = columns.map((column) => openColumn(pages, group, column));
  const rows = Number(group.num_rows);
  for (let row = 0; row < rows; ) {
    let ready = rows - row;
    for (const cursor of cursors) {
      if (cursor.at === cursor.values.length && !cursor.more())
        throw damagedParquet('rows are missing');
      ready = Math.min(ready, cursor.values.length - cursor.at);
    }
    for (const end = row + ready; row < end; row += 1) {
      out.begin(first + row, first + row);
      for (const [place, cursor] of cursors.entries()) {
        const value: unknown = cursor.values[cursor.at];
        cursor.at += 1;
        const column = columns[place];
        if (column === undefined || value === null || value === undefined) {
          out.empty(NULL);
          continue;
        }
        const content = column.content(value);
        if (typeof content === 'string') out.text(column.kind, content);
        else out.bytes(column.kind, content);
      }
      out.end();
      if (out.length >= BATCH) yield;
    }
  }
}

function* frames(
  source: Source,
  { row_groups: groups }: FileMetaData,
  limits: DecompressionLimits,
  read: (bytes: number) => void,
): Generator<Buffer> {
  const out = new FrameWriter();
  const expansion = new Expansion(limits, source.file.size);
  let first = 1;
  for (const group of groups) {
    const rows = within(() => groupRows(source, group, { out, first, read }));
    while (within(() => rows.next()).done !== true) {
      const taken = out.take();
      expansion.add(taken.length);
      yield taken;
    }
    first += Number(group.num_rows);
  }
  yield out.take();
}

/** What a file has, and its rows. */
export interface ParquetRows extends Pick<TableFile, 'header'> {
  readonly types: readonly DeclaredType[];
  frames(read: (bytes: number) => void): Generator<Buffer>;
}

/**
 * Opens a Parquet file. Hostile content can occupy the library for long, so this runs in a thread.
 * @throws ServiceError CONTENT_TOO_LARGE
 * @throws {UnreadableFile}
 */
export function openRows(file: ReadableAt, limits: DecompressionLimits): ParquetRows {
  const metadata = within(() => metadataOf(file));
  const columns = within(() => parquetColumns(metadata));
  const [first] = columns;
  if (first === undefined) throw refused(reason('parquet_without_columns'));
  if (columns.length > COLUMNS_MAX) throw refused(WIDE_HEADER);
  const source = { file, columns, root: first.root };
  return {
    header: columns.map(({ name }, place) => ({ name, line: 1, column: place + 1 })),
    types: columns.map(({ declared }) => declared),
    frames: (read) => frames(source, metadata, limits, read),
  };
}
