/** Splits a file of JSON objects, one on each line and in UTF-8, into the text of each object. */
import { isUtf8 } from 'node:buffer';
import { reason } from '#core/base/errors/reason.ts';
import type { JsonElement } from './json-scanner.ts';
import { syntaxFault, UnreadableFile } from './row-fault.ts';
import { ROW_BYTES_MAX, RowScanner } from './row-scanner.ts';

const LF = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const BLANK = /^[ \t\r]*$/;

/** Receives the lines that are not blank. */
export interface NdjsonHandler {
  element(element: JsonElement): void;
  /** A line that is not UTF-8; it is not delivered otherwise. */
  badEncoding(line: number): void;
}

/** Reads a file line by line. */
export class NdjsonScanner extends RowScanner {
  readonly #handler: NdjsonHandler;
  #line = 1;

  constructor(handler: NdjsonHandler) {
    super();
    this.#handler = handler;
  }

  protected override scan(bytes: Buffer, final: boolean): number {
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(LF, from);
      if (at < 0 && !(final && from < bytes.length)) break;
      const end = at < 0 ? bytes.length : at;
      this.#take(bytes.subarray(from, end));
      this.#line += 1;
      from = end + 1;
    }
    if (from >= bytes.length) return bytes.length;
    if (bytes.length - from > ROW_BYTES_MAX) {
      const place = { line: this.#line, column: 1 };
      const why = reason('line_too_long', { limit: ROW_BYTES_MAX });
      throw new UnreadableFile(syntaxFault(why, null, place));
    }
    return from;
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
