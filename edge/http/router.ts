/** Finds the route of a request by method and path. */
import findMyWay from 'find-my-way';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Request } from './request.ts';
import { RequestCounts } from './request-counts.ts';
import type { Handler, Response } from './response.ts';

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'SEARCH'] as const;

export type Method = (typeof METHODS)[number];

/** The values of the named parts of a route's path, decoded. */
export type Params = Readonly<Record<string, string | undefined>>;

/** Answers the requests of one route. */
export type Route = (request: Request, params: Params) => Response | Promise<Response>;

/** Longest path parameter, in characters after decoding. */
const PARAM_MAX_LENGTH = 1_024;

function isMethod(method: string): method is Method {
  return METHODS.some((known) => known === method);
}

/** The error 404 for a request without a route. */
export function routeNotFound(request: Request): ServiceError {
  return new ServiceError('ROUTE_NOT_FOUND', { path: request.path });
}

const refuse: Route = (request) => {
  throw routeNotFound(request);
};

/** A route with its metrics and options; HEAD counts as GET. */
interface Found {
  readonly route: Route;
  readonly counts: RequestCounts;
  readonly options: Readonly<Record<string, string>>;
  readonly namesMethods: boolean;
}

/** A route and its handler. */
export interface RegisteredRoute {
  readonly method: Method;
  /**
   * Segments between slashes are literal, or `:name` for any one segment; a final `*` matches the
   * rest.
   */
  readonly path: string;
  readonly route: Route;
  /** Additional headers of the response to OPTIONS. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** Other methods on this path result in METHOD_NOT_ALLOWED instead of ROUTE_NOT_FOUND. */
  readonly namesMethods?: boolean | undefined;
}

/** The immutable routes of a server. HEAD uses the handler of GET; OPTIONS lists the methods. */
export class Router {
  readonly #routes = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: PARAM_MAX_LENGTH,
  });
  readonly #otherwise: Route;

  /** @param otherwise answers requests without a route, by default ROUTE_NOT_FOUND */
  constructor(routes: readonly RegisteredRoute[], otherwise: Route = refuse) {
    for (const { method, path, route, options = {}, namesMethods = false } of routes) {
      const counts = new RequestCounts(method, path);
      const found: Found = { route, counts, options, namesMethods };
      this.#routes.on(method, path, () => undefined, found);
    }
    this.#otherwise = otherwise;
  }

  /**
   * Answers a request with its route.
   * @throws {ServiceError} ROUTE_NOT_FOUND without a route, also for another method of the same
   *   path and for a path that cannot be decoded
   */
  readonly handle: Handler = (request) => {
    const { method, path } = request;
    if (method === 'OPTIONS') return this.#options(request);
    const wanted = method === 'HEAD' ? 'GET' : method;
    const found = isMethod(wanted) ? this.#routes.find(wanted, path) : null;
    if (found === null) return this.#otherMethod(request);
    const { route, counts }: Found = found.store;
    request.counts = counts;
    return route(request, found.params);
  };

  #otherMethod(request: Request): Response | Promise<Response> {
    const found = this.#at(request.path);
    if (!found.some(({ store }) => store.namesMethods)) return this.#otherwise(request, {});
    const allowed = found.map(({ method }) => method);
    throw new ServiceError(
      'METHOD_NOT_ALLOWED',
      { allowed, current: request.method },
      { headers: { Allow: allowed.join(', ') } },
    );
  }

  /** The routes of a path. */
  #at(path: string): readonly { readonly method: Method; readonly store: Found }[] {
    return METHODS.flatMap((method) => {
      const at = this.#routes.find(method, path);
      if (at === null) return [];
      const store: Found = at.store;
      return [{ method, store }];
    });
  }

  #options(request: Request): Response {
    const found = this.#at(request.path);
    const allowed: string[] = found.map(({ method }) => method);
    if (allowed.length === 0) throw routeNotFound(request);
    if (allowed.includes('GET')) allowed.push('HEAD');
    const headers = Object.assign({}, ...found.map(({ store }) => store.options));
    return { status: 204, headers: { ...headers, Allow: [...allowed, 'OPTIONS'].join(', ') } };
  }
}
