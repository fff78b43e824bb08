/**
 * Splits a JSON file, an array of objects in UTF-8, into the text of each object. Only brackets and
 * strings are scanned here; a parser checks the content of each object.
 */
import { isUtf8 } from 'node:buffer';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { EXACT_JSON_MAX_DEPTH, TOO_DEEP } from '#core/base/json/exact-json.ts';
import { FlatObject } from './flat-object.ts';
import { JsonElement } from './json-element.ts';
import { listStart, NO_LIST } from './json-wrapper.ts';
import { type FilePosition, syntaxFault, UnreadableFile } from './row-fault.ts';
import { ROW_BYTES_MAX, RowScanner } from './row-scanner.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;
const COMMA = 0x2c;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const BOM = [0xef, 0xbb, 0xbf];

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09;
}

export interface JsonHandler {
  element(element: JsonElement): void;
  /** The number of the next row, for errors before it is complete. */
  row(): number;
}

/** The tokens that may follow between objects. */
type Expectation = 'array' | 'element or end' | 'element' | 'comma or end' | 'rest' | 'nothing';

/** Reads a file object by object. */
export class JsonScanner extends RowScanner {
  readonly #handler: JsonHandler;
  readonly #flat = new FlatObject();
  #expected: Expectation = 'array';
  #bytes: Buffer = Buffer.alloc(0);
  /** Whether the list is a member of an object, and the file has more members of it. */
  #isWrapped = false;
  #last = 0;
  /** Bytes of the file before the current ones. */
  #before = 0;
  #line = 1;
  /** The position in the file of the line's first byte. */
  #lineStart = 0;

  constructor(handler: JsonHandler) {
    super();
    this.#handler = handler;
  }

  protected override scan(bytes: Buffer, final: boolean): number {
    this.#bytes = bytes;
    let at = 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      if (isSpace(byte)) {
        at += 1;
        if (byte === LF) this.#newLine(at);
      } else if (byte === OBJECT_START && this.#expected.startsWith('element')) {
        const flatEnd = this.#flat.read(bytes, at, bytes.length);
        const isFlat = flatEnd > 0;
        const end = isFlat ? flatEnd : this.#objectEnd(at, final);
        if (end < 0) break;
        this.#element(at, end, isFlat ? this.#flat : null);
        at = end;
      } else if (byte === OBJECT_START && this.#expected === 'array') {
        const list = listStart(bytes, at, final);
        if (list === NO_LIST) this.#step(byte, at);
        if (list < 0) break;
        for (let line = bytes.indexOf(LF, at); line >= 0 && line < list; ) {
          this.#newLine(line + 1);
          line = bytes.indexOf(LF, line + 1);
        }
        this.#isWrapped = true;
        this.#expected = 'element or end';
        at = list;
      } else if (this.#expected === 'rest') {
        this.#last = byte;
        at += 1;
      } else if (byte === BOM[0] && this.#before + at === 0) {
        if (bytes.length < BOM.length && !final) break;
        if (BOM.some((expected, index) => bytes[index] !== expected)) this.#step(byte, at);
        at = BOM.length;
        this.#lineStart = BOM.length;
      } else {
        this.#step(byte, at);
        at += 1;
      }
    }
    if (final && this.#expected === 'rest' && this.#last === OBJECT_END) this.#expected = 'nothing';
    if (final && this.#expected !== 'nothing') {
      this.#fail(bytes.length, reason('json_file_ends_early'));
    }
    this.#before += at;
    return at;
  }

  /** Checks a byte between objects. */
  #step(byte: number, at: number): void {
    const expected = this.#expected;
    if (expected === 'array' && byte === LIST_START) {
      this.#expected = 'element or end';
    } else if (expected === 'comma or end' && byte === COMMA) {
      this.#expected = 'element';
    } else if (expected !== 'element' && expected !== 'array' && byte === LIST_END) {
      if (expected === 'nothing') this.#fail(at, TRAILING);
      this.#expected = this.#isWrapped ? 'rest' : 'nothing';
    } else if (expected === 'array') {
      this.#fail(at, reason('json_array_expected'));
    } else if (expected === 'nothing') {
      this.#fail(at, TRAILING);
    } else if (expected === 'comma or end') {
      this.#fail(at, reason('json_comma_expected'));
    } else {
      this.#fail(at, reason('json_element_object_expected'));
    }
  }

  /** The position after the object at `start`; -1 to wait for more. */
  #objectEnd(start: number, final: boolean): number {
    const bytes = this.#bytes;
    const end = bytes.length;
    let depth = 0;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        for (at += 1; at < end && bytes[at] !== QUOTE; at += 1) {
          if (bytes[at] === BACKSLASH) at += 1;
        }
      } else if (byte === OBJECT_START || byte === LIST_START) {
        depth += 1;
        if (depth > EXACT_JSON_MAX_DEPTH) this.#fail(at, TOO_DEEP);
      } else if (byte === OBJECT_END || byte === LIST_END) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    if (end - start > ROW_BYTES_MAX) {
      this.#fail(start, reason('json_row_too_long', { limit: ROW_BYTES_MAX }));
    }
    // An incomplete object is delivered unchanged: its parser finds the error.
    return final ? end : -1;
  }

  #element(start: number, end: number, flat: FlatObject | null): void {
    const bytes = this.#bytes;
    const isAscii = flat?.isAscii === true;
    if (!isAscii && !isUtf8(bytes.subarray(start, end)))
      this.#fail(start, reason('object_not_utf8'));
    const element: JsonElement = new JsonElement({ bytes, start, end }, flat, (position) =>
      this.#place(start + Buffer.byteLength(element.text.slice(0, position))),
    );
    this.#handler.element(element);
    this.#expected = 'comma or end';
    for (let at = bytes.indexOf(LF, start); at >= 0 && at < end; at = bytes.indexOf(LF, at + 1)) {
      this.#newLine(at + 1);
    }
  }

  #newLine(next: number): void {
    this.#line += 1;
    this.#lineStart = this.#before + next;
  }

  /** The line and column of a buffered byte after the last processed line break. */
  #place(at: number): FilePosition {
    const seen = Math.max(this.#lineStart - this.#before, 0);
    const lines = this.#bytes.toString('utf8', seen, at).split('\n');
    const column = Array.from(lines.at(-1) ?? '').length + 1;
    // On a line longer than the buffer, earlier bytes are counted as characters.
    const gone = lines.length > 1 ? 0 : Math.max(this.#before - this.#lineStart, 0);
    return { line: this.#line + lines.length - 1, column: column + gone };
  }

  #fail(at: number, why: Reason): never {
    const between = this.#expected === 'array' || this.#expected === 'nothing';
    const row = between ? null : this.#handler.row();
    throw new UnreadableFile(syntaxFault(why, row, this.#place(at)));
  }
}

const TRAILING = reason('json_text_after_array');
