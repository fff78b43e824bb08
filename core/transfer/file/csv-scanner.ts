/**
 * Splits CSV of any dialect in UTF-8 into cells without decoding them. Written by hand, because a
 * library that creates a string for each cell costs more than the COPY of the rows (figures:
 * ops/docs/decisions/transfer.md).
 */
import { isUtf8 } from 'node:buffer';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { type CsvDialect, dialectOf } from './csv-dialect.ts';
import { CR, type CsvMarks, isCellEnd, isMarkAt, LF, marksOf } from './csv-marks.ts';
import { CsvRecord, DOUBLED, PLAIN, QUOTED } from './csv-record.ts';
import { nextLine, RecoveryBudget } from './csv-recovery.ts';
import { quoteFault, type RowFault, UnreadableFile } from './row-fault.ts';
import { ROW_BYTES_MAX, RowScanner } from './row-scanner.ts';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Receives each record; blank lines and comments are skipped. */
export interface CsvHandler {
  record(record: CsvRecord): void;
  /** A record with invalid UTF-8; it is not delivered otherwise. */
  badEncoding(record: CsvRecord): void;
  /**
   * The text of malformed rows after the first record, which is skipped. Without it, the scanner
   * rejects the file.
   */
  malformed?: ((fault: RowFault, source: string) => void) | undefined;
}

/** The maximum number of cells of a record, and the reason for rejecting one with more. */
export interface CsvBound {
  readonly cells: number;
  readonly reason: Reason;
}

export interface CsvNotation {
  readonly dialect: CsvDialect;
  /** Whether quotes that break RFC 4180 are text. */
  readonly isLenient: boolean;
}

const RFC_4180: CsvNotation = { dialect: dialectOf({}), isLenient: false };

/** More bytes are needed. */
const WAIT = -1;
/** The record is malformed. */
const BROKEN = -2;
/** The quote at the beginning of the cell is text. */
const BARE = -3;

/** Reads a file record by record. */
export class CsvScanner extends RowScanner {
  readonly #handler: CsvHandler;
  readonly #bound: CsvBound;
  readonly #marks: CsvMarks;
  readonly #afterQuote: Reason;
  readonly #record: CsvRecord;
  readonly #budget = new RecoveryBudget();
  #begun = false;
  #line = 1;
  /** Line breaks inside the quotes of the current record. */
  #inner = 0;
  #doubled = false;
  /** Cells of the first record; 0 before it. */
  #width = 0;
  /** The first quote that is text, and the end of its line: no quote between them closes a cell. */
  #strayAt = 0;
  #strayUntil = 0;
  #brokenAt = 0;
  #brokenBy: Reason = STRAY_QUOTE;

  /** @param bound a record with more cells is rejected before it is read completely */
  constructor(handler: CsvHandler, bound: CsvBound, { dialect, isLenient } = RFC_4180) {
    super();
    this.#handler = handler;
    this.#bound = bound;
    this.#marks = marksOf(dialect, isLenient);
    this.#record = new CsvRecord(this.#marks.unescape);
    const separator = dialect.separator === ',' ? 'comma' : 'separator';
    this.#afterQuote = reason('text_after_closing_quote', { separator });
  }

