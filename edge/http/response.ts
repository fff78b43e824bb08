/** A response as routes return it: plain values that the server sends. */
import type { Request } from './request.ts';

/** Pieces of a streamed response; strings are sent as UTF-8. */
export type Pieces = AsyncIterable<string | Uint8Array>;

/**
 * One response. Its headers are sent unchanged and replace standard ones of the same name. `Vary`
 * is added instead, and line breaks in values become spaces. A string or bytes are sent with their
 * length, with an entity tag when they are JSON. They are compressed when they are long and the
 * client accepts it. Pieces are sent as they arrive, each as one chunk (16 to 64 KB is a good
 * size), with back-pressure. When they fail after the first one, the connection is closed, so that
 * the client detects the incomplete response. Responses with a secret must have `Cache-Control:
 * no-store`, which also prevents compression.
 */
export interface Response {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Pieces | null;
  /** Called once when the bytes of the body are no longer needed, if they were sent. */
  readonly release?: (() => void) | undefined;
  /**
   * The total bytes of the pieces. The client receives this length unless the pieces are
   * compressed.
   */
  readonly length?: number;
  /** The request changed data, so the response is sent regardless of its holder's memory. */
  readonly done?: true;
  /** Endless pieces: STREAM_MAX_TIME does not apply. */
  readonly endless?: boolean;
}

/** Answers requests; an error that it throws becomes an error response. */
export type Handler = (request: Request) => Response | Promise<Response>;
