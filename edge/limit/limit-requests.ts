/** Applies the rate limits that do not depend on the caller before a request is handled. */
import type { Request } from '#edge/http/request.ts';
import type { Handler } from '#edge/http/response.ts';
import type { Limits } from './rate-limits.ts';

/**
 * Wraps a handler so that each request is counted first; requests above a limit are refused.
 * @param isFree requests that are not counted
 */
export function guarded(
  handler: Handler,
  limits: Limits,
  isFree: (request: Request) => boolean,
): Handler {
  return (request) => {
    if (isFree(request)) return handler(request);
    const waiting = limits.enter(request);
    return waiting === undefined ? handler(request) : waiting.then(() => handler(request));
  };
}
