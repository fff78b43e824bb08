/**
 * Reads CSV files of any dialect through csv-parse. It creates a string per cell, so it is slower
 * than the scanner of RFC 4180.
 */
import { CsvError, type Options, Parser } from 'csv-parse';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { CellReader, isPlainText } from './cell-reader.ts';
import type { CopyText } from './copy-text.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { COLUMNS_MAX, type HeaderCell, readHeader, WIDE_HEADER } from './csv-rows.ts';
import type { FileColumn } from './file-column.ts';
import { type WatchedColumns, watchedCells } from './ignored-columns.ts';
import { type FilePosition, quoteFault, syntaxFault, UnreadableFile } from './row-fault.ts';
import type { Row, RowHandler, RowReader } from './row-reader.ts';
import { ROW_BYTES_MAX } from './row-scanner.ts';
import { writeValue } from './write-value.ts';

/** The number of bytes to parse at once; the length of a row is checked in between. */
const PIECE = 64 * 1024;
const LF = 0x0a;

const TOO_LONG = reason('row_too_long', { limit: ROW_BYTES_MAX });
const TOO_WIDE = reason('row_has_too_many_cells', { columnsMax: COLUMNS_MAX });

const REASONS: Readonly<Record<string, Reason>> = {
  INVALID_OPENING_QUOTE: reason('quote_inside_bare_cell'),
  CSV_INVALID_CLOSING_QUOTE: reason('text_after_closing_quote', { separator: 'separator' }),
  CSV_QUOTE_NOT_CLOSED: reason('quote_not_closed'),
  CSV_MAX_RECORD_SIZE: TOO_LONG,
};

/** Receives the records; blank lines and comments are skipped. */
type RecordHandler = (cells: readonly string[], line: number) => void;

function optionsOf(dialect: CsvDialect, onRecord: NonNullable<Options['on_record']>): Options {
  const { separator, quote, escape: before, comment } = dialect;
  return {
    ...{ delimiter: separator, quote: quote ?? false, escape: before, comment },
    ...{ comment_no_infix: true, bom: true, relax_column_count: true, skip_empty_lines: true },
    ...{ record_delimiter: ['\r\n', '\n', '\r'], max_record_size: ROW_BYTES_MAX },
    on_record: onRecord,
  };
}

/** Splits a file into records; chunks may end anywhere. */
class RecordParser {
  readonly #dialect: CsvDialect;
  readonly #parser: Parser;
  #failure: unknown;
  /** Bytes before the current piece. */
  #before = 0;
  #piece: Buffer = Buffer.alloc(0);
  /** Line of the last byte of the latest record, as counted by csv-parse. */
  #lines = 0;
  /** Blank lines and comments up to that line. */
  #skipped = 0;
  /** Excess lines: csv-parse counts both characters of a line break inside quotes. */
  #overcounted = 0;

  constructor(dialect: CsvDialect, handle: RecordHandler) {
    this.#dialect = dialect;
    this.#parser = new Parser(
      optionsOf(dialect, (cells: readonly string[], { lines }) => {
        this.#skipped = this.#skippedLines();
        try {
          handle(cells, this.#firstLine(cells, lines));
        } catch (error) {
          this.#failure ??= error;
          throw error;
        }
        return null;
      }),
    );
    // The error is read from the stream after each piece.
    this.#parser.on('error', () => undefined);
  }

  /** The line on which a record begins. */
  #firstLine(cells: readonly string[], lines: number): number {
    const isSimple = lines <= this.#lines + 1;
    this.#lines = lines;
    if (isSimple) return lines - this.#overcounted;
    let breaks = 0;
    for (const cell of cells) {
      for (const [text] of cell.matchAll(/\r\n|\n|\r/g)) {
        breaks += 1;
        this.#overcounted += text.length - 1;
      }
    }
    return lines - this.#overcounted - breaks;
  }

  push(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; from += PIECE) {
      this.#before += this.#piece.length;
      this.#piece = chunk.subarray(from, from + PIECE);
      this.#parser.write(this.#piece);
      this.#check();
      const pending = this.#before + this.#piece.length - this.#parser.info.bytes;
      if (pending > ROW_BYTES_MAX + PIECE) this.#fail(TOO_LONG, null);
      if (this.#cells() > COLUMNS_MAX) this.#fail(TOO_WIDE, null);
    }
  }

  #skippedLines(): number {
    const { comment_lines: comments, empty_lines: blanks } = this.#parser.info;
    return comments + blanks;
  }

  /**
   * The number of cells of the incomplete record; csv-parse limits their text, not their number.
   */
  #cells(): number {
    const state: unknown = Reflect.get(this.#parser, 'state');
    const record: unknown =
      typeof state === 'object' && state !== null ? Reflect.get(state, 'record') : null;
    return Array.isArray(record) ? record.length : 0;
  }

  end(): void {
    this.#parser.end();
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    const { errored } = this.#parser;
    if (errored === null || errored === undefined) return;
    if (!(errored instanceof CsvError)) throw errored;
    const why = REASONS[errored.code];
    if (why === undefined) throw errored;
    this.#fail(why, errored.code);
  }

  #fail(why: Reason, code: string | null): never {
    const skipped = this.#skippedLines() - this.#skipped;
    const row = { line: this.#lines - this.#overcounted + 1 + skipped, column: 1 };
    throw new UnreadableFile(quoteFault(why, this.#place(code, row), row));
  }

  /** The position of the fault, as far as the current piece shows it. */
  #place(code: string | null, row: FilePosition): FilePosition {
    const cell = this.#parser.info.bytes - this.#before;
    const { quote, separator } = this.#dialect;
    const isStray = code === 'INVALID_OPENING_QUOTE' || code === 'CSV_INVALID_CLOSING_QUOTE';
    if (!isStray || quote === null || cell < 0) return row;
    const text = this.#piece.toString('utf8', cell);
    const skipped = text.startsWith(separator) ? separator.length : 0;
    const at = this.#strayQuote(text, skipped, code === 'CSV_INVALID_CLOSING_QUOTE', quote);
    const lineStart = this.#piece.lastIndexOf(LF, Math.max(cell - 1, 0)) + 1;
    const own = text.slice(0, at).split(/\r\n|\n|\r/);
    const before = this.#piece.toString('utf8', cell === 0 ? 0 : lineStart, cell);
    const line = this.#parser.info.lines - this.#overcounted;
    const column = Array.from(own.length > 1 ? (own.at(-1) ?? '') : before + own[0]).length + 1;
    return { line, column };
  }

  #strayQuote(text: string, from: number, closing: boolean, quote: string): number {
    if (!closing) return Math.max(text.indexOf(quote, from + 1), 0);
    const { escape: before } = this.#dialect;
    let at = text.indexOf(quote, from + 1);
    while (at >= 0) {
      const isDoubled = before === quote && text.startsWith(quote, at + 1);
      const isEscaped = before !== quote && before !== null && text[at - 1] === before;
      if (!isDoubled && !isEscaped) return at + 1;
      at = text.indexOf(quote, at + (isDoubled ? 2 : 1));
    }
    return from;
  }
}

