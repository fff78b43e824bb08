/** The options of a client, and of each of its calls. */

/** Where the client keeps the session: see {@link ClientOptions.mode}. */
export type Mode = 'cookie' | 'json' | 'session';

/** A session, as it is kept. `expires` is a time in milliseconds since 1970. */
export interface Tokens {
  readonly access: string | null;
  readonly refresh: string | null;
  readonly expires: number;
}

/** Keeps the tokens of mode `json`. */
export interface TokenStorage {
  /** Equal for storages with the same content, whose clients then refresh one after the other. */
  readonly name?: string;
  get(): Tokens | null | Promise<Tokens | null>;
  set(tokens: Tokens | null): void | Promise<void>;
}

export interface RetryOptions {
  /** How often a request is sent at most; 4 by default. */
  readonly attempts?: number;
  /** Longest pause between two of them in milliseconds; 30,000 by default. */
  readonly maxDelay?: number;
}

/** What of a WebSocket class is used; browsers and Node from 22 on have one. */
export type SocketClass = new (url: string) => Socket;

export interface Socket {
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export interface ClientOptions {
  /**
   * `cookie` (default in browsers): the refresh token is in a cookie that scripts cannot read.
   * `session`: so is the access token. `json` (default elsewhere): both are kept by {@link storage}.
   */
  readonly mode?: Mode;
  /** A static token, which is never refreshed. */
  readonly token?: string;
  /** Keeps the tokens of mode `json`; in memory by default. */
  readonly storage?: TokenStorage;
  readonly refresh?: {
    /** Milliseconds before the end of the access token; 30,000 by default. */
    readonly before?: number;
    /** `false`: tokens are refreshed by `auth.refresh()` alone. */
    readonly automatic?: boolean;
  };
  /** How requests are repeated that may be; `false` never. */
  readonly retry?: RetryOptions | false;
  /** Milliseconds without any sign of the server; 60,000 by default, 0 for no bound. */
  readonly timeout?: number;
  /** Characters of a URL from which on lists are asked for by SEARCH; 4,000 by default. */
  readonly maxUrlLength?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof globalThis.fetch;
  /** Needed for subscriptions where there is none, as in Node before 22. */
  readonly WebSocket?: SocketClass;
  /** Milliseconds without a message after which a WebSocket counts as broken; 45,000 by default. */
  readonly silence?: number;
  /** Called when the session ended otherwise than by `auth.logout()` of this client. */
  readonly onSessionEnd?: () => void;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** As that of the client, for this call. */
  readonly timeout?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface WriteOptions extends CallOptions {
  /** Writes only if the item still has this tag; see `getWithTag`. Such a write is repeated. */
  readonly ifMatch?: string | undefined;
}

/** What the calls take whose work is a job. */
export interface JobOptions extends CallOptions {
  /** Names the work, so that it is done once however often it is sent. Such a call is repeated. */
  readonly idempotencyKey?: string | undefined;
}
