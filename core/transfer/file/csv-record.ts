/** One record of a CSV file: its cells as ranges of bytes. */
import type { FilePosition } from './row-fault.ts';

/** The notation of a cell: bare, quoted, or quoted with escaped characters inside. */
export const PLAIN = 0;
export const QUOTED = 1;
export const DOUBLED = 2;

/** The cells of one record as ranges of bytes; the same object for every record. */
export class CsvRecord {
  /** Replaces the escaped characters of a quoted cell. */
  readonly #unescape: (text: string) => string;
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

  constructor(unescaped: (text: string) => string) {
    this.#unescape = unescaped;
  }

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
    return this.forms[cell] === DOUBLED ? this.#unescape(text) : text;
  }

  /** Adds empty cells up to a number of cells. */
  pad(width: number): void {
    while (this.starts.length < width) this.grow();
    this.starts.fill(this.end, this.count, width);
    this.ends.fill(this.end, this.count, width);
    this.forms.fill(PLAIN, this.count, width);
    this.count = width;
  }

  /** Whether the cells from a number on are empty. */
  isEmptyFrom(first: number): boolean {
    for (let cell = first; cell < this.count; cell += 1) {
      if (this.starts[cell] !== this.ends[cell]) return false;
    }
    return true;
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
