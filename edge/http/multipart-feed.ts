/**
 * Feeds a multipart body to its parser, and routes the content of a large file past the parser. The
 * native search for the delimiter behind the file is several times as fast as the parser.
 */
import type busboy from 'busboy';

/**
 * Bytes that the parser receives at a time. They are copies, because the parser stores parts of its
 * input.
 */
const PIECE = 65_536;
/** Bytes after a partial delimiter that are searched together with it. */
const JOINT = 16_384;
const CR = 13;

/** The form that all common clients send; the parser alone processes any other form. */
const PLAIN_TYPE =
  /^multipart\/form-data;[ \t]*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'*+.!#$%&^`|~-]{1,70}))$/i;

/** The delimiter of the parts of a body; null when only the parser can determine it. */
export function delimiterOf(contentType: string): Buffer | null {
  const match = PLAIN_TYPE.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  return boundary === undefined ? null : Buffer.from(`\r\n--${boundary}`, 'latin1');
}

/** The length of the trailing bytes with which a delimiter may begin. */
function beginning(bytes: Buffer, delimiter: Buffer): number {
  let at = bytes.indexOf(CR, Math.max(0, bytes.length - delimiter.length + 1));
  while (at !== -1) {
    const length = bytes.length - at;
    if (bytes.compare(delimiter, 0, length, at) === 0) return length;
    at = bytes.indexOf(CR, at + 1);
  }
  return 0;
}

/** Whether a part is at the end of the given bytes. */
function isEnd(part: Uint8Array | null, bytes: Buffer): boolean {
  if (part === null || part.buffer !== bytes.buffer) return false;
  return part.byteOffset + part.length === bytes.byteOffset + bytes.length;
}

export interface FeedOptions {
  readonly parser: busboy.Busboy;
  /** Pieces that are valid until the next one is requested. */
  readonly body: AsyncIterator<Uint8Array, void>;
  readonly delimiter: Buffer | null;
  /** Called with the bytes that the parser is about to process. */
  readonly onParse: (bytes: Buffer) => void;
  /** The last bytes that the parser emitted for an open file; null without an open file. */
  readonly lastOfFile: () => Uint8Array | null;
}

/** A multipart body that is arriving. */
export class MultipartFeed {
  readonly #options: FeedOptions;
  readonly #closed: Promise<void>;
  /** A copy of the bytes before the rest of the last piece. */
  #first: Buffer | null = null;
  #rest: Buffer = Buffer.alloc(0);
  /** The content of a file bypasses the parser. */
  #isPassing = false;
  /** Ends the wait for the parser. */
  #parsed: () => void = () => {};

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#closed = new Promise((resolve) => {
      options.parser.once('close', () => {
        this.#parsed();
        resolve();
      });
    });
  }

  /**
   * Processes the next bytes of the body. The parser has emitted its results when this resolves.
   * @returns content of the file that bypasses the parser, valid until the next call; else null
   * @throws the error with which the body fails
   */
  async step(): Promise<Buffer | null> {
    const { body, delimiter } = this.#options;
    if (this.#rest.length === 0 && (this.#first === null || this.#isPassing)) {
      const { done, value } = await body.next();
      if (done === true || value === undefined) {
        await this.#end();
        return null;
      }
      this.#rest = Buffer.from(value.buffer, value.byteOffset, value.length);
    }
    if (this.#isPassing && delimiter !== null) return this.#pass(delimiter);
    const first = this.#first;
    this.#first = null;
    await this.#parse(first ?? Buffer.from(this.#take(PIECE)));
    return null;
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async #end(): Promise<void> {
    const { parser } = this.#options;
    if (this.#first !== null) await this.#parse(this.#first);
    this.#first = null;
    parser.end();
    // After some malformed bodies the parser would wait forever for the end of a file.
    const impatience = setImmediate(() => parser.destroy());
    await this.#closed;
    clearImmediate(impatience);
  }

  async #parse(bytes: Buffer): Promise<void> {
    const { parser, delimiter, onParse, lastOfFile } = this.#options;
    if (parser.destroyed) return;
    onParse(bytes);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#parsed = resolve;
    parser.write(bytes, () => resolve());
    await promise;
    // The parser emits views of its input. So it has buffered no bytes, and the next bytes are
    // content of the file.
    this.#isPassing = delimiter !== null && isEnd(lastOfFile(), bytes);
  }

  /** Content up to the delimiter, without a trailing partial delimiter. */
  #pass(delimiter: Buffer): Buffer {
    const first = this.#first;
    this.#first = null;
    const isJoint = first !== null;
    const bytes = isJoint
      ? Buffer.concat([first, this.#take(JOINT)])
      : this.#take(this.#rest.length);
    const end = bytes.indexOf(delimiter);
    if (end === -1) {
      const kept = bytes.length - beginning(bytes, delimiter);
      if (kept < bytes.length) this.#first = Buffer.from(bytes.subarray(kept));
      return bytes.subarray(0, kept);
    }
    this.#isPassing = false;
    const others = bytes.subarray(end);
    if (isJoint) this.#first = others;
    else this.#rest = others;
    return bytes.subarray(0, end);
  }
}
