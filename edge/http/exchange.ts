/**
 * One request and its connection: the data that routes read, and whether the client still waits. An
 * exchange is created for every request, so its values are computed on first use.
 */
import { randomBytes } from 'node:crypto';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { type ProcessMemory, UNCOUNTED } from '#core/base/holders/process-memory.ts';
import type { JsonBounds } from '#core/base/json/json-bounds.ts';
import type { RequestSpan } from '#core/base/tracing/span.ts';
import { DISCARDED_MAX, IncomingBody, NO_BODY } from './body.ts';
import { addressText } from './ip-address-text.ts';
import {
  AnswerCutError,
  type Body,
  ClientGoneError,
  type Holder,
  type Request,
} from './request.ts';
import type { RequestCounts } from './request-counts.ts';
import { RequestMemory } from './request-memory.ts';
import { headerLine, type StandardHeaders } from './response-header.ts';
import type { SendTimeouts } from './send-timeouts.ts';
import type { HttpRequest, HttpResponse } from './uwebsockets.ts';

/** Ids consist of a random prefix of this process and a counter. */
const PREFIX = `${randomBytes(6).toString('base64url')}-`;
let count = 0;

/** The form of a client's request id, such as a trace id or UUID. */
const ID = /^[\w.:+/=@~-]{1,128}$/;

const METHODS = new Map(
  ['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'PUT', 'DELETE', 'SEARCH'].map((method) => [
    method.toLowerCase(),
    method,
  ]),
);

/** Methods whose body has no meaning and is dropped. */
const BODILESS = new Set(['GET', 'HEAD', 'OPTIONS']);

