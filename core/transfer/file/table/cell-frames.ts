/**
 * The cells of a table file as bytes: each row is a frame with its size, its number, its line and
 * its cells. Readers of such files write frames, and one reader turns all of them into rows.
 */
import { reason } from '#core/base/errors/reason.ts';
import { syntaxFault, UnreadableFile } from '../row-fault.ts';
import { ROW_BYTES_MAX } from '../row-scanner.ts';

/** The cell has no value. */
export const ABSENT = 0;
/** A text, which may be written in the notation of the import. */
export const TEXT = 1;
/** A value in PostgreSQL's notation. */
export const LITERAL = 2;
/** A date or a time in ISO 8601; it may lack a time zone. */
export const MOMENT = 3;
/** The JSON text of a value. */
export const JSON_TEXT = 4;
/** The value null. */
export const NULL = 5;
/** The name of an error that the cell shows instead of a value. */
export const ERROR = 6;

/** Bytes, which are a text unless the field stores bytes. */
export const BINARY = 7;
/** The content of an error cell whose formula has no stored result. */
export const NO_RESULT = '=';

export type CellKind =
  | typeof ABSENT
  | typeof TEXT
  | typeof LITERAL
  | typeof MOMENT
  | typeof JSON_TEXT
  | typeof NULL
  | typeof ERROR
  | typeof BINARY;

/** Size, number, line and number of cells, four bytes each. */
export const FRAME_HEAD = 16;
/** The kind of a cell, and its size in bytes. */
export const CELL_HEAD = 5;

const FIRST_SIZE = 192 * 1024;
/** Texts up to this length are copied by a loop, which is faster than a call. */
const SHORT = 48;

/** Writes frames into memory that grows until it is taken. */
export class FrameWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  #length = 0;
  #start = 0;
  #cells = 0;

  /** The bytes of all frames, also of one that is not complete. */
  get length(): number {
    return this.#length;
  }

  #ensure(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed - this.#start > ROW_BYTES_MAX) {
      const row = this.#buffer.readUInt32LE(this.#start + 4);
      throw new UnreadableFile(
        syntaxFault(reason('table_row_too_long', { limit: ROW_BYTES_MAX }), row, null),
      );
    }
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** Begins a row. */
  begin(number: number, line: number): void {
    this.#start = this.#length;
    this.#cells = 0;
    this.#ensure(FRAME_HEAD);
    this.#buffer.writeUInt32LE(number, this.#start + 4);
    this.#buffer.writeUInt32LE(line, this.#start + 8);
    this.#length += FRAME_HEAD;
  }

  #head(kind: CellKind, size: number): void {
    const buffer = this.#buffer;
    const at = this.#length;
    buffer[at] = kind;
    buffer[at + 1] = size & 0xff;
    buffer[at + 2] = (size >> 8) & 0xff;
    buffer[at + 3] = (size >> 16) & 0xff;
    buffer[at + 4] = (size >> 24) & 0xff;
    this.#length += CELL_HEAD;
    this.#cells += 1;
  }

  /** The next cell, without bytes. */
  empty(kind: CellKind): void {
    this.#ensure(CELL_HEAD);
    this.#head(kind, 0);
  }

  /** Cells without a value, until the row has this many cells. */
  pad(cells: number): void {
    while (this.#cells < cells) this.empty(ABSENT);
  }

  /** The next cell, with UTF-8 bytes. */
  bytes(kind: CellKind, source: Uint8Array, start = 0, end = source.length): void {
    this.#ensure(CELL_HEAD + end - start);
    this.#head(kind, end - start);
    if (end - start < SHORT) {
      const buffer = this.#buffer;
      let to = this.#length;
      for (let from = start; from < end; from += 1, to += 1) buffer[to] = source[from] ?? 0;
    } else {
      this.#buffer.set(source.subarray(start, end), this.#length);
    }
    this.#length += end - start;
  }

  /** The next cell. */
  text(kind: CellKind, value: string): void {
    this.#ensure(CELL_HEAD + value.length * 3);
    const at = this.#length;
    this.#head(kind, 0);
    const buffer = this.#buffer;
    let to = this.#length;
    let from = value.length < SHORT ? 0 : -1;
    for (; from >= 0 && from < value.length; from += 1, to += 1) {
      const unit = value.charCodeAt(from);
      if (unit >= 0x80) from = -2;
      else buffer[to] = unit;
    }
    const size = from < 0 ? buffer.write(value, at + CELL_HEAD) : value.length;
    buffer.writeUInt32LE(size, at + 1);
    this.#length = at + CELL_HEAD + size;
  }

  /** Ends the row. */
  end(): void {
    this.#buffer.writeUInt32LE(this.#length - this.#start, this.#start);
    this.#buffer.writeUInt32LE(this.#cells, this.#start + 12);
    this.#start = this.#length;
  }

  /** The complete frames; their memory belongs to the caller until the next call. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#start);
    const rest = this.#buffer.subarray(this.#start, this.#length);
    const next = Buffer.allocUnsafeSlow(Math.max(FIRST_SIZE, rest.length));
    rest.copy(next);
    this.#buffer = next;
    this.#length = rest.length;
    this.#start = 0;
    return taken;
  }
}
