/**
 * The body of a request while it arrives: keeps what nobody has asked for yet, holds the client
 * back when that grows, and lets the rest pass unread once the request is answered.
 */
import { Readable } from 'node:stream';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { parseJson } from './json.ts';
import { type Body, ClientGoneError } from './request.ts';
import type { HttpResponse } from './uws.ts';

/** Bytes that may wait for a reader before the socket is paused. Some 5 MB more can follow. */
const HIGH_WATER = 262_144;

/** What is known of a body before it arrives. */
export interface BodyHead {
  readonly size: number | undefined;
  readonly mediaType: string | undefined;
  readonly coding: string | undefined;
  /** BODY_MAX_SIZE in bytes. */
  readonly limit: number;
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

/** Who takes the chunks; until there is one they are kept. */
interface Reader {
  /** False: no more for now. */
  push(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

function tooLarge(limit: number): ServiceError {
  return invalidPayload(`It is larger than ${limit} bytes.`, { limit, variable: 'BODY_MAX_SIZE' });
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
  #socket: HttpResponse | null;
  #received = 0;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #paused = false;
  #ended = false;
  #failure: Error | null = null;
  #reader: Reader | null = null;
  #stream: Readable | null = null;

  /** Must be made while the request's handler runs, or the first bytes are lost. */
  constructor(socket: HttpResponse, head: BodyHead) {
    this.size = head.size;
    this.#head = head;
    this.#socket = socket;
    socket.onData((chunk, last) => this.#take(chunk, last));
  }

  /** Bytes that are still to come; undefined when the client did not say how many. */
  get remaining(): number | undefined {
    if (this.#ended) return 0;
    return this.size === undefined ? undefined : this.size - this.#received;
  }

  json(): Promise<unknown> {
    const parsed = this.#parse();
    parsed.catch(ignore);
    return parsed;
  }

  bytes(limit = this.#head.limit): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    promise.catch(ignore);
    if (this.size !== undefined && this.size > limit) {
      reject(tooLarge(limit));
      return promise;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    this.#readBy({
      push: (chunk) => {
        size += chunk.length;
        if (size > limit) {
          reject(tooLarge(limit));
          chunks.length = 0;
        } else {
          chunks.push(chunk);
        }
        return true;
      },
      end: () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
      fail: reject,
    });
    return promise;
  }

  stream(): Readable {
    const stream = new Readable({
      highWaterMark: HIGH_WATER,
      read: () => this.#resume(),
    });
    stream.on('error', ignore);
    this.#stream = stream;
    this.#readBy({
      // What a reader left behind passes unread.
      push: (chunk) => stream.destroyed || stream.push(chunk),
      end: () => stream.push(null),
      fail: (error) => stream.destroy(error),
    });
    return stream;
  }

  /** The client went away. */
  abort(): void {
    this.#socket = null;
    this.#fail(new ClientGoneError());
  }

  /**
   * The request is about to be answered: what was not read is not wanted any more. Must be called
   * while the response object can still be used.
   */
  release(): void {
    this.#resume();
    this.#socket = null;
    this.#fail(new Error('The request was answered before its body was read.'));
    this.#stream?.destroy();
  }

  async #parse(): Promise<unknown> {
    checkJson(this.#head);
    const bytes = await this.bytes();
    return bytes.length === 0 ? undefined : parseJson(bytes);
  }

  #take(chunk: ArrayBuffer, last: boolean): void {
    this.#received += chunk.byteLength;
    this.#ended = last;
    if (this.#failure !== null) return;
    // The memory is the server's again when this returns.
    if (chunk.byteLength > 0) this.#deliver(Buffer.from(new Uint8Array(chunk)));
    if (last && this.#failure === null) this.#reader?.end();
  }

  #deliver(chunk: Buffer): void {
    if (this.#reader !== null) {
      if (!this.#reader.push(chunk)) this.#pause();
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingSize += chunk.length;
    if (this.#waitingSize >= HIGH_WATER) this.#pause();
  }

  #readBy(reader: Reader): void {
    if (this.#reader !== null) throw new Error('The body of a request can be read once.');
    this.#reader = reader;
    if (this.#failure !== null) {
      reader.fail(this.#failure);
      return;
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    let more = true;
    for (const chunk of waiting) more = reader.push(chunk);
    if (this.#failure !== null) return;
    if (this.#ended) reader.end();
    else if (more) this.#resume();
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#waiting = [];
    this.#resume();
    // Whoever reads has everything by then, and may go on without the client.
    if (!this.#ended) this.#reader?.fail(error);
  }

  #pause(): void {
    if (this.#paused || this.#ended) return;
    this.#paused = true;
    this.#socket?.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#socket?.resume();
  }
}
