/**
 * Creates routes from the entries of the route table. Each request passes the same checks in the
 * same order before its handler begins.
 */

import { clientIpResolver } from '#core/access/client-ip.ts';
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Route } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { Call } from './call.ts';
import { cookieOf } from './cookie.ts';
import { callerByCookie, tokenOf } from './credential.ts';
import { prefersStrict, requireKnownParameters } from './prefer-header.ts';
import { parseQueryString } from './query-parameters.ts';
import type { RouteEntry } from './route.ts';
import type { RouteAccess } from './route-facts.ts';

const SECOND_FACTOR_FIRST = reason('second_factor_demanded');

/**
 * @throws ServiceError FORBIDDEN, INVALID_CREDENTIALS when the caller may not use the route at all
 */
function requireAccess(access: RouteAccess, { user, admin }: Caller): void {
  if (access === 'administrator' && !admin) throw forbidden(reason('only_administrators'));
  if (user !== null) return;
  if (access === 'user') throw forbidden();
  if (access === 'account') throw new ServiceError('INVALID_CREDENTIALS');
}

/** The properties of an entry that the checks evaluate. */
export type DispatchedEntry = Pick<
  RouteEntry,
  | 'access'
  | 'parameters'
  | 'limit'
  | 'ignoresSession'
  | 'beforeSecondFactor'
  | 'whileBehind'
  | 'handle'
>;

/** The route of an entry; an invalid token is refused before the handler. */
export function dispatch(entry: DispatchedEntry, services: EdgeServices): Route {
  const { access, limit, handle } = entry;
  const known = Object.keys(entry.parameters ?? {});
  if (typeof handle !== 'function') {
    if (!('unchecked' in handle)) return () => handle;
    return (request) => handle.unchecked(request, services);
  }
  const byCookie = entry.ignoresSession !== true;
  const { catalog, config, identity, limits } = services;
  const ipOf = clientIpResolver(config.IP_TRUST_PROXY);
  return async (request, params) => {
    const since = performance.now();
    if (!catalog.ready() && entry.whileBehind !== true) await catalog.regain();
    const mayHoldToken = request.query.includes('token');
    const parameters = mayHoldToken ? parseQueryString(request.query) : null;
    const ip = ipOf(request);
    const sent = tokenOf(request.header('authorization'), parameters ?? {});
    const token = sent ?? (byCookie ? cookieOf(request, config, 'session') : null);
    const caller =
      sent === null && byCookie
        ? await callerByCookie(request, services, ip)
        : await identity.authenticate(sent, ip);
    request.user = caller.user;
    request.holdFor(caller);
    if (caller.admin) request.revealErrors();
    const counted = limits.identify(request, caller);
    if (counted !== undefined) await counted;
    if (caller.lacksSecondFactor && entry.beforeSecondFactor !== true) {
      throw forbidden(SECOND_FACTOR_FIRST);
    }
    const strict = prefersStrict(request);
    const facts = { request, params, caller, ip, strict, services, since, token };
    const call = new Call(facts, parameters);
    if (strict) requireKnownParameters(request, call.parameters, known);
    if (limit !== undefined) await limits.attempt(request, limit);
    requireAccess(access, caller);
    return handle(call);
  };
}
