/**
 * The body of a request while it arrives: keeps what nobody has asked for yet, holds the client
 * back when that grows, and lets the rest pass unread once the request is answered.
 */
import { Readable } from 'node:stream';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { ByteQueue } from './byte-queue.ts';
import type { JsonBounds, OnEntries } from './json-bounds.ts';
import { type Body, ClientGoneError, type SizeLimit } from './request.ts';
import { parseInSlices } from './sliced-json.ts';
import { parseJson } from './strict-json.ts';
import type { HttpResponse } from './uwebsockets.ts';

/**
 * Bytes that may wait for a reader before the socket is paused, and down to which it stays so. What
 * the system holds for the socket comes all the same.
 */
const HIGH_WATER = 262_144;
const LOW_WATER = 65_536;

/** Most bytes that a reader gets at once. */
const PIECE = 65_536;

/** What is known of a body before it arrives. */
export interface BodyHead {
  readonly size: number | undefined;
  readonly mediaType: string | undefined;
  readonly coding: string | undefined;
  /** BODY_MAX_SIZE in bytes. */
  readonly limit: number;
  /** What JSON may hold beside. */
  readonly bounds: JsonBounds;
  /** It comes in chunks (RFC 9112, 7.1), so that only its end tells its length. */
  readonly chunked: boolean;
}

/** Of a request that announces no body. */
export const NO_BODY: Body = {
  size: 0,
  json: async () => undefined,
  bytes: async () => new Uint8Array(0),
  stream: () => Readable.from([]),
};

/**
 * A route may lose interest in a body that it began to read, by answering or by throwing. What then
 * happens to the body must not count as an unhandled error and end the process.
 */
function ignore(): void {}

/** Longest JSON that is parsed at once, in bytes. */
const PARSED_AT_ONCE = 262_144;

/**
 * Rest of an unread body, in bytes, that is read and dropped so that the client gets its answer.
 * Closing on a client that still sends makes many of them report a broken connection instead.
 */
export const DISCARDED_MAX = 67_108_864;

/**
 * How long the next piece of a chunked body may be in coming, in milliseconds; within the ten
 * seconds after which the library closes the connection without an answer.
 */
const STALLED_MS = 6_000;
const STALLED = `Nothing more of it came within ${STALLED_MS / 1_000} seconds. Chunk extensions are not understood; send it with Content-Length.`;
/** How often it is looked whether the client of a paused connection is still there. */
const LOOK_MS = 2_000;

function tooLarge(limit: number): ServiceError {
  return invalidPayload(`It is larger than ${limit} bytes.`, { limit, variable: 'BODY_MAX_SIZE' });
}

function beyond({ bytes: limit, variable, member }: SizeLimit): ServiceError {
  const what = member === undefined ? 'The body' : `A body with "${member}"`;
  const reason = `${what} must not be larger than ${limit} bytes (${variable}).`;
  return new ServiceError('CONTENT_TOO_LARGE', { reason, limit, variable });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

function hasMember(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function checkJson(head: BodyHead): void {
  const { mediaType, coding } = head;
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      mediaType: coding,
      where: 'Content-Encoding',
    });
  }
  if (mediaType === undefined) return;
  const [essence = '', ...parameters] = mediaType.toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]*)/;
  const isJson = /^\s*application\/([\w.-]+\+)?json\s*$/.test(essence);
  const isUtf8 = parameters.every((parameter) => {
    const name = charset.exec(parameter)?.[1];
    return name === undefined || name === 'utf-8' || name === 'utf8' || name === 'us-ascii';
  });
  if (isJson && isUtf8) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', { mediaType, where: 'Content-Type' });
}

/** A body that is arriving on a uWebSockets response object. */
export class IncomingBody implements Body {
  readonly size: number | undefined;
  readonly #head: BodyHead;
  readonly #queue = new ByteQueue();
  #socket: HttpResponse | null;
  #received = 0;
  #paused = false;
  #ended = false;
  #claimed = false;
  #failure: Error | null = null;
  /** Looks again at what there is; null while nobody reads. */
  #wake: (() => void) | null = null;
  #stream: Readable | null = null;
  /** Nothing more is read of the connection. */
  #held = false;
  /** Called when the answer may be written. */
  #onSettled: (() => void) | null = null;
  /** Ends a body that stalls; looks for the client of one that is here. */
  #timer: NodeJS.Timeout | undefined;

