/** Splits a file of JSON objects, one on each line and in UTF-8, into the text of each object. */
import { isUtf8 } from 'node:buffer';
import { reason } from '#core/base/errors/reason.ts';
import { FlatObject } from './flat-object.ts';
import { JsonElement } from './json-element.ts';
import { syntaxFault, UnreadableFile } from './row-fault.ts';
import { ROW_BYTES_MAX, RowScanner } from './row-scanner.ts';

const LF = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Receives the lines that are not blank. */
export interface NdjsonHandler {
  element(element: JsonElement): void;
  /** A line that is not UTF-8; it is not delivered otherwise. */
  badEncoding(line: number): void;
}

/** Reads a file line by line. */
export class NdjsonScanner extends RowScanner {
  readonly #handler: NdjsonHandler;
  readonly #flat = new FlatObject();
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
    const end = this.#flat.read(own, 0, own.length);
    const flat = end > 0 && isBlank(own, end) ? this.#flat : null;
    if (flat?.isAscii !== true && !isUtf8(own)) {
      this.#handler.badEncoding(line);
      return;
    }
    if (flat === null && isBlank(own, 0)) return;
    const source = { bytes: own, start: 0, end: own.length };
    const element: JsonElement = new JsonElement(source, flat, (position) => ({
      line,
      column: Array.from(element.text.slice(0, position)).length + 1,
    }));
    this.#handler.element(element);
  }
}

/** Whether only spaces, tabs and carriage returns follow. */
function isBlank(bytes: Buffer, start: number): boolean {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
