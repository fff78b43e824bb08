/**
 * Delivers rows as the bytes that arrived, so that a value which is only passed on is never made into
 * a text. All other messages that mean something to the driver go to its parser.
 */
import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';

/** Bytes that a socket reads at once. */
const READ = 65_536;
/** The longest message that is put together in memory which is used again. */
const SHORT = 65_536;

/** The type (1) of a message and its length (4), which counts itself (manual, section 54.7). */
const HEADER = 5;
const LENGTH_AT = 1;
const DATA_ROW = 0x44;
const BIND_COMPLETE = 0x32;
/** Bytes of the number of values in a row, and of the length of each. */
const COUNT = 2;
const LENGTH = 4;

const NOTHING = Buffer.alloc(0);

/** A row as the driver reads it, or as {@link RowProtocolReader} delivers it. */
export type AnyRow = DataRow | { readonly fields: (string | null)[] };

/** A row as it is handed to a query, which must read it before it returns. */
export class DataRow {
  readonly name = 'dataRow';
  readonly #bytes: Buffer;

  /** @param bytes the message without its header */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** All values as texts. */
  get fields(): (string | null)[] {
    const bytes = this.#bytes;
    const fields: (string | null)[] = [];
    let at = COUNT;
    for (let left = bytes.readInt16BE(0); left > 0; left -= 1) {
      const length = bytes.readInt32BE(at);
      at += LENGTH;
      fields.push(length < 0 ? null : bytes.toString('utf8', at, at + length));
      at += Math.max(0, length);
    }
    return fields;
  }

  /** The first value; null when it is null, or there is none. */
  get first(): Buffer | null {
    const bytes = this.#bytes;
    if (bytes.readInt16BE(0) === 0) return null;
    const length = bytes.readInt32BE(COUNT);
    const start = COUNT + LENGTH;
    return length < 0 ? null : bytes.subarray(start, start + length);
  }
}

/** Cuts what arrives into messages. */
export class RowProtocolReader {
  readonly #connection: EventEmitter;
  readonly #parse: (messages: Buffer) => void;
  readonly #least: number;
  readonly #short = Buffer.allocUnsafeSlow(SHORT);
  /** The beginning of a message that has not arrived as a whole, and its size as far as known. */
  #memory: Buffer = NOTHING;
  #arrived = 0;
  #size = 0;

  /**
   * @param parse takes messages that are no rows, each as a whole
   * @param least bytes from which on rows are delivered; shorter ones go to `parse` with what stands
   *   around them
   */
  constructor(connection: EventEmitter, parse: (messages: Buffer) => void, least: number) {
    this.#connection = connection;
    this.#parse = parse;
    this.#least = least;
  }

  /** Takes what arrived next; its memory may be used again afterwards. */
  take(chunk: Buffer): void {
    let rest = chunk;
    while (this.#arrived > 0 && rest.length > 0) rest = this.#complete(rest);
    if (rest.length === 0) return;
    const left = rest.subarray(this.#deliver(rest));
    if (left.length === 0) return;
    this.#resize(left.length < HEADER ? HEADER : sizeAt(left, 0));
    this.#arrived = left.copy(this.#memory);
  }

  /** @returns what follows the message, or its header */
  #complete(rest: Buffer): Buffer {
    const taken = rest.copy(this.#memory, this.#arrived, 0, this.#size - this.#arrived);
    this.#arrived += taken;
    if (this.#arrived === this.#size) {
      const memory = this.#memory;
      const size = sizeAt(memory, 0);
      if (size > this.#size) {
        this.#resize(size);
        if (this.#memory !== memory) memory.copy(this.#memory, 0, 0, this.#arrived);
      } else {
        this.#arrived = 0;
        this.#memory = NOTHING;
        this.#deliver(memory.subarray(0, size));
      }
    }
    return rest.subarray(taken);
  }

  #resize(size: number): void {
    this.#size = size;
    this.#memory = size <= SHORT ? this.#short : Buffer.allocUnsafeSlow(size);
  }

  /** @returns where the first message begins that has not arrived as a whole */
  #deliver(bytes: Buffer): number {
    let at = 0;
    let parsed = 0;
    while (bytes.length - at >= HEADER) {
      const end = at + sizeAt(bytes, at);
      if (end > bytes.length) break;
      const type = bytes[at];
      if ((type === DATA_ROW || type === BIND_COMPLETE) && end - at >= this.#least) {
        if (parsed < at) this.#parse(bytes.subarray(parsed, at));
        const content = bytes.subarray(at + HEADER, end);
        // The driver does nothing when a statement is bound.
        if (type === DATA_ROW) this.#connection.emit('dataRow', new DataRow(content));
        parsed = end;
      }
      at = end;
    }
    if (parsed < at) this.#parse(bytes.subarray(parsed, at));
    return at;
  }
}

function sizeAt(bytes: Buffer, at: number): number {
  return LENGTH_AT + bytes.readUInt32BE(at + LENGTH_AT);
}

/**
 * A socket that reads into the same memory again and again, and emits what it has read as `data`: no
 * memory and no place in a stream's queue for each read. Whoever listens must not keep it.
 */
export function directSocket(): Socket {
  const buffer = Buffer.allocUnsafeSlow(READ);
  const callback = (length: number): boolean => {
    socket.emit('data', buffer.subarray(0, length));
    return true;
  };
  const socket = new Socket({ onread: { buffer, callback } });
  return socket;
}