  protected override scan(bytes: Buffer, final: boolean): number {
    let from = 0;
    if (!this.#begun) {
      if (bytes.length < BOM.length && !final) return 0;
      this.#begun = true;
      if (bytes.subarray(0, BOM.length).equals(BOM)) from = BOM.length;
    }
    // No record ends after the last line break, and no character is split before it.
    const whole = final ? bytes.length : Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
    const clean = isUtf8(bytes.subarray(from, whole));
    const record = this.#record;
    const { comment } = this.#marks;
    record.bytes = bytes;
    this.#budget.grant(bytes.length);
    for (;;) {
      while (from < bytes.length) {
        if (comment.length > 0 && isMarkAt(comment, bytes, from)) {
          const line = nextLine(bytes, from, final);
          if (line < 0) break;
          this.#line += 1;
          from = line;
          continue;
        }
        const next = this.#cells(bytes, from, final);
        if (next === BROKEN) {
          const resumed = this.#recover(bytes, from, final);
          if (resumed < 0) return from;
          from = resumed;
          continue;
        }
        if (next < 0) break;
        const blank = record.count === 1 && record.end === from;
        if (!blank) {
          if (this.#width === 0) this.#width = record.count;
          if (clean || isUtf8(bytes.subarray(from, record.end))) this.#handler.record(record);
          else this.#handler.badEncoding(record);
        }
        this.#line += this.#inner + 1;
        from = next;
      }
      if (bytes.length - from <= ROW_BYTES_MAX) return from;
      this.#broken(from, TOO_LONG);
      from = this.#recover(bytes, from, final);
    }
  }

  /** Finds the cells of the record at `start`; the start of the next one, or why there is none. */
  #cells(bytes: Buffer, start: number, final: boolean): number {
    const record = this.#record;
    const { isSimple, quote, separator, stops, longest } = this.#marks;
    const opening = quote.first;
    const separating = separator.first;
    const end = bytes.length;
    let at = start;
    let count = 0;
    record.start = start;
    record.line = this.#line;
    this.#inner = 0;
    this.#strayUntil = 0;
    for (;;) {
      if (count === record.starts.length) record.grow();
      if (count === this.#bound.cells) return this.#broken(start, this.#bound.reason);
      let from = at;
      let form = PLAIN;
      let close = BARE;
      if (at < end && bytes[at] === opening && (isSimple || isMarkAt(quote, bytes, at))) {
        from = at + quote.length;
        close = isSimple
          ? this.#closingQuote(bytes, from, final)
          : this.#closingMark(bytes, from, final);
      }
      if (close >= 0) {
        form = this.#doubled ? DOUBLED : QUOTED;
        record.ends[count] = close;
        at = close + quote.length;
      } else {
        if (close !== BARE) return close;
        from = at;
        for (;;) {
          while (at < end && stops[bytes[at] ?? 0] === 0) at += 1;
          if (isSimple || at === end || this.#isStop(bytes, at)) break;
          at += 1;
        }
        record.ends[count] = at;
      }
      record.starts[count] = from;
      record.forms[count] = form;
      count += 1;
      if (at + longest > end && !final && !(isSimple && at < end)) return WAIT;
      const stop = at === end ? LF : bytes[at];
      if (stop === separating && (isSimple || isMarkAt(separator, bytes, at))) {
        at += separator.length;
        continue;
      }
      if (stop !== LF && stop !== CR) {
        return this.#broken(at, form === PLAIN ? STRAY_QUOTE : this.#afterQuote);
      }
      // A line feed may follow in the next chunk.
      if (stop === CR && at + 1 === end && !final) return WAIT;
      record.count = count;
      record.end = at;
      return at + (stop === CR && bytes[at + 1] === LF ? 2 : 1);
    }
  }

  /** Whether a bare cell of a dialect with long marks ends here, or is malformed. */
  #isStop(bytes: Buffer, at: number): boolean {
    const { quote, isLenient } = this.#marks;
    return isCellEnd(this.#marks, bytes, at) || (!isLenient && isMarkAt(quote, bytes, at));
  }

  /** The position of the quote that closes a cell of a simple dialect. */
  #closingQuote(bytes: Buffer, from: number, final: boolean): number {
    const end = bytes.length;
    const quote = this.#marks.quote.first;
    this.#doubled = false;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === LF) this.#inner += 1;
      if (byte !== quote) continue;
      if (at + 1 === end) return final ? at : WAIT;
      if (bytes[at + 1] !== quote) return at;
      this.#doubled = true;
      at += 1;
    }
    return final ? this.#broken(from - 1, OPEN_QUOTE) : WAIT;
  }

