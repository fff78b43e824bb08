/** An answer as routes give it: plain values, sent by the server. */
import type { Request } from './request.ts';

/** Pieces of a streamed answer; strings are sent as UTF-8. */
export type Pieces = AsyncIterable<string | Uint8Array>;

/**
 * One answer. Headers are written as given and replace the standard ones of the same name, except
 * that `Vary` adds to it; line breaks in their values become blanks. A string or bytes are sent
 * with their length, with an entity tag when they are JSON, and compressed when they are long and
 * the client accepts it. Pieces are sent as they come, each as one chunk (16 to 64 KB is a good
 * size), with back-pressure; when they fail after the first one the connection is cut, so that
 * nobody takes the part for the whole. Answers that hold a secret must say `Cache-Control:
 * no-store`: it keeps them from caches, and from being compressed.
 */
export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Pieces | null;
  /** Pieces that come for as long as there is something to tell: no time is too long for them. */
  readonly endless?: boolean;
}

/** What answers requests; what it throws becomes a coded error answer. */
export type Handler = (request: Request) => Response | Promise<Response>;
