/**
 * Answers fields of the system endpoint with the routes of REST: their checks, limits and errors are
 * those of the route, and are written once.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Body, Holder, Request } from '#edge/http/request.ts';
import type { Handler, Response } from '#edge/http/response.ts';
import type { EdgeServices } from '#edge/services.ts';
import type { RouteRequest } from './route-request.ts';

const handlers = new WeakMap<EdgeServices, Handler>();

/** Tells what answers requests to the routes of REST. */
export function useRoutes(services: EdgeServices, handler: Handler): void {
  handlers.set(services, handler);
}

/** A body that is there already. */
function given(value: unknown): Body {
  return {
    size: undefined,
    json: async () => value,
    bytes: async () => Buffer.from(JSON.stringify(value)),
    lend: () => {
      throw new TypeError('the body of a field is no file');
    },
  };
}

/** Headers about the answer of the endpoint, or about its body. */
const OUTER: ReadonlySet<string> = new Set([
  'accept-encoding',
  'if-match',
  'if-none-match',
  'prefer',
  'idempotency-key',
]);

/** The request of the client, as if it had been sent to the route. */
class InnerRequest implements Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Body;
  counts: Request['counts'] = null;
  readonly #outer: Request;

  constructor(outer: Request, { method, path, query, body }: RouteRequest) {
    this.#outer = outer;
    this.method = method;
    this.path = path;
    // A token in the URL identifies the caller here too.
    const token = new URLSearchParams(outer.query).get('access_token');
    const parts = new URLSearchParams(query);
    if (token !== null) parts.set('access_token', token);
    this.query = parts.toString();
    this.body = given(body);
  }

  get id(): string {
    return this.#outer.id;
  }

  get segments(): readonly string[] {
    return this.path.slice(1).split('/').map(decodeURIComponent);
  }

  get ip(): string {
    return this.#outer.ip;
  }

  get signal(): AbortSignal {
    return this.#outer.signal;
  }

  get user(): string | null {
    return this.#outer.user;
  }

  set user(user: string | null) {
    this.#outer.user = user;
  }

  header(name: string): string | undefined {
    if (OUTER.has(name)) return undefined;
    return this.#outer.header(name);
  }

  addHeader(name: string, value: string): void {
    this.#outer.addHeader(name, value);
  }

  cut(reason: string): void {
    this.#outer.cut(reason);
  }

  holdFor(caller: Holder): void {
    this.#outer.holdFor(caller);
  }

  take(amount: number): void {
    this.#outer.take(amount);
  }

  revealErrors(): void {
    this.#outer.revealErrors();
  }
}

function dataOf({ status, body }: Response): unknown {
  if (status === 202) {
    const why = reason('change_continues_as_job');
    throw new ServiceError('SERVICE_UNAVAILABLE', { service: 'queue', reason: why });
  }
  if (body === null || body === undefined || body === '') return true;
  const text = typeof body === 'string' ? body : Buffer.isBuffer(body) ? body.toString() : '';
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && 'data' in value ? value.data : value;
  } catch {
    return text;
  }
}

/**
 * What a route answers.
 * @throws ServiceError what the route throws
 */
export async function routeResponse(
  services: EdgeServices,
  outer: Request,
  asked: RouteRequest,
): Promise<Response> {
  const handler = handlers.get(services);
  if (handler === undefined) throw new TypeError('nothing answers the routes');
  return await handler(new InnerRequest(outer, asked));
}

/**
 * The data that a route answers; true when it answers nothing.
 * @throws ServiceError what the route throws; SERVICE_UNAVAILABLE for work that is not done in time
 */
export async function routeData(
  services: EdgeServices,
  outer: Request,
  asked: RouteRequest,
): Promise<unknown> {
  return dataOf(await routeResponse(services, outer, asked));
}
