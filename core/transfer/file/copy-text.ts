/**
 * Writes rows in the text format of COPY (manual, "COPY, File Formats"): tabs between values, a
 * line feed after a row, backslashes before characters with syntactic meaning.
 */

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const LETTER_N = 0x4e;
const LETTER_D = 0x44;

/** The marker of a value that is the column's default, for COPY's option DEFAULT. */
export const DEFAULT_MARKER = '\\D';

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/** The second byte of the escape; 0 for bytes that need no escape. */
const ESCAPED = new Uint8Array(256);
ESCAPED[TAB] = 0x74;
ESCAPED[LF] = 0x6e;
ESCAPED[CR] = 0x72;
ESCAPED[BACKSLASH] = BACKSLASH;

const USUAL_SIZE = 512 * 1024;

/** Collects the text of rows until it is taken. */
export class CopyText {
  readonly #size: number;
  #buffer: Buffer;
  #length = 0;
  #spare: Buffer | null = null;

  /** @param size the expected number of bytes between two calls of {@link take} */
  constructor(size = USUAL_SIZE) {
    this.#size = size;
    this.#buffer = Buffer.allocUnsafeSlow(size);
  }

  /** The number of buffered bytes. */
  get length(): number {
    return this.#length;
  }

  #ensure(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** A value given as UTF-8 bytes. */
  bytes(source: Buffer, start: number, end: number): void {
    this.#ensure((end - start) * 2);
    const target = this.#buffer;
    let to = this.#length;
    for (let from = start; from < end; from += 1) {
      const byte = source[from] ?? 0;
      const second = ESCAPED[byte] ?? 0;
      if (second === 0) {
        target[to] = byte;
        to += 1;
      } else {
        target[to] = BACKSLASH;
        target[to + 1] = second;
        to += 2;
      }
    }
    this.#length = to;
  }

  /** A value. */
  text(value: string): void {
    // UTF-8 takes at most three bytes for a unit of a string, an escape two.
    this.#ensure(value.length * 3);
    const target = this.#buffer;
    let to = this.#length;
    for (let from = 0; from < value.length; from += 1) {
      const unit = value.charCodeAt(from);
      if (unit >= 0x80) {
        const rest = value.slice(from).replace(/[\\\t\n\r]/g, (char) => ESCAPES[char] ?? char);
        this.#length = to;
        this.#ensure(rest.length * 3);
        this.#length += this.#buffer.write(rest, to);
        return;
      }
      const second = ESCAPED[unit] ?? 0;
      if (second !== 0) {
        target[to] = BACKSLASH;
        to += 1;
      }
      target[to] = second === 0 ? unit : second;
      to += 1;
    }
    this.#length = to;
  }

  /** A non-negative integer. */
  integer(value: number): void {
    this.#ensure(16);
    let divisor = 1;
    while (divisor * 10 <= value) divisor *= 10;
    for (let rest = value; divisor >= 1; divisor /= 10) {
      const digit = Math.floor(rest / divisor);
      rest -= digit * divisor;
      this.#byte(ZERO + digit);
    }
  }

  #byte(byte: number): void {
    this.#buffer[this.#length] = byte;
    this.#length += 1;
  }

  #pair(first: number, second: number): void {
    this.#ensure(2);
    this.#byte(first);
    this.#byte(second);
  }

  /** The value null. */
  null(): void {
    this.#pair(BACKSLASH, LETTER_N);
  }

  /** The column's default. */
  default(): void {
    this.#pair(BACKSLASH, LETTER_D);
  }

  /** Bits as text, the first one first. */
  bits(bits: Uint8Array): void {
    this.#ensure(bits.length);
    for (const bit of bits) this.#byte(ZERO + bit);
  }

  /** The end of a value that is not the last of its row. */
  tab(): void {
    this.#ensure(1);
    this.#byte(TAB);
  }

  /** The end of a row. */
  endRow(): void {
    this.#ensure(1);
    this.#byte(LF);
  }

  /** Returns the collected text; the caller may return its memory with {@link giveBack}. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length);
    this.#buffer = this.#spare ?? Buffer.allocUnsafeSlow(Math.max(this.#size, this.#length));
    this.#spare = null;
    this.#length = 0;
    return taken;
  }

  /**
   * Returns the memory of taken text for reuse. New memory each time costs more time to collect
   * than to fill.
   */
  giveBack(taken: Buffer): void {
    this.#spare = Buffer.from(taken.buffer);
  }
}
