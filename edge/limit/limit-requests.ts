/** Puts the limits that need no identity before everything else that a request asks for. */
import type { Handler } from '#edge/http/response.ts';
import type { Limits } from './rate-limits.ts';

/** A handler whose requests are counted first; those over a limit do not reach it. */
export function guarded(handler: Handler, limits: Limits): Handler {
  return (request) => {
    const waiting = limits.enter(request);
    return waiting === undefined ? handler(request) : waiting.then(() => handler(request));
  };
}
