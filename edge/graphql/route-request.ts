/** A request to a route that another API makes. */
import type { Method } from '#edge/http/router.ts';

/** A request to a route, made for a field. */
export interface RouteRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
}
