/** The request that opened a WebSocket, as the outer request of all messages that follow. */
import { InnerRequest } from '#edge/http/inner-request.ts';
import type { Request } from '#edge/http/request.ts';

/** Headers that concern the first request alone, or identify its sender. */
const FIRST_ONLY: ReadonlySet<string> = new Set(['cookie', 'content-length', 'range', 'accept']);

/** Lives as long as the connection, and carries the token that the connection has now. */
export class SocketRequest extends InnerRequest {
  token: string | null = null;
  readonly #closing = new AbortController();
  readonly #cut: (reason: string) => void;
  #user: string | null = null;

  /** @param cut ends the connection */
  constructor(first: Request, cut: (reason: string) => void) {
    super(first, { method: 'GET', path: first.path });
    this.#cut = cut;
  }

  /** A connection has no query: a token in its URL is the token of the connection already. */
  override get query(): string {
    return '';
  }

  override get segments(): readonly string[] {
    return [];
  }

  override get signal(): AbortSignal {
    return this.#closing.signal;
  }

  override get user(): string | null {
    return this.#user;
  }

  override set user(user: string | null) {
    this.#user = user;
  }

  /** Aborts the requests of a connection that is closed. */
  close(): void {
    this.#closing.abort();
  }

  override header(name: string): string | undefined {
    if (name === 'authorization') return this.token === null ? undefined : `Bearer ${this.token}`;
    if (name === 'content-type') return 'application/json';
    return FIRST_ONLY.has(name) ? undefined : this.outer.header(name);
  }

  override addHeader(): void {
    // An answer on a WebSocket has no headers.
  }

  override cut(reason: string): void {
    this.#cut(reason);
  }

  override holdFor(): void {
    // The server counts messages for the holder of their connection.
  }

  override take(): void {
    // The server counts the memory of an answer with its message.
  }

  override revealErrors(): void {
    // A WebSocket shows administrators the same errors as other users.
  }
}
