/**
 * Reads an object whose members are neither lists nor objects, and finds where its names and values
 * are in the bytes, so that most of them are copied without a text in between. It accepts a part of
 * JSON (RFC 8259) and declines everything else, faults included: then a parser reads the object.
 */

/** The kinds of values. */
export const NULL = 0;
export const TRUE = 1;
export const FALSE = 2;
/** A text without escapes: its bytes are its value. */
export const TEXT = 3;
const ESCAPED_TEXT = 4;
/** A number in the notation of ECMAScript, so that its bytes are its text. */
export const NUMBER = 5;
/** Any other number that a double stores exactly enough, such as `1.50`. */
const OTHER_NUMBER = 6;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const LETTER_U = 0x75;

/** More members than a table has columns. */
const MEMBERS_MAX = 1_600;
/** Longer names are left to the parser, because names are remembered. */
const NAME_BYTES_MAX = 255;
/** Digits that a double stores exactly. */
const EXACT_DIGITS = 15;
/** ECMAScript writes smaller numbers with an exponent. */
const LEADING_ZEROS_MAX = 5;

const SPACE = new Uint8Array(256);
for (const char of ' \t\n\r') SPACE[char.charCodeAt(0)] = 1;
const ESCAPE = new Uint8Array(256);
for (const char of '"\\/bfnrt') ESCAPE[char.charCodeAt(0)] = 1;
const HEX = new Uint8Array(256);
for (const char of '0123456789abcdefABCDEF') HEX[char.charCodeAt(0)] = 1;
const WORDS: readonly (readonly [Buffer, number])[] = [
  [Buffer.from('null'), NULL],
  [Buffer.from('true'), TRUE],
  [Buffer.from('false'), FALSE],
];

/** The members of one object; the same memory serves the next one. */
export class FlatObject {
  bytes: Buffer = Buffer.alloc(0);
  /** The number of members. */
  count = 0;
  /** Whether all bytes are ASCII; others may not be UTF-8. */
  isAscii = true;
  readonly nameStarts = new Int32Array(MEMBERS_MAX);
  readonly nameEnds = new Int32Array(MEMBERS_MAX);
  /** Positions of values; those of texts are without their quotes. */
  readonly starts = new Int32Array(MEMBERS_MAX);
  readonly ends = new Int32Array(MEMBERS_MAX);
  readonly kinds = new Uint8Array(MEMBERS_MAX);
  #end = 0;
  #hasEscape = false;

  /**
   * Reads the object that begins at `start`.
   * @param end the end of the bytes
   * @returns the position after it; -1 when it has another form, or is not complete
   */
  read(bytes: Buffer, start: number, end: number): number {
    this.bytes = bytes;
    this.#end = end;
    this.count = 0;
    this.isAscii = true;
    if (bytes[start] !== OBJECT_START) return -1;
    let at = this.#afterSpace(start + 1);
    if (bytes[at] === OBJECT_END && at < end) return at + 1;
    while (at < end && this.count < MEMBERS_MAX) {
      at = this.#member(at);
      if (at < 0) return -1;
      const next = bytes[at];
      if (next === OBJECT_END) return at + 1;
      if (next !== COMMA) return -1;
      at = this.#afterSpace(at + 1);
    }
    return -1;
  }

  /** The name of a member. */
  name(member: number): string {
    return this.bytes.toString('utf8', this.nameStarts[member], this.nameEnds[member]);
  }

  /** The value of a member. */
  value(member: number): string | number | boolean | null {
    const kind = this.kinds[member];
    if (kind === NULL) return null;
    if (kind === TRUE || kind === FALSE) return kind === TRUE;
    const text = this.bytes.toString('utf8', this.starts[member], this.ends[member]);
    if (kind === TEXT) return text;
    return kind === ESCAPED_TEXT ? String(JSON.parse(`"${text}"`)) : Number(text);
  }

  #afterSpace(start: number): number {
    let at = start;
    while (at < this.#end && SPACE[this.bytes[at] ?? 0] === 1) at += 1;
    return at;
  }

