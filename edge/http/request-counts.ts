/**
 * Counts the requests of a route by status, and measures their durations. The labels use route
 * templates, so that paths from clients cannot create new labels.
 */
import { type Count, type Distribution, metrics } from '#core/base/metrics/metrics.ts';

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'PUT', 'DELETE', 'SEARCH']);
/** The label of requests without a route, or answered before routing. */
const NO_ROUTE = 'none';
const ABORTED = 'aborted';

export class RequestCounts {
  readonly #labels: { readonly method: string; readonly route: string };
  readonly #statuses = new Map<number | null, Count>();
  #durations: Distribution | null = null;

  /** @param route the template of its path */
  constructor(method: string, route: string) {
    this.#labels = { method, route };
  }

  /** The template of the path. */
  get route(): string {
    return this.#labels.route;
  }

  /**
   * A request ended.
   * @param status null when the connection was closed before the response
   */
  count(status: number | null, milliseconds: number): void {
    this.#of(status).value += 1;
    this.#durations ??= metrics.histogram('sluice_http_request_duration_seconds', this.#labels);
    this.#durations.observe(milliseconds / 1_000);
  }

  #of(status: number | null): Count {
    const known = this.#statuses.get(status);
    if (known !== undefined) return known;
    const labels = { ...this.#labels, status: status === null ? ABORTED : String(status) };
    const count = metrics.counter('sluice_http_requests_total', labels);
    this.#statuses.set(status, count);
    return count;
  }
}

const withoutRoute = new Map<string, RequestCounts>();

/** The counter for requests without a route. */
export function countsWithoutRoute(method: string): RequestCounts {
  const known = METHODS.has(method) ? method : 'OTHER';
  let counts = withoutRoute.get(known);
  if (counts !== undefined) return counts;
  counts = new RequestCounts(known, NO_ROUTE);
  withoutRoute.set(known, counts);
  return counts;
}
