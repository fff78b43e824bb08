/** A request as routes see it: plain values, independent of the HTTP library. */
import type { OnEntries } from './json-bounds.ts';
import type { RequestCounts } from './request-counts.ts';

/** A lower limit than BODY_MAX_SIZE, for bodies that are expensive to process. */
export interface SizeLimit {
  readonly bytes: number;
  /** The variable that sets it. */
  readonly variable: string;
  /** Applies only when the body is an object with this member. */
  readonly member?: string;
}

/** The body of a request, complete or still arriving. It can be read once. */
export interface Body {
  /** The value of `Content-Length`; undefined without it. */
  readonly size: number | undefined;
  /**
   * The body as JSON; undefined when it is empty. A body without a Content-Type is also read as
   * JSON.
   * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE for another type, charset or coding
   * @throws {ServiceError} INVALID_PAYLOAD when it is malformed or nested too deeply, or exceeds
   *   BODY_MAX_SIZE, BODY_MAX_MEMBERS or BODY_MAX_VALUES. A declared size over BODY_MAX_SIZE is
   *   refused before reading.
   * @throws {ServiceError} CONTENT_TOO_LARGE when it is over the limit
   * @param onEntries called with the number of entries when the body is a list, before it is parsed
   */
  json(limit?: SizeLimit, onEntries?: OnEntries): Promise<unknown>;
  /**
   * The body as bytes, whatever its type.
   * @param limit bytes; by default BODY_MAX_SIZE
   * @throws {ServiceError} INVALID_PAYLOAD over the limit
   */
  bytes(limit?: number): Promise<Uint8Array>;
  /**
   * The body in pieces of up to 512 KB, whatever its length. Each piece is valid until the next one
   * is requested, because its memory is reused. The client is paused while the body is not read.
   * Bytes that the system holds by then still arrive, over loopback up to about 20 MB. A reader
   * that stops early drops the rest. When the client disconnects, a reader that has begun gets the
   * arrived bytes before the failure.
   * @throws {ClientGoneError} when the client disconnects before the end
   */
  lend(): AsyncGenerator<Uint8Array, void>;
}

/** The account for reserved memory: the user, or the address of an anonymous caller. */
export interface Holder {
  readonly user: string | null;
  readonly ip: string | null;
}

/** One request. Everything except the body has arrived. */
export interface Request {
  /**
   * The client's `X-Request-Id` when it is well-formed; otherwise unique among the processes of a
   * cluster. The response contains it as `X-Request-Id`, and log lines include it.
   */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  /** The decoded parts of the path between slashes; a part that cannot be decoded stays as sent. */
  readonly segments: readonly string[];
  /** The text after `?`, as sent; empty without one. */
  readonly query: string;
  /** Address of the peer: IPv4 in dotted form, IPv6 as in RFC 5952. */
  readonly ip: string;
  /**
   * Aborted when the client disconnects before it has received the response. Created on first use.
   */
  readonly signal: AbortSignal;
  readonly body: Body;
  /** The user for the access log; null before authentication, and for anonymous callers. */
  user: string | null;
  /** The request's metrics; null until its route is found. */
  counts: RequestCounts | null;
  /**
   * The value of a header by its lower-case name; undefined when absent or empty. The values of
   * several lines are joined as a list, so that no line can hide another, such as that of a proxy.
   */
  header(name: string): string | undefined;
  /**
   * Adds a header to the response of any kind: an error, a stream or 304. A header that is added
   * twice, or that the route also sets, is sent as several lines.
   */
  addHeader(name: string, value: string): void;
  /**
   * Closes the connection immediately and stops all work for it; aborts `signal`. Does nothing when
   * the connection is already closed.
   */
  cut(reason: string): void;
  /** The caller is authenticated: the memory of the request now counts against the caller. */
  holdFor(caller: Holder): void;
  /**
   * Reserves memory for processing the request, in bytes, until the request is over.
   * @throws ServiceError SERVICE_UNAVAILABLE when its holder exceeds its share
   */
  take(amount: number): void;
  /** The caller is an administrator, and may see the messages of unexpected errors. */
  revealErrors(): void;
}

/**
 * The client disconnected. This is not reported as an error, because no client receives the
 * response.
 */
export class ClientGoneError extends Error {
  constructor() {
    super('The client closed the connection.');
    this.name = 'ClientGoneError';
  }
}

/** The server closed the connection because the response had to stop. */
export class AnswerCutError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AnswerCutError';
  }
}