  /** The position of the quote that closes a cell of any dialect. */
  #closingMark(bytes: Buffer, from: number, final: boolean): number {
    const { quote, escape: before, isLenient, longest } = this.#marks;
    const end = bytes.length;
    const isDoubling = before.bytes.equals(quote.bytes);
    const inner = this.#inner;
    let hasStray = false;
    let stray = 0;
    const bare = (until: number) => {
      this.#inner = inner;
      if (hasStray) {
        this.#strayAt = stray;
        this.#strayUntil = until;
      }
      return BARE;
    };
    this.#doubled = false;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at];
      if (hasStray && (byte === LF || byte === CR)) return bare(at);
      if (byte === LF) this.#inner += 1;
      if (byte !== quote.first && byte !== before.first) continue;
      // The character after a mark decides, and it may be cut.
      if (!final && at + 2 * longest > end) return WAIT;
      if (!isDoubling && isMarkAt(before, bytes, at)) {
        this.#doubled = true;
        at += before.length;
        if (bytes[at] === LF) this.#inner += 1;
        continue;
      }
      if (!isMarkAt(quote, bytes, at)) continue;
      const after = at + quote.length;
      const isDoubled = isDoubling && isMarkAt(quote, bytes, after);
      if (!isDoubled) {
        if (!isLenient || isCellEnd(this.#marks, bytes, after)) return at;
        // The rest of the line was read for an earlier cell.
        if (at >= this.#strayAt && at < this.#strayUntil) return bare(this.#strayUntil);
        if (!hasStray) stray = at;
        hasStray = true;
      } else if (hasStray && isCellEnd(this.#marks, bytes, after + quote.length)) {
        return after;
      } else {
        this.#doubled = true;
        at = after + quote.length - 1;
      }
    }
    if (!final) return WAIT;
    if (!isLenient) return this.#broken(from - quote.length, OPEN_QUOTE);
    return bare(end);
  }

  #broken(at: number, why: Reason): typeof BROKEN {
    this.#brokenAt = at;
    this.#brokenBy = why;
    return BROKEN;
  }

  /**
   * The line from which reading goes on after a malformed record: the first one that begins a
   * record of the usual width, or that has this width although it is malformed itself.
   * @throws {UnreadableFile} when the handler does not take malformed rows
   */
  #recover(bytes: Buffer, from: number, final: boolean): number {
    const record = this.#record;
    record.start = from;
    record.line = this.#line;
    const row = record.place(from);
    const fault = quoteFault(this.#brokenBy, record.place(this.#brokenAt), row);
    const { malformed } = this.#handler;
    const refusal = new UnreadableFile(fault);
    if (malformed === undefined || this.#width === 0) throw refusal;
    const isFull = final || bytes.length - from > ROW_BYTES_MAX;
    let lines = 0;
    for (let line = nextLine(bytes, from, final); ; line = nextLine(bytes, line, final)) {
      lines += 1;
      const isFound = line < 0 ? null : this.#isResumable(bytes, line, final);
      if (line < 0 || (isFound === null && !isFull)) {
        if (isFull) throw refusal;
        return WAIT;
      }
      if (isFound !== true) {
        this.#budget.spend(this.#brokenAt - line, refusal);
        continue;
      }
      let textEnd = line;
      while (textEnd > from && (bytes[textEnd - 1] === LF || bytes[textEnd - 1] === CR))
        textEnd -= 1;
      malformed(fault, bytes.toString('utf8', from, textEnd));
      this.#line += lines;
      return line;
    }
  }

  /** Whether reading can go on at a line; null when its record is incomplete. */
  #isResumable(bytes: Buffer, line: number, final: boolean): boolean | null {
    if (line === bytes.length) return final || null;
    const record = this.#record;
    const next = this.#cells(bytes, line, final);
    if (next === BROKEN) return this.#hasWidth(bytes, line, final);
    this.#brokenAt = next === WAIT ? bytes.length : next;
    if (next === WAIT) return null;
    return record.count === this.#width && record.end > line;
  }

  /** Whether a line has as many separators as a record, whatever its quotes mean. */
  #hasWidth(bytes: Buffer, line: number, final: boolean): boolean {
    const end = nextLine(bytes, line, final);
    if (end < 0) return false;
    const text = bytes.toString('utf8', line, end);
    return text.split(this.#marks.separator.bytes.toString()).length === this.#width;
  }
}

const TOO_LONG = reason('row_too_long', { limit: ROW_BYTES_MAX });
const STRAY_QUOTE = reason('quote_inside_bare_cell');
const OPEN_QUOTE = reason('cell_quote_not_closed');
