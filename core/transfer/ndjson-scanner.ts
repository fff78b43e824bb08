/** Splits a file of JSON objects, one on each line and in UTF-8, into the text of each object. */
import { isUtf8 } from 'node:buffer';
import type { JsonElement } from './json-scanner.ts';
import { ROW_BYTES_MAX, RowBuffer } from './row-buffer.ts';
import { malformed, UnreadableFile } from './row-fault.ts';

const LF = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK = /^[ \t\r]*$/;

/** Receives the lines that are not blank. */
export interface NdjsonHandler {
  element(element: JsonElement): void;
  /** A line that is not UTF-8; it is not delivered otherwise. */
  badEncoding(line: number): void;
}

/** Reads a file chunk by chunk; chunks may be cut anywhere. */
export class NdjsonScanner {
  readonly #handler: NdjsonHandler;
  readonly #buffer = new RowBuffer();
  #line = 1;

  constructor(handler: NdjsonHandler) {
    this.#handler = handler;
  }

  /** Scans the next bytes. @throws {UnreadableFile} for an endless line */
  push(chunk: Buffer): void {
    const bytes = this.#buffer.add(chunk);
    if (bytes !== null) this.#scan(bytes, false);
  }

  end(): void {
    this.#scan(this.#buffer.take(), true);
  }

  #scan(bytes: Buffer, final: boolean): void {
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(LF, from);
      if (at < 0 && !(final && from < bytes.length)) break;
      const end = at < 0 ? bytes.length : at;
      this.#take(bytes.subarray(from, end));
      this.#line += 1;
      from = end + 1;
    }
    if (from >= bytes.length) return;
    if (bytes.length - from > ROW_BYTES_MAX) {
      const place = { line: this.#line, column: 1 };
      throw new UnreadableFile(
        malformed(`A line has more than ${ROW_BYTES_MAX} bytes.`, null, place),
      );
    }
    this.#buffer.keep(bytes.subarray(from));
  }

  #take(bytes: Buffer): void {
    const line = this.#line;
    const isMarked = line === 1 && bytes.subarray(0, BOM.length).equals(BOM);
    const own = isMarked ? bytes.subarray(BOM.length) : bytes;
    if (!isUtf8(own)) {
      this.#handler.badEncoding(line);
      return;
    }
    const text = own.toString('utf8');
    if (BLANK.test(text)) return;
    this.#handler.element({
      text,
      place: (position) => ({ line, column: Array.from(text.slice(0, position)).length + 1 }),
    });
  }
}
