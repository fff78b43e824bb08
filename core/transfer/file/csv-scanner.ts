/**
 * Splits CSV (RFC 4180, UTF-8) into cells without decoding them. Written by hand, because a library
 * that creates a string for each cell costs more than the COPY of the rows (figures:
 * ops/docs/decisions/transfer.md).
 */
import { isUtf8 } from 'node:buffer';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { type FilePosition, quoteFault, UnreadableFile } from './row-fault.ts';
import { ROW_BYTES_MAX, RowScanner } from './row-scanner.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** 1 for the bytes that end a cell without quotes, or are not allowed in it. */
const STOPS = new Uint8Array(256);
for (const byte of [QUOTE, COMMA, LF, CR]) STOPS[byte] = 1;

/** The notation of a cell: bare, quoted, or quoted with doubled quotes inside. */
export const PLAIN = 0;
const QUOTED = 1;
export const DOUBLED = 2;

/** The cells of one record as ranges of bytes; the same object for every record. */
export class CsvRecord {
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  forms = new Uint8Array(64);
  /** The first byte of the record, and the byte after its last one. */
  start = 0;
  end = 0;
  /** Line of the file on which the record begins, from 1. */
  line = 1;

  /** Makes room for more cells. */
  grow(): void {
    const { starts, ends, forms } = this;
    this.starts = new Int32Array(starts.length * 2);
    this.starts.set(starts);
    this.ends = new Int32Array(ends.length * 2);
    this.ends.set(ends);
    this.forms = new Uint8Array(forms.length * 2);
    this.forms.set(forms);
  }

  /** The text of a cell. */
  text(cell: number): string {
    const text = this.bytes.toString('utf8', this.starts[cell], this.ends[cell]);
    return this.forms[cell] === DOUBLED ? text.replaceAll('""', '"') : text;
  }

  /** The text of the record. */
  source(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  /** The lines and columns of all cells, in one pass. */
  places(): FilePosition[] {
    let { line, start: before } = this;
    let column = 1;
    return Array.from(this.starts.subarray(0, this.count), (at) => {
      const lines = this.bytes.toString('utf8', before, at).split('\n');
      if (lines.length > 1) column = 1;
      line += lines.length - 1;
      column += Array.from(lines.at(-1) ?? '').length;
      before = at;
      return { line, column };
    });
  }

  /** The line and column of a byte of this record. */
  place(at: number): FilePosition {
    const before = this.bytes.toString('utf8', this.start, at);
    const lines = before.split('\n');
    const column = Array.from(lines.at(-1) ?? '').length + 1;
    return { line: this.line + lines.length - 1, column };
  }
}

/** Receives each record; blank lines are skipped. */
export interface CsvHandler {
  record(record: CsvRecord): void;
  /** A record with invalid UTF-8; it is not delivered otherwise. */
  badEncoding(record: CsvRecord): void;
}

/** The maximum number of cells of a record, and the reason for rejecting one with more. */
export interface CsvBound {
  readonly cells: number;
  readonly reason: Reason;
}

/** Reads a file record by record. */
export class CsvScanner extends RowScanner {
  readonly #handler: CsvHandler;
  readonly #bound: CsvBound;
  readonly #record = new CsvRecord();
  #begun = false;
  #line = 1;
  /** Line breaks inside the quotes of the current record. */
  #inner = 0;

  /** @param bound a record with more cells is rejected before it is read completely */
  constructor(handler: CsvHandler, bound: CsvBound) {
    super();
    this.#handler = handler;
    this.#bound = bound;
  }

  protected override scan(bytes: Buffer, final: boolean): number {
    let from = 0;
    if (!this.#begun) {
      if (bytes.length < BOM.length && !final) {
        return 0;
      }
      this.#begun = true;
      if (bytes.subarray(0, BOM.length).equals(BOM)) from = BOM.length;
    }
    // No record ends after the last line break, and no character is split before it.
    const whole = final ? bytes.length : Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
    const clean = isUtf8(bytes.subarray(from, whole));
    const record = this.#record;
    record.bytes = bytes;
    while (from < bytes.length) {
      const next = this.#cells(bytes, from, final);
      if (next < 0) break;
      const blank = record.count === 1 && record.end === from;
      if (!blank) {
        if (clean || isUtf8(bytes.subarray(from, record.end))) this.#handler.record(record);
        else this.#handler.badEncoding(record);
      }
      this.#line += this.#inner + 1;
      from = next;
    }
    const rest = bytes.length - from;
    if (rest > ROW_BYTES_MAX) this.#fail(from, TOO_LONG);
    return from;
  }

  /** Finds the cells of the record at `start`; the start of the next one, or -1 to wait. */
  #cells(bytes: Buffer, start: number, final: boolean): number {
    const record = this.#record;
    const end = bytes.length;
    let at = start;
    let count = 0;
    record.start = start;
    record.line = this.#line;
    this.#inner = 0;
    for (;;) {
      if (count === record.starts.length) record.grow();
      if (count === this.#bound.cells) this.#fail(start, this.#bound.reason);
      let from = at;
      let form = PLAIN;
      if (at < end && bytes[at] === QUOTE) {
        from = at + 1;
        at = this.#closingQuote(bytes, from, final);
        if (at < 0) return -1;
        form = this.#doubled ? DOUBLED : QUOTED;
        record.ends[count] = at;
        at += 1;
      } else {
        while (at < end && STOPS[bytes[at] ?? 0] === 0) at += 1;
        record.ends[count] = at;
      }
      record.starts[count] = from;
      record.forms[count] = form;
      count += 1;
      if (at === end && !final) return -1;
      const stop = at === end ? LF : bytes[at];
      if (stop === COMMA) {
        at += 1;
        continue;
      }
      if (stop !== LF && stop !== CR) this.#fail(at, form === PLAIN ? STRAY_QUOTE : AFTER_QUOTE);
      // A line feed may follow in the next chunk.
      if (stop === CR && at + 1 === end && !final) return -1;
      record.count = count;
      record.end = at;
      return at + (stop === CR && bytes[at + 1] === LF ? 2 : 1);
    }
  }

  #doubled = false;

  /** The position of the quote that closes a cell; -1 to wait for more. */
  #closingQuote(bytes: Buffer, from: number, final: boolean): number {
    const end = bytes.length;
    this.#doubled = false;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === LF) this.#inner += 1;
      if (byte !== QUOTE) continue;
      if (at + 1 === end) return final ? at : -1;
      if (bytes[at + 1] !== QUOTE) return at;
      this.#doubled = true;
      at += 1;
    }
    if (final) this.#fail(from - 1, OPEN_QUOTE);
    return -1;
  }

  #fail(at: number, why: Reason): never {
    const record = this.#record;
    throw new UnreadableFile(quoteFault(why, record.place(at), record.place(record.start)));
  }
}

const TOO_LONG = reason('row_too_long', { limit: ROW_BYTES_MAX });
const STRAY_QUOTE = reason('quote_inside_bare_cell');
const AFTER_QUOTE = reason('text_after_closing_quote', { separator: 'comma' });
const OPEN_QUOTE = reason('cell_quote_not_closed');
