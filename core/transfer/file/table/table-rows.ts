/** Reads the frames of a table file into rows. */
import { stringify } from 'csv-stringify/sync';
import { reason } from '#core/base/errors/reason.ts';
import { parseExactJson } from '#core/base/json/exact-json.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { CONCEALED } from '#core/model/catalog/catalog.ts';
import { type Conversion, conversionOf } from '../cell-format.ts';
import { CellReader } from '../cell-reader.ts';
import { holdsBytes, valueText } from '../cell-text.ts';
import type { CopyText } from '../copy-text.ts';
import { type FileColumn, storedText } from '../file-column.ts';
import { NestedItem } from '../nested-column.ts';
import type { RowFault } from '../row-fault.ts';
import type { Row, RowHandler, RowReader } from '../row-reader.ts';
import { RowScanner } from '../row-scanner.ts';
import { digitsValue } from '../spelling.ts';
import { writeValue } from '../write-value.ts';
import {
  ABSENT,
  BINARY,
  ERROR,
  FRAME_HEAD,
  JSON_TEXT,
  LITERAL,
  MOMENT,
  NO_RESULT,
  NULL,
  TEXT,
} from './cell-frames.ts';
import { Cells } from './cells.ts';
import type { TableFile } from './table-file.ts';

/** Types of columns without an empty value. */
const NEVER_EMPTY = new Set([
  ...['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money', 'bool', 'uuid'],
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'],
]);

/** Whether a text is the value itself, and not JSON. */
function storesText(column: FileColumn): boolean {
  return column.form === 'plain' && column.links === null && !holdsBytes(column);
}

/** Converts the value of a moment; it keeps its notation, whatever the import says of texts. */
function momentConversion(column: FileColumn, { timezone }: ImportParameters): Conversion | null {
  return timezone === undefined ? null : conversionOf(column, { timezone });
}

class TableRow implements Row {
  readonly members = null;
  number = 0;
  line = 0;
  readonly #columns: readonly FileColumn[];
  readonly #reader: CellReader;
  readonly #cells: Cells;
  readonly #isText: readonly boolean[];
  readonly #texts: readonly (Conversion | null)[];
  readonly #moments: readonly (Conversion | null)[];
  /** Whether the bytes of a literal can be copied. */
  readonly #copied: readonly boolean[];
  /** The number of columns in the header. */
  readonly #width: number;

