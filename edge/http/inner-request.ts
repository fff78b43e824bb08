/**
 * Requests to the routes of REST that the server makes for a request of a client: for a field of
 * GraphQL, or for a message of a WebSocket.
 */
import type { Body, Holder, Request } from './request.ts';
import type { Method } from './router.ts';

/** A request to a route. */
export interface RouteRequest {
  readonly method: Method;
  readonly path: string;
  /** Without the question mark. */
  readonly query?: string;
  /** A JSON value; undefined for an empty body. */
  readonly body?: unknown;
}

/** A body that has arrived already. */
function parsedBody(value: unknown): Body {
  return {
    size: undefined,
    json: async () => value,
    bytes: async () => Buffer.from(value === undefined ? '' : JSON.stringify(value)),
    lend: () => {
      throw new TypeError('an inner request carries no file');
    },
  };
}

/** Headers that concern the outer body or the outer answer. */
const OUTER: ReadonlySet<string> = new Set([
  'accept-encoding',
  'if-match',
  'if-none-match',
  'prefer',
  'idempotency-key',
]);

/** A request to a route with the identity, the connection and the memory of an outer request. */
export class InnerRequest implements Request {
  readonly method: string;
  readonly path: string;
  readonly body: Body;
  counts: Request['counts'] = null;
  protected readonly outer: Request;
  readonly #query: string;

  constructor(outer: Request, { method, path, query, body }: RouteRequest) {
    this.outer = outer;
    this.method = method;
    this.path = path;
    this.#query = query ?? '';
    this.body = parsedBody(body);
  }

  get id(): string {
    return this.outer.id;
  }

  get query(): string {
    // A token in the URL identifies the caller here too.
    const token = new URLSearchParams(this.outer.query).get('access_token');
    if (token === null) return this.#query;
    const parts = new URLSearchParams(this.#query);
    parts.set('access_token', token);
    return parts.toString();
  }

  get segments(): readonly string[] {
    return this.path.slice(1).split('/').map(decodeURIComponent);
  }

  get ip(): string {
    return this.outer.ip;
  }

  get signal(): AbortSignal {
    return this.outer.signal;
  }

  get user(): string | null {
    return this.outer.user;
  }

  set user(user: string | null) {
    this.outer.user = user;
  }

  header(name: string): string | undefined {
    return OUTER.has(name) ? undefined : this.outer.header(name);
  }

  addHeader(name: string, value: string): void {
    this.outer.addHeader(name, value);
  }

  cut(reason: string): void {
    this.outer.cut(reason);
  }

  holdFor(caller: Holder): void {
    this.outer.holdFor(caller);
  }

  take(amount: number): void {
    this.outer.take(amount);
  }

  revealErrors(): void {
    this.outer.revealErrors();
  }
}
