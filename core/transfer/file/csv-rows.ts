/** Reads a CSV file into rows: the first record names the columns, an empty cell has no value. */

import { reason } from '#core/base/errors/reason.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { CellReader, isPlainText } from './cell-reader.ts';
import type { CopyText } from './copy-text.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { type CsvRecord, DOUBLED, PLAIN } from './csv-record.ts';
import { type CsvHandler, type CsvNotation, CsvScanner } from './csv-scanner.ts';
import type { FileColumn } from './file-column.ts';
import { type WatchedColumns, watchedCells } from './ignored-columns.ts';
import { syntaxFault, UnreadableFile } from './row-fault.ts';
import type { Row, RowHandler, RowReader } from './row-reader.ts';
import { digitsValue } from './spelling.ts';
import { writeValue } from './write-value.ts';

const NOT_UTF8 = reason('row_not_utf8');

const BRACE = 0x7b;

class CsvRow implements Row {
  readonly members = null;
  number = 0;
  readonly #columns: readonly FileColumn[];
  /** The indexes of their cells. */
  readonly #cells: Int32Array;
  /** 1 for columns whose cells can be copied, 2 for those where an object cannot. */
  readonly #copied: Uint8Array;
  readonly #reader: CellReader;
  readonly #record: CsvRecord;

  constructor(columns: readonly FileColumn[], reader: CellReader, record: CsvRecord) {
    this.#columns = columns;
    this.#cells = Int32Array.from(columns, ({ cell }) => cell);
    this.#copied = Uint8Array.from(columns, ({ links }, column) => {
      if (!reader.copies(column)) return 0;
      return links === null ? 1 : 2;
    });
    this.#reader = reader;
    this.#record = record;
  }

  get line(): number {
    return this.#record.line;
  }

  source(): string {
    return this.#record.source();
  }

  cells(): readonly string[] {
    return Array.from({ length: this.#record.count }, (_, cell) => this.#record.text(cell));
  }

  value(column: number): string | null | undefined {
    const record = this.#record;
    const cell = this.#cells[column] ?? 0;
    if (record.starts[cell] === record.ends[cell]) return this.#reader.empty(column);
    return this.#reader.value(column, record.text(cell), record.forms[cell] !== PLAIN);
  }

  written(column: number): string | null {
    return this.#record.text(this.#cells[column] ?? 0) || null;
  }

  write(column: number, out: CopyText): boolean {
    const record = this.#record;
    const cell = this.#cells[column] ?? 0;
    const start = record.starts[cell] ?? 0;
    const end = record.ends[cell] ?? 0;
    const known = this.#columns[column];
    const check = known?.check ?? null;
    if (start === end) return writeValue(this.#reader.empty(column), check, out);
    const isPlain =
      record.forms[cell] !== DOUBLED &&
      isPlainText(record.bytes[start] ?? 0, record.bytes[end - 1] ?? 0);
    const isUsual = known?.isUsual ?? null;
    const isKnown = isUsual === null ? check === null : isUsual(record.bytes, start, end);
    const copied = this.#copied[column] ?? 0;
    const isCopied = copied === 1 || (copied === 2 && record.bytes[start] !== BRACE);
    if (isPlain && isKnown && isCopied && !this.#isNull(cell)) {
      out.bytes(record.bytes, start, end);
      return true;
    }
    return writeValue(this.value(column), check, out);
  }

  /** Whether the cell has one of the texts that mean null. */
  #isNull(cell: number): boolean {
    const { nulls } = this.#reader;
    return nulls?.has(this.#record.text(cell)) === true;
  }

  integer(column: number): number {
    const { bytes, starts, ends } = this.#record;
    const cell = this.#cells[column] ?? 0;
    return digitsValue(bytes, starts[cell] ?? 0, ends[cell] ?? 0);
  }
}

/** PostgreSQL's maximum number of columns. */
export const COLUMNS_MAX = 1_600;
export const WIDE_HEADER = reason('header_has_too_many_columns', { columnsMax: COLUMNS_MAX });

/** How the file is written. */
function notationOf(dialect: CsvDialect, { quotes }: ImportParameters): CsvNotation {
  return { dialect, isLenient: quotes === 'lenient' };
}

/**
 * Reads the rows after the header; each must have as many cells as the header, unless the options
 * add missing ones.
 */
export function csvRows(
  dialect: CsvDialect,
  columns: readonly FileColumn[],
  parameters: ImportParameters,
  handler: RowHandler,
  watched: WatchedColumns | null = null,
): RowReader {
  const reader = new CellReader(columns, parameters);
  let ignored: ReturnType<typeof watchedCells> = [];
  const isPadded = parameters.ragged === 'pad';
  let number = -1;
  let width = 0;
  let row: CsvRow | undefined;
  const wide = reason('row_has_too_many_cells', { columnsMax: COLUMNS_MAX });
  const handle: CsvHandler = {
    record(record) {
      number += 1;
      // The header, which was read before.
      if (number === 0) {
        width = record.count;
        if (watched !== null) ignored = watchedCells(namesOf(record).map(nameOf), watched);
        return;
      }
      if (watched !== null) countIgnored(record, ignored, watched);
      if (isPadded && record.count !== width) {
        if (record.count < width) record.pad(width);
        else if (record.isEmptyFrom(width)) record.count = width;
      }
      if (record.count !== width) {
        const why = reason('row_cells_differ_from_header', { cells: record.count, width });
        handler.fault(syntaxFault(why, number, record.place(record.start)), record.source());
      } else if (reader.skipsEmptyRows && record.isEmptyFrom(0)) {
        handler.skipped(number);
      } else {
        row ??= new CsvRow(columns, reader, record);
        row.number = number;
        handler.row(row);
      }
    },
    badEncoding(record) {
      number += 1;
      handler.fault(syntaxFault(NOT_UTF8, number, record.place(record.start)), record.source());
    },
    malformed:
      parameters.onError === 'skip'
        ? (fault, source) => {
            number += 1;
            handler.fault({ ...fault, row: number }, source);
          }
        : undefined,
  };
  const bound = { cells: COLUMNS_MAX, reason: wide };
  const scanner = new CsvScanner(handle, bound, notationOf(dialect, parameters));
  const within = (read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof UnreadableFile) || error.fault.row !== null) throw error;
      throw new UnreadableFile({ ...error.fault, row: number + 1 });
    }
  };
  return {
    push: (chunk) => within(() => scanner.push(chunk)),
    end: () => within(() => scanner.end()),
    next: () => number + 1,
  };
}