/**
 * The text of a record, written again; csv-parse preserves the original only at the cost of speed.
 */
function textOf({ separator, quote }: CsvDialect, cells: readonly string[]): string {
  if (quote === null) return cells.join(separator);
  const written = cells.map((cell) => {
    const isBare = !cell.includes(separator) && !cell.includes(quote) && !/[\r\n]/.test(cell);
    return isBare ? cell : `${quote}${cell.replaceAll(quote, quote + quote)}${quote}`;
  });
  return written.join(separator);
}

class DialectRow implements Row {
  readonly members = null;
  number = 0;
  line = 0;
  record: readonly string[] = [];
  readonly #dialect: CsvDialect;
  readonly #columns: readonly FileColumn[];
  readonly #reader: CellReader;

  constructor(dialect: CsvDialect, columns: readonly FileColumn[], reader: CellReader) {
    this.#dialect = dialect;
    this.#columns = columns;
    this.#reader = reader;
  }

  source(): string {
    return textOf(this.#dialect, this.record);
  }

  cells(): readonly string[] {
    return this.record;
  }

  #cell(column: number): string {
    return this.record[this.#columns[column]?.cell ?? 0] ?? '';
  }

  value(column: number): string | null | undefined {
    return this.#reader.value(column, this.#cell(column), false);
  }

  written(column: number): string | null {
    return this.#cell(column) || null;
  }

  write(column: number, out: CopyText): boolean {
    const cell = this.#cell(column);
    const check = this.#columns[column]?.check ?? null;
    const isCopied =
      check === null &&
      cell !== '' &&
      isPlainText(cell.charCodeAt(0), cell.charCodeAt(cell.length - 1));
    if (!isCopied || !this.#reader.copies(column)) {
      return writeValue(this.#reader.value(column, cell, false), check, out);
    }
    out.text(cell);
    return true;
  }

  integer(column: number): number {
    const cell = this.#cell(column);
    return /^\d{1,15}$/.test(cell) ? Number(cell) : Number.NaN;
  }
}

/** Reads the rows after the header; each must have as many cells as the header. */
export function dialectRows(
  { watched = null, ...dialect }: CsvDialect & { readonly watched?: WatchedColumns | null },
  columns: readonly FileColumn[],
  parameters: ImportParameters,
  handler: RowHandler,
): RowReader {
  const reader = new CellReader(columns, parameters);
  const row = new DialectRow(dialect, columns, reader);
  let ignored: ReturnType<typeof watchedCells> = [];
  let width: number | null = null;
  const parser = new RecordParser(dialect, (cells, line) => {
    if (width === null) {
      width = cells.length;
      ignored = watchedCells(cells, watched);
      return;
    }
    row.number += 1;
    for (const [cell, name] of ignored) {
      if ((cells[cell] ?? '') !== '') watched?.values.add(name);
    }
    if (cells.length !== width) {
      const why = reason('row_cells_differ_from_header', { cells: cells.length, width });
      const place = { line, column: 1 };
      handler.fault(syntaxFault(why, row.number, place), textOf(dialect, cells));
    } else if (reader.skipsEmptyRows && cells.every((cell) => cell === '')) {
      handler.skipped(row.number);
    } else {
      row.record = cells;
      row.line = line;
      handler.row(row);
    }
  });
  return {
    push: (chunk) => parser.push(chunk),
    end: () => parser.end(),
    next: () => row.number + 1,
  };
}

/** The names in the first record, each with its line; null without records. */
export async function dialectHeader(
  dialect: CsvDialect,
  source: AsyncIterable<Buffer>,
): Promise<HeaderCell[] | null> {
  let header: HeaderCell[] | null = null;
  const parser = new RecordParser(dialect, (cells, line) => {
    if (header !== null) return;
    if (cells.length > COLUMNS_MAX) {
      throw new UnreadableFile(syntaxFault(WIDE_HEADER, null, { line, column: 1 }));
    }
    let column = 1;
    header = cells.map((name) => {
      const place = { name, line, column };
      column += Array.from(name).length + 1;
      return place;
    });
  });
  return await readHeader(source, parser, () => header);
}