// The library's request object is invalid when its handler returns, so all headers are copied into
// one list of names and values. One shared function saves a closure for each request.
let collected: string[] = [];
let collectedSize = 0;
function collect(name: string, value: string): void {
  collected.push(name, value);
  collectedSize += name.length + value.length + 4;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Options that all exchanges of a server share. */
export interface ExchangeSettings {
  /** BODY_MAX_SIZE in bytes. */
  readonly bodyLimit: number;
  readonly jsonBounds: JsonBounds;
  readonly standard: StandardHeaders;
  /** Responses are compressed for clients that accept it. */
  readonly compresses: boolean;
  readonly sendTimeouts: SendTimeouts;
  /** ACCESS_LOG */
  readonly accessLog: boolean;
  readonly memory: ProcessMemory;
  /** How long (ms) a body may take that arrives too slowly. */
  readonly bodyPatience: number;
  /** The client's address, used until the caller is authenticated. */
  readonly ipOf: (request: Request) => string | null;
}

export class Exchange implements Request {
  readonly id: string;
  readonly started = performance.now();
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Body;
  readonly socket: HttpResponse;
  readonly settings: ExchangeSettings;
  /**
   * The end of the body is ambiguous (RFC 9112, 6.3), so one request could hide in another. It must
   * be refused and its connection closed.
   */
  readonly ambiguous: boolean;
  /** Bytes of the request line and headers. */
  readonly headSize: number;
  /** The first byte of the response was sent; later failures can only close the connection. */
  answered = false;
  /** The client may see the messages of unexpected errors. */
  revealing = false;
  /** The connection is closed. `socket` must not be used then. */
  aborted = false;
  counts: RequestCounts | null = null;
  user: string | null = null;
  /** The request's span of a trace; null when the request is not traced. */
  span: RequestSpan | null = null;
  /** Bytes of the response body that were sent; counted only for the access log. */
  bytes = 0;
  /** Called once when the connection closes, for the writer of the response. */
  onDisconnect: ((cause: Error) => void) | null = null;
  /** Called when the socket accepts more bytes, for the writer of the response. */
  onWritable: (() => void) | null = null;
  /** Lines of the response's header block besides those of the route, each after a line break. */
  added = '';
  readonly #headers: readonly string[];
  #incoming: IncomingBody | null = null;
  #abort: AbortController | null = null;
  #cut: AnswerCutError | null = null;
  #deferring: boolean;
  #ip: string | null = null;
  #segments: readonly string[] | null = null;
  #caller: Holder | null = null;
  #memory: RequestMemory | null = null;

  constructor(socket: HttpResponse, request: HttpRequest, settings: ExchangeSettings) {
    const method = request.getMethod();
    this.method = METHODS.get(method) ?? method.toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    collected = [];
    collectedSize = method.length + this.path.length + this.query.length;
    request.forEach(collect);
    this.#headers = collected;
    this.headSize = collectedSize;
    const id = this.header('x-request-id');
    this.id = id !== undefined && ID.test(id) ? id : PREFIX + (count++).toString(36);
    this.socket = socket;
    this.settings = settings;
    this.ambiguous = this.#isAmbiguous();
    this.#deferring = this.ambiguous || this.header('transfer-encoding') !== undefined;
    this.body = this.#open(settings);
  }

  get segments(): readonly string[] {
    this.#segments ??= this.path.slice(1).split('/').map(decoded);
    return this.#segments;
  }

  get ip(): string {
    this.#ip ??= this.aborted ? '' : addressText(this.socket.getRemoteAddress());
    return this.#ip;
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.aborted) this.#abort.abort(this.#cause());
    }
    return this.#abort.signal;
  }

  header(name: string): string | undefined {
    const headers = this.#headers;
    let found = '';
    for (let i = 0; i < headers.length; i += 2) {
      const value = headers[i + 1] ?? '';
      if (headers[i] !== name || value === '') continue;
      found = found === '' ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`;
    }
    return found === '' ? undefined : found;
  }

  /** The memory that the request has reserved in the process. */
  get memory(): RequestMemory {
    if (this.#memory === null) {
      const { memory, ipOf } = this.settings;
      const holder = quotaKeyOf(this.#caller ?? { user: null, ip: ipOf(this) });
      this.#memory = new RequestMemory(memory, holder, () => this.signal);
    }
    return this.#memory;
  }

  holdFor(caller: Holder): void {
    this.#caller = caller;
    this.#memory?.moveTo(quotaKeyOf(caller));
  }

  take(amount: number): void {
    if (amount >= UNCOUNTED) this.memory.take(amount);
  }

  /** The response is computed but not sent yet. */
  worked(): void {
    this.#memory?.releaseValues();
  }

  /** The request is over: releases its memory. */
  end(): void {
    this.#memory?.release();
  }

  addHeader(name: string, value: string): void {
    this.added += `\r\n${headerLine(name, value)}`;
  }

  cut(reason: string): void {
    if (this.aborted) return;
    this.#cut = new AnswerCutError(reason);
    this.socket.close();
  }

  revealErrors(): void {
    this.revealing = true;
  }

  /** The client or the server closed the connection. */
  disconnect(): void {
    if (this.aborted) return;
    this.aborted = true;
    try {
      this.#incoming?.abort();
    } finally {
      this.#abort?.abort(this.#cause());
      this.onDisconnect?.(this.#cause());
    }
  }

  /** Stops all work for this request; the connection may continue. */
  giveUp(): void {
    this.#abort?.abort(new ClientGoneError());
  }

  /**
   * Whether the response must wait because bytes behind the body could be parsed as a request. This
   * applies to chunked bodies, because the library ignores trailers (RFC 9112, 7.1.2). It also
   * applies to bodies of ambiguous length. The connection then closes with the response.
   * @param answer called when the response no longer has to wait
   */
  defers(answer: () => void): boolean {
    const incoming = this.#incoming;
    if (incoming === null || this.aborted || !this.#deferring) return false;
    this.#deferring = false;
    incoming.settled(answer);
    if (this.ambiguous) incoming.hold();
    return true;
  }

  /** Whether reading from the connection has stopped; the connection closes with the response. */
  get held(): boolean {
    return this.#incoming?.held === true;
  }

  /**
   * Restarts the library's timer, which closes a connection ten seconds after an incomplete write.
   */
  putOffTimer(): void {
    if (this.aborted) return;
    if (this.held) this.socket.pause();
    else this.socket.resume();
  }

  /**
   * Releases the body before the response is written, or when the client disconnected.
   * @returns whether the connection must be closed afterwards: the body's length is ambiguous, or
   *   too many bytes remain to read and drop
   */
  release(): boolean {
    if (this.#incoming === null) return false;
    const { remaining, held } = this.#incoming;
    this.#incoming.release();
    return held || (remaining !== undefined && remaining > DISCARDED_MAX);
  }

  #cause(): Error {
    return this.#cut ?? new ClientGoneError();
  }

  #isAmbiguous(): boolean {
    const coding = this.header('transfer-encoding');
    if (coding !== undefined) {
      const isAlone = this.#headers.filter((name) => name === 'transfer-encoding').length === 1;
      const hasLength = this.header('content-length') !== undefined;
      return coding.toLowerCase() !== 'chunked' || !isAlone || hasLength;
    }
    const first = this.#headers.indexOf('content-length');
    return first !== -1 && this.#headers.includes('content-length', first + 1);
  }

  #open({ bodyLimit: limit, jsonBounds: bounds, bodyPatience: patience }: ExchangeSettings): Body {
    const length = this.header('content-length');
    const chunked = this.#deferring;
    const isUnread = BODILESS.has(this.method);
    const isEmpty = length === undefined || length === '0';
    if ((isUnread || isEmpty) && !chunked) return NO_BODY;
    const size = length === undefined ? undefined : Number(length);
    const mediaType = this.header('content-type');
    const coding = this.header('content-encoding');
    const facts = { size, mediaType, coding, limit, bounds, chunked, patience };
    const head = { ...facts, memory: () => this.memory };
    this.#incoming = new IncomingBody(this.socket, head);
    return isUnread ? NO_BODY : this.#incoming;
  }
}