  /** The position of the comma or brace after the member at `start`; -1 when it is declined. */
  #member(start: number): number {
    const { bytes, count } = this;
    const nameEnd = this.#textEnd(start);
    if (nameEnd < 0 || this.#hasEscape || nameEnd - start > NAME_BYTES_MAX) return -1;
    const colon = this.#afterSpace(nameEnd + 1);
    if (bytes[colon] !== COLON) return -1;
    const value = this.#afterSpace(colon + 1);
    const end = this.#value(value);
    if (end < 0) return -1;
    this.nameStarts[count] = start + 1;
    this.nameEnds[count] = nameEnd;
    this.count = count + 1;
    const at = this.#afterSpace(end);
    return at < this.#end ? at : -1;
  }

  /** The position of the quote that ends the text at `start`; -1 when it is declined. */
  #textEnd(start: number): number {
    const { bytes } = this;
    this.#hasEscape = false;
    if (bytes[start] !== QUOTE) return -1;
    let high = 0;
    for (let at = start + 1; at < this.#end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) {
        if (high >= 0x80) this.isAscii = false;
        return at;
      }
      if (byte < 0x20) return -1;
      if (byte === BACKSLASH) {
        at = this.#escapeEnd(at + 1);
        if (at < 0) return -1;
        this.#hasEscape = true;
      }
      high |= byte;
    }
    return -1;
  }

  /** The position of the last byte of the escape after a backslash; -1 when it is declined. */
  #escapeEnd(at: number): number {
    const { bytes } = this;
    const byte = bytes[at] ?? 0;
    if (ESCAPE[byte] === 1) return at;
    if (byte !== LETTER_U || at + 4 >= this.#end) return -1;
    for (let digit = at + 1; digit <= at + 4; digit += 1) {
      if (HEX[bytes[digit] ?? 0] === 0) return -1;
    }
    return at + 4;
  }

  /** The position after the value at `start`; -1 when it is declined. */
  #value(start: number): number {
    const { bytes } = this;
    const first = bytes[start] ?? 0;
    if (first === QUOTE) {
      const end = this.#textEnd(start);
      if (end < 0) return -1;
      this.#span(start + 1, end, this.#hasEscape ? ESCAPED_TEXT : TEXT);
      return end + 1;
    }
    if (first === MINUS || isDigit(first)) return this.#number(start);
    for (const [word, kind] of WORDS) {
      if (word[0] !== first) continue;
      for (let at = 1; at < word.length; at += 1) if (bytes[start + at] !== word[at]) return -1;
      this.#span(start, start + word.length, kind);
      return start + word.length;
    }
    return -1;
  }

  #span(start: number, end: number, kind: number): void {
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.kinds[this.count] = kind;
  }

  /** Declines exponents and numbers with more digits than a double stores. */
  #number(start: number): number {
    const { bytes } = this;
    const whole = bytes[start] === MINUS ? start + 1 : start;
    const point = this.#afterDigits(whole);
    if (point === whole || (bytes[whole] === ZERO && point > whole + 1)) return -1;
    let end = point;
    let isUsual = bytes[start] !== MINUS || bytes[whole] !== ZERO;
    if (bytes[point] === POINT) {
      end = this.#afterDigits(point + 1);
      if (end === point + 1) return -1;
      isUsual = bytes[end - 1] !== ZERO && !this.#isTiny(whole, point);
    }
    if (end - whole > EXACT_DIGITS || ((bytes[end] ?? 0) | 0x20) === 0x65) return -1;
    this.#span(start, end, isUsual ? NUMBER : OTHER_NUMBER);
    return end;
  }

  #afterDigits(start: number): number {
    let at = start;
    while (at < this.#end && isDigit(this.bytes[at] ?? 0)) at += 1;
    return at;
  }

  #isTiny(whole: number, point: number): boolean {
    if (this.bytes[whole] !== ZERO) return false;
    let at = point + 1;
    while (this.bytes[at] === ZERO) at += 1;
    return at - point - 1 > LEADING_ZEROS_MAX;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}
