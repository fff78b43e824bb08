/** Applies the rate limits that need no caller before a request is handled. */
import type { Handler } from '#edge/http/response.ts';
import type { Limits } from './rate-limits.ts';

/** A handler whose requests are counted first; requests above a limit do not reach it. */
export function guarded(handler: Handler, limits: Limits): Handler {
  return (request) => {
    const waiting = limits.enter(request);
    return waiting === undefined ? handler(request) : waiting.then(() => handler(request));
  };
}
