/** What arrives on a WebSocket, as requests to the routes of REST. */
import type { Body, Request } from '#edge/http/request.ts';

const NOTHING: Body = {
  size: undefined,
  json: async () => undefined,
  bytes: async () => new Uint8Array(),
  lend: () => {
    throw new TypeError('a message is no file');
  },
};

/** Headers of the first request that say something about that request, or about who sent it. */
const OWN = new Set(['cookie', 'content-length', 'range', 'accept']);

/** The request that began a connection, with the token that the connection has by now. */
export class SocketRequest implements Request {
  readonly method = 'GET';
  readonly path: string;
  readonly segments: readonly string[] = [];
  readonly query = '';
  readonly body = NOTHING;
  readonly id: string;
  readonly ip: string;
  user: string | null = null;
  counts: Request['counts'] = null;
  token: string | null = null;
  readonly #first: Request;
  readonly #closing = new AbortController();
  readonly #cut: (reason: string) => void;

  /** @param cut ends the connection */
  constructor(first: Request, cut: (reason: string) => void) {
    this.#first = first;
    this.id = first.id;
    this.ip = first.ip;
    this.path = first.path;
    this.#cut = cut;
  }

  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** The connection is closed: nobody waits for what it asked. */
  close(): void {
    this.#closing.abort();
  }

  header(name: string): string | undefined {
    if (name === 'authorization') return this.token === null ? undefined : `Bearer ${this.token}`;
    if (name === 'content-type') return 'application/json';
    return OWN.has(name) ? undefined : this.#first.header(name);
  }

  addHeader(): void {
    // An answer on a WebSocket has no headers.
  }

  cut(reason: string): void {
    this.#cut(reason);
  }

  holdFor(): void {
    // Messages are counted for the holder of their connection.
  }

  take(): void {
    // What they lead to is counted with them.
  }

  revealErrors(): void {
    // Errors are told as everybody sees them.
  }
}
