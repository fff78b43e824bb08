/**
 * Answers fields of the system endpoint with the routes of REST: their checks, limits and errors are
 * those of the route, and are written once.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { InnerRequest, type RouteRequest } from '#edge/http/inner-request.ts';
import type { Request } from '#edge/http/request.ts';
import type { Handler, Response } from '#edge/http/response.ts';
import type { EdgeServices } from '#edge/services.ts';

const handlers = new WeakMap<EdgeServices, Handler>();

/** Sets the handler of requests to the routes of REST. */
export function useRoutes(services: EdgeServices, handler: Handler): void {
  handlers.set(services, handler);
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
 * The response of a route.
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
 * The data of a route's response; true when the response is empty.
 * @throws ServiceError what the route throws; SERVICE_UNAVAILABLE for a job that does not end in time
 */
export async function routeData(
  services: EdgeServices,
  outer: Request,
  asked: RouteRequest,
): Promise<unknown> {
  return dataOf(await routeResponse(services, outer, asked));
}
