/** A request as routes see it: plain values, nothing of the server below. */
import type { OnEntries } from '#core/base/json/json-bounds.ts';
import type { RequestCounts } from './request-counts.ts';

/** A lower limit than BODY_MAX_SIZE, for bodies that cost much. */
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
   * The body as JSON; undefined when it is empty. Without a Content-Type it is read as JSON too.
   * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE for another type, charset or coding;
   * INVALID_PAYLOAD when it is malformed, nested too deeply, larger than BODY_MAX_SIZE (refused by
   * its announced size before it is read), or contains more than BODY_MAX_MEMBERS and
   * BODY_MAX_VALUES allow; CONTENT_TOO_LARGE when it is over the limit.
   * @param onEntries called with the number of entries when the body is a list, before it is
   *   parsed
   */
  json(limit?: SizeLimit, onEntries?: OnEntries): Promise<unknown>;
  /**
   * The body as bytes, whatever its type.
   * @param limit bytes; by default BODY_MAX_SIZE
   * @throws {ServiceError} INVALID_PAYLOAD over the limit
   */
  bytes(limit?: number): Promise<Uint8Array>;
  /**
   * The body in pieces of up to 512 KB, whatever its length. Each is valid until the next one is asked
   * for: its memory is used again. The client is paused while nobody reads; bytes that the system holds
   * by then still arrive, over loopback up to some 20 MB. Who stops early drops the rest. When the
   * client disconnects, a reader that has begun gets what has arrived before the failure.
   * @throws {ClientGoneError} when the client disconnects before the end
   */
  lend(): AsyncGenerator<Uint8Array, void>;
}

/** The user for whom memory is held, or the address where there is none. */
export interface Holder {
  readonly user: string | null;
  readonly ip: string | null;
}

/** One request. Everything except the body has arrived. */
export interface Request {
  /**
   * The client's `X-Request-Id` when it is well-formed; otherwise unique among the processes of a
   * cluster. Sent back as `X-Request-Id` and part of log lines.
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
  /** Aborted when the client disconnects before it has its answer. Made on first use. */
  readonly signal: AbortSignal;
  readonly body: Body;
  /** The user for the access log; null until he is known, and for anonymous callers. */
  user: string | null;
  /** Where the request is counted; null until its route is found. */
  counts: RequestCounts | null;
  /**
   * The value of a header by its lower-case name; undefined when absent or empty. The values of
   * several lines are joined as a list, so that none can hide another, such as that of a proxy.
   */
  header(name: string): string | undefined;
  /**
   * Adds a header to the answer, whatever its kind: an error, a stream or 304. A header that is
   * added twice, or that the route sets too, is sent as several lines.
   */
  addHeader(name: string, value: string): void;
  /**
   * Closes the connection at once and stops all work for it; `signal` is aborted. Does nothing when
   * it is closed already.
   */
  cut(reason: string): void;
  /** The caller is known: what the request holds of the memory of the process is his from now on. */
  holdFor(caller: Holder): void;
  /**
   * Takes memory for what is made of the request or for it, in bytes, until the request is over.
   * @throws ServiceError SERVICE_UNAVAILABLE when its holder has too much
   */
  take(amount: number): void;
  /** The caller is an administrator, who may see the message of an unexpected error. */
  revealErrors(): void;
}

/**
 * The client disconnected. This is not reported as an error, because nobody receives the answer.
 */
export class ClientGoneError extends Error {
  constructor() {
    super('The client closed the connection.');
    this.name = 'ClientGoneError';
  }
}

/** We closed the connection, because the answer had to stop. */
export class AnswerCutError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AnswerCutError';
  }
}
