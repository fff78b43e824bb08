/** Reads the pages of one leaf column in a row group, one after another and within bounds. */

import type { ColumnMetaData, DecodedArray, ParquetParsers, SchemaTree } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import type { ReadableAt } from '../temporary-file.ts';
import { decompressors } from './decompressors.ts';

/** Most bytes of one page, and of all pages of a document that are read at one time. */
export const PAGE_BYTES_MAX = 64 * 1024 * 1024;
/** Most bytes of the pages of all columns that are in memory at one time. */
const HELD_BYTES_MAX = 256 * 1024 * 1024;
/** The bytes of a decoded value, which a page may have encoded in less than a bit. */
const VALUE_BYTES = 8;
/** Most values of one page: few bytes can repeat a value without end. */
const PAGE_VALUES_MAX = 4_000_000;
/** The first bytes that are read for the header of a page; statistics can make it longer. */
const HEADER_BYTES = 4 * 1024;
const HEADER_BYTES_MAX = 1024 * 1024;

/** Keeps the digits of moments; the logical types of the schema are removed. */
export const EXACT_PARSERS: ParquetParsers = {
  ...DEFAULT_PARSERS,
  timestampFromNanoseconds: (nanos) => nanos,
};

/** The fault of a file that cannot be read. */
export function damagedParquet(message: string): UnreadableFile {
  return new UnreadableFile(syntaxFault(reason('parquet_damaged', { message }), null, null));
}

/** The error of a part that does not fit into memory. */
export function partTooLarge(size: number, limit = PAGE_BYTES_MAX): ServiceError {
  const why = reason('parquet_part_too_large', { size, limit });
  return new ServiceError('CONTENT_TOO_LARGE', { limit, reason: why });
}

type Page = ReturnType<typeof parquetHeader>;
type ColumnDecoder = Parameters<typeof readPage>[2];

/** The bytes of the pages that the columns of a row group hold. */
export class HeldPages {
  #bytes = 0;

  /** @throws ServiceError CONTENT_TOO_LARGE when all columns together hold too much */
  change(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > HELD_BYTES_MAX) throw partTooLarge(this.#bytes, HELD_BYTES_MAX);
  }
}

/** Where the columns of a row group are read from. */
export interface PageSource {
  readonly file: ReadableAt;
  /** Is called with the number of file bytes as they are read. */
  readonly read: (bytes: number) => void;
  readonly held: HeldPages;
}

export class PageReader {
  readonly #file: ReadableAt;
  readonly #decoder: ColumnDecoder;
  readonly #read: (bytes: number) => void;
  readonly #held: HeldPages;
  #pageBytes = 0;
  #at: number;
  readonly #end: number;
  #dictionary: DecodedArray | undefined;

  /** @param schemaPath from the root of the schema to the leaf */
  constructor({ file, read, held }: PageSource, meta: ColumnMetaData, schemaPath: SchemaTree[]) {
    const element = schemaPath.at(-1)?.element;
    if (element === undefined) throw damagedParquet('a column is missing');
    if (meta.codec !== 'UNCOMPRESSED' && decompressors[meta.codec] === undefined) {
      const why = reason('parquet_codec_unknown', { codec: String(meta.codec) });
      throw new UnreadableFile(syntaxFault(why, null, null));
    }
    this.#file = file;
    this.#read = read;
    this.#held = held;
    this.#decoder = {
      ...{ pathInSchema: meta.path_in_schema, type: meta.type, element, schemaPath },
      ...{ codec: meta.codec, parsers: EXACT_PARSERS, compressors: decompressors, utf8: false },
    };
    const data = Number(meta.data_page_offset);
    const dictionary = Number(meta.dictionary_page_offset ?? 0);
    this.#at = dictionary > 0 && dictionary < data ? dictionary : data;
    this.#end = Math.min(file.size, this.#at + Number(meta.total_compressed_size));
    if (!(this.#at >= 4 && this.#end > this.#at)) throw damagedParquet('a column has no place');
  }

  /**
   * The values of the next page; null at the end. A value of `previous` may continue in it.
   * @throws {UnreadableFile} {ServiceError}
   */
  next(previous?: DecodedArray): DecodedArray | null {
    while (this.#at < this.#end) {
      const header = this.#header();
      const body = this.#body(header);
      const reader = {
        view: new DataView(body.buffer, body.byteOffset, body.byteLength),
        offset: 0,
      };
      const { data } = readPage(reader, header, this.#decoder, this.#dictionary, previous, 0);
      if (header.type === 'DICTIONARY_PAGE') {
        if (data !== undefined) this.#dictionary = convert(data, this.#decoder);
      } else if (data !== undefined && data.length > 0) {
        return data;
      }
    }
    return null;
  }

  #header(): Page {
    for (let size = HEADER_BYTES; ; size *= 4) {
      const bytes = Buffer.alloc(Math.min(size, this.#end - this.#at));
      const filled = this.#file.read(bytes, this.#at);
      const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, filled), offset: 0 };
      try {
        const header = parquetHeader(reader);
        this.#at += reader.offset;
        this.#read(reader.offset);
        return header;
      } catch (error) {
        if (size >= HEADER_BYTES_MAX || bytes.length < size) throw error;
      }
    }
  }

  #body(header: Page): Uint8Array {
    const size = header.compressed_page_size;
    const largest = Math.max(size, header.uncompressed_page_size);
    if (!(size >= 0 && this.#at + size <= this.#end)) throw damagedParquet('a page is cut off');
    if (largest > PAGE_BYTES_MAX) throw partTooLarge(largest);
    const { num_values: values = 0 } =
      header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header ?? {};
    if (!(values >= 0 && values <= PAGE_VALUES_MAX)) throw partTooLarge(values);
    this.#hold(header, Math.max(largest, values * VALUE_BYTES));
    const body = new Uint8Array(new ArrayBuffer(size));
    if (this.#file.read(body, this.#at) < size) throw damagedParquet('a page is cut off');
    this.#at += size;
    this.#read(size);
    return body;
  }

  /** Counts a page; it replaces the last one, but not the dictionary. */
  #hold({ type }: Page, bytes: number): void {
    if (type === 'DICTIONARY_PAGE') {
      this.#held.change(bytes);
      return;
    }
    this.#held.change(bytes - this.#pageBytes);
    this.#pageBytes = bytes;
  }
}
