/** A request as routes see it: plain values, nothing of the server below. */
import type { Readable } from 'node:stream';
import type { OnEntries } from './json-bounds.ts';

/** A narrower bound than BODY_MAX_SIZE, for what is costly beyond its size. */
export interface SizeLimit {
  readonly bytes: number;
  /** The variable that sets it. */
  readonly variable: string;
  /** It holds only for a body that is an object with this member. */
  readonly member?: string;
}

/** What the client sent, or is still sending, after the headers. It can be read once. */
export interface Body {
  /** Bytes announced by `Content-Length`; undefined when the client did not say. */
  readonly size: number | undefined;
  /**
   * The body as JSON; undefined when it is empty. Without a Content-Type it is read as JSON too.
   * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE for another type, charset or coding;
   *   INVALID_PAYLOAD when it is malformed, nested too deeply or over BODY_MAX_SIZE (refused by its
   *   announced size before it is read), or holds more than BODY_MAX_MEMBERS and BODY_MAX_VALUES
   *   allow; CONTENT_TOO_LARGE when it is over the limit.
   * @param onEntries told how many entries the body has when it is a list, before it is parsed
   */
  json(limit?: SizeLimit, onEntries?: OnEntries): Promise<unknown>;
  /**
   * The body as bytes, whatever its type.
   * @param limit bytes; by default BODY_MAX_SIZE
   * @throws {ServiceError} INVALID_PAYLOAD over the limit
   */
  bytes(limit?: number): Promise<Uint8Array>;
  /**
   * The body as a stream of any length, in pieces of up to 64 KB. The client is held back while
   * nobody reads; what the system has taken for the connection by then still comes, over loopback
   * up to some 20 MB. Destroyed when the client goes away, and when the request is answered.
   */
  stream(): Readable;
}

/** One request. Everything but the body has arrived. */
export interface Request {
  /**
   * That of the client's `X-Request-Id`, if it is well-formed; else unique among the processes of a
   * cluster. Sent back as `X-Request-Id` and part of log lines.
   */
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  /** As sent, percent-encoded, without the query. */
  readonly path: string;
  /** The parts of the path between slashes, decoded; a part that cannot be decoded stays as sent. */
  readonly segments: readonly string[];
  /** What follows `?`, as sent; empty when there is none. */
  readonly query: string;
  /** Address of the peer: IPv4 in dotted form, IPv6 as in RFC 5952. */
  readonly ip: string;
  /** Aborted when the client goes away before it has its answer. Made when first asked for. */
  readonly signal: AbortSignal;
  readonly body: Body;
  /**
   * Value of a header by its lower-case name; undefined when absent or empty. The values of several
   * lines are joined as a list: nobody may hide one behind another, such as that of a proxy.
   */
  header(name: string): string | undefined;
  /**
   * Adds a header to the answer, whatever that turns out to be: an error, a stream or nothing new.
   * One that is added twice, or that the route gives too, is sent as several lines.
   */
  addHeader(name: string, value: string): void;
  /**
   * Closes the connection at once, answered or not, with all work for it; `signal` is aborted. Does
   * nothing when it is gone.
   */
  cut(reason: string): void;
  /** Whoever sends it is an administrator, who may see the message of an unexpected error. */
  revealErrors(): void;
}

/** The client went away. Nobody is left to be answered, so it is not reported as an error. */
export class ClientGoneError extends Error {
  constructor() {
    super('The client closed the connection.');
    this.name = 'ClientGoneError';
  }
}

/** The connection was closed by us, because the answer was not to go on. */
export class AnswerCutError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AnswerCutError';
  }
}