  constructor(
    columns: readonly FileColumn[],
    parameters: ImportParameters,
    cells: Cells,
    width: number,
  ) {
    this.#width = width;
    this.#columns = columns;
    this.#reader = new CellReader(columns, parameters);
    this.#cells = cells;
    this.#isText = columns.map(storesText);
    this.#texts = columns.map((column) => conversionOf(column, parameters));
    this.#moments = columns.map((column) => momentConversion(column, parameters));
    this.#copied = columns.map(
      (column) =>
        !column.masked &&
        column.links === null &&
        column.field.codec === null &&
        !holdsBytes(column),
    );
  }

  get skipsEmptyRows(): boolean {
    return this.#reader.skipsEmptyRows;
  }

  source(): string {
    return stringify([[...this.cells()]], { eof: false });
  }

  cells(): readonly string[] {
    const cells = this.#cells;
    const count = Math.max(cells.count, this.#width);
    return Array.from({ length: count }, (_, cell) =>
      cells.kind(cell) === ABSENT ? '' : cells.text(cell),
    );
  }

  #cell(column: number): number {
    return this.#columns[column]?.cell ?? 0;
  }

  value(column: number): string | null | undefined {
    const cell = this.#cell(column);
    const known = this.#columns[column];
    const kind = this.#cells.kind(cell);
    if (known === undefined || kind === ABSENT) return this.#reader.empty(column);
    if (kind === NULL) return null;
    if (kind === BINARY && (holdsBytes(known) || !this.#cells.isUtf8(cell))) {
      return this.#cells.hex(cell);
    }
    const text = this.#cells.text(cell);
    if (known.masked && text === CONCEALED) return undefined;
    if (kind === TEXT || kind === BINARY) return this.#text(column, known, text);
    if (kind === JSON_TEXT) {
      const value = parseExactJson(text);
      const isItem = known.links !== null && known.path === null;
      if (isItem && typeof value === 'object' && value !== null && !Array.isArray(value)) {
        throw new NestedItem();
      }
      return value === null ? null : storedText(known, valueText(value, known));
    }
    const isQuoted = known.form === 'json' && kind === MOMENT;
    const convert = kind === MOMENT ? this.#moments[column] : null;
    return storedText(known, isQuoted ? JSON.stringify(text) : (convert?.(text) ?? text));
  }

  #text(column: number, known: FileColumn, text: string): string | null | undefined {
    if (!this.#isText[column]) return this.#reader.value(column, text, true);
    if (text === '' && NEVER_EMPTY.has(known.field.column.typeName)) {
      return this.#reader.empty(column);
    }
    return storedText(known, this.#texts[column]?.(text) ?? text);
  }

  written(column: number): string | null {
    const kind = this.#cells.kind(this.#cell(column));
    return kind === ABSENT || kind === NULL ? null : this.#cells.text(this.#cell(column));
  }

  write(column: number, out: CopyText): boolean {
    const cells = this.#cells;
    const cell = this.#cell(column);
    const known = this.#columns[column];
    const kind = cells.kind(cell);
    if (known === undefined || kind === ABSENT) {
      return writeValue(this.#reader.empty(column), known?.check ?? null, out);
    }
    const { check, isUsual } = known;
    const isCopied =
      this.#copied[column] === true &&
      (kind === LITERAL ||
        (kind === TEXT && this.#isText[column] === true && this.#texts[column] === null) ||
        (kind === MOMENT && this.#moments[column] === null && known.form === 'plain'));
    const start = cells.starts[cell] ?? 0;
    const end = cells.ends[cell] ?? 0;
    if (isCopied && (check === null || isUsual?.(cells.bytes, start, end) === true)) {
      out.bytes(cells.bytes, start, end);
      return true;
    }
    return writeValue(this.value(column), check, out);
  }

  integer(column: number): number {
    const { bytes, starts, ends } = this.#cells;
    const cell = this.#cell(column);
    const start = starts[cell] ?? 0;
    const end = ends[cell] ?? 0;
    const isWhole = this.#cells.kind(cell) === LITERAL || this.#cells.kind(cell) === TEXT;
    return isWhole ? digitsValue(bytes, start, end) : Number.NaN;
  }
}

/** Finds cells that cannot be read. */
class CellCheck {
  readonly #table: TableFile;
  readonly #columns: readonly FileColumn[];
  readonly #named: readonly boolean[];
  readonly #isNamed: boolean;

  constructor(table: TableFile, columns: readonly FileColumn[]) {
    this.#table = table;
    this.#columns = columns;
    this.#named = table.header.map(({ name }) => name !== '');
    this.#isNamed = this.#named.every((isNamed) => isNamed);
  }

  /** Why a row cannot be read; null when it can. */
  fault(cells: Cells, row: number): RowFault | null {
    const addressOf = (cell: number) => this.#table.address(row, cell) ?? '';
    const base = { row, code: 'FAILED_VALIDATION' } as const;
    for (const { name, cell } of this.#columns) {
      if (cells.kind(cell) !== ERROR) continue;
      const error = cells.text(cell);
      const place = { cell: addressOf(cell) };
      const value = error === NO_RESULT ? null : error;
      const why =
        value === null
          ? reason('cell_without_result', place)
          : reason('cell_shows_error', { ...place, error });
      return { ...base, field: name, value, reason: why };
    }
    if (this.#isNamed && cells.count <= this.#named.length) return null;
    for (let cell = 0; cell < cells.count; cell += 1) {
      if (this.#named[cell] === true || !cells.hasValue(cell)) continue;
      const why = reason('cell_without_header', { cell: addressOf(cell) });
      return { ...base, field: null, value: null, reason: why };
    }
    return null;
  }
}

class FrameScanner extends RowScanner {
  readonly #take: (bytes: Buffer, start: number) => void;

  constructor(take: (bytes: Buffer, start: number) => void) {
    super();
    this.#take = take;
  }

  protected scan(bytes: Buffer): number {
    let at = 0;
    while (at + FRAME_HEAD <= bytes.length) {
      const size = bytes.readUInt32LE(at);
      if (at + size > bytes.length) break;
      this.#take(bytes, at);
      at += size;
    }
    return at;
  }
}

/** Reads the rows of a table file. */
export function tableRows(
  table: TableFile,
  columns: readonly FileColumn[],
  parameters: ImportParameters,
  handler: RowHandler,
): RowReader {
  const cells = new Cells();
  const row = new TableRow(columns, parameters, cells, table.header.length);
  const check = new CellCheck(table, columns);
  let next = 1;
  const scanner = new FrameScanner((bytes, start) => {
    cells.find(bytes, start);
    row.number = bytes.readUInt32LE(start + 4);
    row.line = bytes.readUInt32LE(start + 8);
    next = row.number + 1;
    if (row.skipsEmptyRows && !cells.hasValues()) {
      handler.skipped(row.number);
      return;
    }
    const fault = check.fault(cells, row.number);
    if (fault === null) handler.row(row);
    else handler.fault(fault, row.source());
  });
  return {
    push: (chunk) => scanner.push(chunk),
    end: () => scanner.end(),
    next: () => next,
  };
}
