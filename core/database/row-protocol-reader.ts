/**
 * Delivers rows as the received bytes, so that a value that is only passed on is never converted to
 * text. All other messages that the driver needs go to its parser.
 */
import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';

/** The maximum number of bytes per socket read. */
const READ = 65_536;
/** The maximum size of a message that is assembled in reused memory. */
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

/** A row, which the query must read before its handler returns. */
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

  /** The first value; null when it is null or missing. */
  get first(): Buffer | null {
    const bytes = this.#bytes;
    if (bytes.readInt16BE(0) === 0) return null;
    const length = bytes.readInt32BE(COUNT);
    const start = COUNT + LENGTH;
    return length < 0 ? null : bytes.subarray(start, start + length);
  }
}

/** Splits received data into messages. */
export class RowProtocolReader {
  readonly #connection: EventEmitter;
  readonly #parse: (messages: Buffer) => void;
  readonly #least: number;
  readonly #short = Buffer.allocUnsafeSlow(SHORT);
  /** The beginning of an incomplete message, and its size as far as known. */
  #memory: Buffer = NOTHING;
  #arrived = 0;
  #size = 0;

  /**
   * @param parse receives messages that are not rows, each complete
   * @param least the minimum size in bytes of delivered rows; shorter ones go to `parse` with the
   * surrounding messages
   */
  constructor(connection: EventEmitter, parse: (messages: Buffer) => void, least: number) {
    this.#connection = connection;
    this.#parse = parse;
    this.#least = least;
  }

  /** Processes received data; its memory may be reused afterwards. */
  take(chunk: Buffer): void {
    let rest = chunk;
    while (this.#arrived > 0 && rest.length > 0) rest = this.#complete(rest);
    if (rest.length === 0) return;
    const left = rest.subarray(this.#deliver(rest));
    if (left.length === 0) return;
    this.#resize(left.length < HEADER ? HEADER : sizeAt(left, 0));
    this.#arrived = left.copy(this.#memory);
  }

  /** @returns the data after the message, or after its header */
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

  /** @returns the start of the first incomplete message */
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
        // The driver ignores the confirmation of a bind.
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
 * A socket that reads into one reused buffer and emits the read bytes as `data`, without allocation
 * and stream queue per read. Listeners must not store the buffer.
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