  /** Must be made while the request's handler runs, or the first bytes are lost. */
  constructor(socket: HttpResponse, head: BodyHead) {
    this.size = head.size;
    this.#head = head;
    this.#socket = socket;
    socket.onData((chunk, last) => {
      try {
        this.#take(chunk, last);
      } catch (error) {
        this.#spoil(error);
      }
    });
    if (head.chunked) this.#timer = setTimeout(() => this.#stall(), STALLED_MS);
  }

  /** Bytes that are still to come; undefined when the client did not say how many. */
  get remaining(): number | undefined {
    if (this.#ended) return 0;
    return this.size === undefined ? undefined : this.size - this.#received;
  }

  json(limit?: SizeLimit, onEntries?: OnEntries): Promise<unknown> {
    const parsed = this.#parse(limit, onEntries);
    parsed.catch(ignore);
    return parsed;
  }

  bytes(limit = this.#head.limit, refuse = tooLarge): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    promise.catch(ignore);
    this.#claim();
    if (this.size !== undefined && this.size > limit) {
      this.#queue.clear();
      reject(refuse(limit));
      return promise;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    this.#wake = () => {
      for (let chunk = this.#next(); chunk !== null; chunk = this.#next()) {
        size += chunk.length;
        if (size <= limit) chunks.push(chunk);
        else chunks.length = 0;
      }
      if (size > limit) reject(refuse(limit));
      else if (this.#failure !== null) reject(this.#failure);
      else if (this.#ended) {
        this.#wake = null;
        resolve(joined(chunks));
      }
    };
    this.#wake();
    return promise;
  }

  stream(): Readable {
    this.#claim();
    const stream = new Readable({
      // Piece by piece: as a stream of bytes it would join, and so copy, those that wait.
      objectMode: true,
      highWaterMark: 1,
      read: () => {
        this.#wake = wake;
        wake();
      },
      destroy: (error, callback) => {
        // What is not read any more passes unread.
        this.#wake = () => this.#queue.clear();
        this.#wake();
        this.#resume();
        callback(error);
      },
    });
    const wake = () => {
      const piece = this.#next();
      if (piece !== null) {
        this.#wake = null;
        stream.push(piece);
      } else if (this.#ended) {
        stream.push(null);
      } else if (this.#failure !== null) {
        stream.destroy(this.#failure);
      }
    };
    stream.on('error', ignore);
    this.#stream = stream;
    if (this.#failure !== null) stream.destroy(this.#failure);
    return stream;
  }

  /** The client went away. Whoever reads a body that is here as a whole may go on without it. */
  abort(): void {
    this.#socket = null;
    clearTimeout(this.#timer);
    if (!this.#ended) this.#fail(new ClientGoneError());
    this.#settle();
  }

  /** Nothing more is read of the connection, which ends with the answer. */
  get held(): boolean {
    return this.#held;
  }

  /**
   * Reads no more of the connection. What was read already and does not belong to this request is a
   * request for the library, which ends the connection because this one is not answered; so nothing
   * is answered before the next turn.
   */
  hold(): void {
    if (this.#held) return;
    this.#held = true;
    this.#socket?.pause();
    this.#lookForClient();
    setImmediate(() => {
      if (this.#socket === null) return;
      this.#ended = true;
      try {
        if (this.#failure === null) this.#wake?.();
      } catch (error) {
        this.#spoil(error);
      }
      this.#settle();
    });
  }

  /**
   * Waits until nothing can follow the body on its connection any more; what is not read of it by
   * now is dropped.
   */
  settled(callback: () => void): void {
    this.#onSettled = callback;
    if (this.#ended || this.#socket === null) {
      this.#settle();
      return;
    }
    if (this.#paused) this.#unpause();
    this.#fail(new Error('The request was answered before its body was read.'));
  }

  /**
   * The request is about to be answered: what was not read is not wanted any more. Must be called
   * while the response object can still be used.
   */
  release(): void {
    if (this.#paused) this.#unpause();
    // It may have been looked for the client in this turn.
    if (this.#held) this.#socket?.pause();
    this.#socket = null;
    clearTimeout(this.#timer);
    // An error, which looks at the stack, is only made for somebody who may still hear it.
    const isTaken = this.#claimed && this.#ended && this.#wake === null && this.#stream === null;
    if (!isTaken) this.#fail(new Error('The request was answered before its body was read.'));
  }

  async #parse(limit: SizeLimit | undefined, onEntries?: OnEntries): Promise<unknown> {
    checkJson(this.#head);
    const isSmaller = limit !== undefined && limit.bytes < this.#head.limit;
    const isWhole = isSmaller && limit.member === undefined;
    const bytes = isWhole ? await this.bytes(limit.bytes, () => beyond(limit)) : await this.bytes();
    if (bytes.length === 0) return undefined;
    const { bounds } = this.#head;
    if (bytes.length <= PARSED_AT_ONCE) {
      const value = parseJson(bytes, bounds, onEntries);
      const isBeyond = isSmaller && bytes.length > limit.bytes && limit.member !== undefined;
      if (isBeyond && hasMember(value, limit.member)) throw beyond(limit);
      return value;
    }
    const onMember = (name: string) => {
      if (isSmaller && name === limit.member && bytes.length > limit.bytes) throw beyond(limit);
    };
    return await parseInSlices(bytes, onMember, { bounds, onEntries });
  }

  #claim(): void {
    if (this.#claimed) throw new Error('The body of a request can be read once.');
    this.#claimed = true;
  }

  #take(chunk: ArrayBuffer, last: boolean): void {
    this.#received += chunk.byteLength;
    this.#timer?.refresh();
    if (this.#head.chunked) {
      if (last || this.#received > this.#enough()) this.hold();
    } else {
      this.#ended = last;
      if (last && this.#paused) this.#lookForClient();
    }
    if (this.#failure !== null) return;
    // The memory is the server's again when this returns.
    this.#queue.append(new Uint8Array(chunk));
    this.#wake?.();
    if (this.#queue.size >= HIGH_WATER && !last) this.#pause();
  }

  /** Bytes of a chunked body after which no more of it is read. */
  #enough(): number {
    return this.#onSettled === null ? Number.POSITIVE_INFINITY : DISCARDED_MAX;
  }

  /** The library takes a chunk extension for a part of the chunk's size, and waits for as much. */
  #stall(): void {
    if (this.#paused) {
      this.#timer?.refresh();
      return;
    }
    this.#fail(invalidPayload(STALLED));
    this.hold();
  }

  /**
   * A paused connection is not watched: that the client went away is only seen by reading on. What
   * it sent behind its body meanwhile ends the connection.
   */
  #lookForClient(): void {
    clearTimeout(this.#timer);
    if (this.#socket === null) return;
    this.#timer = setInterval(() => {
      this.#socket?.resume();
      setImmediate(() => this.#socket?.pause());
    }, LOOK_MS);
  }

  #settle(): void {
    const callback = this.#onSettled;
    this.#onSettled = null;
    callback?.();
  }

  #next(): Buffer | null {
    const piece = this.#queue.take(PIECE);
    if (this.#queue.size < LOW_WATER) this.#resume();
    return piece;
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#queue.clear();
    this.#resume();
    if (this.#stream !== null) this.#stream.destroy(error);
    else this.#wake?.();
  }

  /** Whoever reads the body threw: that ends the reading, and no more. */
  #spoil(error: unknown): void {
    try {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // It was told once.
    }
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#socket?.pause();
  }

  /**
   * Lets the client go on. After the last byte there is nothing to go on with, and resuming would
   * start the library's idle clock, which ends connections whose answer takes longer than it.
   */
  #resume(): void {
    if (this.#paused && !this.#ended) this.#unpause();
  }

  #unpause(): void {
    this.#paused = false;
    if (!this.#held) this.#socket?.resume();
  }
}
