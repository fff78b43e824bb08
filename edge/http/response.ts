/** An answer as routes return it: plain values, sent by the server. */
import type { Request } from './request.ts';

/** Pieces of a streamed answer; strings are sent as UTF-8. */
export type Pieces = AsyncIterable<string | Uint8Array>;

/**
 * One answer. Headers are sent as given and replace the standard ones of the same name, except that
 * `Vary` adds to it; line breaks in their values become blanks. A string or bytes are sent with
 * their length, with an entity tag when they are JSON, and compressed when they are long and the
 * client accepts it. Pieces are sent as they come, each as one chunk (16 to 64 KB is a good size),
 * with back-pressure. When they fail after the first one, the connection is closed, so that the
 * client notices that the answer is incomplete. Answers with a secret must have `Cache-Control:
 * no-store`, which also prevents compression.
 */
export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Pieces | null;
  /** Called once nobody needs the bytes of the body any more, if they were sent. */
  readonly release?: (() => void) | undefined;
  /** The bytes that pieces come to, which the client is told unless they are compressed. */
  readonly length?: number;
  /** Something was changed, so the answer is sent however much its holder holds. */
  readonly done?: true;
  /** Endless pieces: STREAM_MAX_TIME does not apply. */
  readonly endless?: boolean;
}

/** Answers requests; what it throws becomes an error answer. */
export type Handler = (request: Request) => Response | Promise<Response>;
