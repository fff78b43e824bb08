/** Routes whose requests are limited strictly, because attackers try them often. */
import type { CallHandler } from '#edge/rest/call.ts';
import type { StrictName } from './limits.ts';

/** A handler whose requests are counted before it does anything. */
export function strict(name: StrictName, handler: CallHandler): CallHandler {
  return async (call) => {
    await call.services.limits.attempt(call.request, name);
    return handler(call);
  };
}
