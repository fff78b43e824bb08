/**
 * The header `Prefer` of a request (RFC 7240): whether to wait for a job, and whether handling is
 * strict.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { Request } from '#edge/http/request.ts';

/** `Prefer: handling=strict` (section 4.4): refuse unknown parameters and members. */
const STRICT = /^\s*handling\s*=\s*(?:strict|"strict")\s*(;|$)/i;
const LENIENT = /^\s*handling\s*(=|;|$)/i;
const ASYNC = /^\s*respond-async\s*(;|$)/i;

function preferences(request: Request): readonly string[] {
  return request.header('prefer')?.split(',') ?? [];
}

/** Whether the client requests an immediate response (section 4.1). */
export function prefersAsync(request: Request): boolean {
  return preferences(request).some((entry) => ASYNC.test(entry));
}

/** Whether the client prefers strict handling; the first `handling` counts (section 2). */
export function prefersStrict(request: Request): boolean {
  const handling = preferences(request).find((entry) => LENIENT.test(entry));
  return handling !== undefined && STRICT.test(handling);
}

/** Parameters that every route accepts. */
const EVERYWHERE = ['access_token'];

/**
 * With strict handling, refuses unknown parameters and sets `Preference-Applied`.
 * @throws ServiceError INVALID_QUERY naming the first unknown parameter
 */
export function requireKnownParameters(
  request: Request,
  parameters: object,
  known: readonly string[],
): void {
  request.addHeader('Preference-Applied', 'handling=strict');
  const names = Object.keys(parameters);
  const unknown = names.find((name) => !known.includes(name) && !EVERYWHERE.includes(name));
  if (unknown === undefined) return;
  const list = known.length === 0 ? 'none' : known.join(', ');
  throw invalidQuery(reason('route_parameter_unknown', { name: unknown, known: list }));
}