/** A name in the header, and its position in the file. */
export interface HeaderCell {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** Counts the cells of omitted columns that are not empty. */
function countIgnored(
  record: CsvRecord,
  cells: ReturnType<typeof watchedCells>,
  { values }: WatchedColumns,
): void {
  for (const [cell, name] of cells) {
    if (record.starts[cell] !== record.ends[cell]) values.add(name);
  }
}

const nameOf = ({ name }: HeaderCell) => name;

function namesOf(record: CsvRecord): HeaderCell[] {
  return record.places().map((place, cell) => ({ name: record.text(cell), ...place }));
}

/** The names in the first record; null without records. */
export async function csvHeader(
  dialect: CsvDialect,
  parameters: ImportParameters,
  source: AsyncIterable<Buffer>,
): Promise<HeaderCell[] | null> {
  let header: HeaderCell[] | null = null;
  const handler: CsvHandler = {
    record(record) {
      header ??= namesOf(record);
    },
    badEncoding(record) {
      const fault = syntaxFault(reason('header_not_utf8'), null, record.place(record.start));
      if (header === null) throw new UnreadableFile(fault);
    },
  };
  const bound = { cells: COLUMNS_MAX, reason: WIDE_HEADER };
  const scanner = new CsvScanner(handler, bound, notationOf(dialect, parameters));
  try {
    for await (const chunk of source) {
      scanner.push(chunk);
      if (header !== null) return header;
    }
    scanner.end();
  } catch (error) {
    // Later faults are found when the rows are read.
    if (header === null) throw error;
  }
  return header;
}
