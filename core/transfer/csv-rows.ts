/** Reads a CSV file into rows: the first record names the columns, an empty cell has no value. */

import { CONCEALED } from '#core/catalog/concealed-field.ts';
import { looksLikeTimestamp } from '#core/values/timestamp-text.ts';
import { cellText } from './cell-text.ts';
import type { CopyText } from './copy-text.ts';
import { type CsvHandler, type CsvRecord, CsvScanner, DOUBLED, PLAIN } from './csv-scanner.ts';
import { type FileColumn, storedText } from './file-column.ts';
import { malformed, UnreadableFile } from './row-fault.ts';
import type { Row, RowHandler, RowReader } from './row-reader.ts';
import { writeValue } from './write-value.ts';

const NOT_UTF8 = 'The row is not UTF-8.';

const ZERO = 0x30;

/** First bytes of cells that may be JSON: quotes, white space, `null`, `true`, `false`, lists. */
const MAY_BE_JSON = new Uint8Array(256);
for (const char of '" \t\n\rntf[') MAY_BE_JSON[char.charCodeAt(0)] = 1;

class CsvRow implements Row {
  number = 0;
  readonly #columns: readonly FileColumn[];
  #record: CsvRecord;

  constructor(columns: readonly FileColumn[], record: CsvRecord) {
    this.#columns = columns;
    this.#record = record;
  }

  get line(): number {
    return this.#record.line;
  }

  source(): string {
    return this.#record.source();
  }

  value(column: number): string | null | undefined {
    const record = this.#record;
    if (record.starts[column] === record.ends[column]) return undefined;
    const known = this.#columns[column];
    const cell = record.text(column);
    if (cell === CONCEALED && known?.masked) return undefined;
    // In a document that is the null of JSON, which is a value.
    const isJsonNull = cell === 'null' && known?.form === 'json' && record.forms[column] !== PLAIN;
    const text = isJsonNull ? cell : cellText(cell, known?.form ?? 'plain');
    return text === null || known === undefined ? text : storedText(known, text);
  }

  write(column: number, out: CopyText): boolean {
    const record = this.#record;
    const start = record.starts[column] ?? 0;
    const end = record.ends[column] ?? 0;
    if (start === end) return false;
    const known = this.#columns[column];
    const check = known?.check ?? null;
    const isPlain = record.forms[column] !== DOUBLED && MAY_BE_JSON[record.bytes[start] ?? 0] === 0;
    const isKnown =
      check === null || (known?.temporal && looksLikeTimestamp(record.bytes, start, end));
    if (isPlain && isKnown && !known?.masked) {
      out.bytes(record.bytes, start, end);
      return true;
    }
    return writeValue(this.value(column), check, out);
  }

  integer(column: number): number {
    const { bytes, starts, ends } = this.#record;
    const start = starts[column] ?? 0;
    const end = ends[column] ?? 0;
    if (end === start || end - start > EXACT_DIGITS) return Number.NaN;
    let value = 0;
    for (let at = start; at < end; at += 1) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    return value;
  }
}

/** Digits that a double stores exactly. */
const EXACT_DIGITS = 15;

function isEmpty(record: CsvRecord): boolean {
  for (let cell = 0; cell < record.count; cell += 1) {
    if (record.starts[cell] !== record.ends[cell]) return false;
  }
  return true;
}

/** PostgreSQL's maximum number of columns. */
const COLUMNS_MAX = 1_600;
const WIDE_HEADER = `The header has more than ${COLUMNS_MAX} columns, which no table has.`;

/** Reads the rows after the header; each must have as many cells as there are columns. */
export function csvRows(columns: readonly FileColumn[], handler: RowHandler): RowReader {
  let number = -1;
  let row: CsvRow | undefined;
  const wide = `A row has more than ${COLUMNS_MAX} cells, the header has ${columns.length}.`;
  const handle: CsvHandler = {
    record(record) {
      number += 1;
      // The header, which was read before.
      if (number === 0) return;
      if (record.count !== columns.length) {
        const reason = `The row has ${record.count} cells, the header has ${columns.length}.`;
        handler.fault(malformed(reason, number, record.place(record.start)), record.source());
      } else if (isEmpty(record)) {
        handler.skipped(number);
      } else {
        row ??= new CsvRow(columns, record);
        row.number = number;
        handler.row(row);
      }
    },
    badEncoding(record) {
      number += 1;
      handler.fault(malformed(NOT_UTF8, number, record.place(record.start)), record.source());
    },
  };
  const scanner = new CsvScanner(handle, { cells: COLUMNS_MAX, reason: wide });
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
  };
}

function namesOf(record: CsvRecord): { name: string; line: number; column: number }[] {
  return record.places().map((place, cell) => ({ name: record.text(cell), ...place }));
}

/** The names in the first record, each with its position in the file; null when there is none. */
export async function csvHeader(
  source: AsyncIterable<Buffer>,
): Promise<{ name: string; line: number; column: number }[] | null> {
  let header: { name: string; line: number; column: number }[] | null = null;
  const handler: CsvHandler = {
    record(record) {
      header ??= namesOf(record);
    },
    badEncoding(record) {
      const fault = malformed('The header is not UTF-8.', null, record.place(record.start));
      if (header === null) throw new UnreadableFile(fault);
    },
  };
  const scanner = new CsvScanner(handler, { cells: COLUMNS_MAX, reason: WIDE_HEADER });
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
