/**
 * Finds the token of a request: in the header or the query string, never in both, else in the
 * session cookie.
 */
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { Request } from '#edge/http/request.ts';
import type { EdgeServices } from '#edge/services.ts';
import { cookieOf, deleteCookie } from './cookie.ts';
import { checkCsrf } from './csrf-check.ts';

/**
 * The token of a request (RFC 6750, sections 2.1 and 2.3); null without one. The text after
 * `Bearer` is a token even when it contains spaces. So a malformed token is refused, and its sender
 * is not treated as anonymous.
 * @throws ServiceError INVALID_PAYLOAD when it is sent in both places
 */
export function tokenOf(authorization: string | undefined, parameters: Parameters): string | null {
  const header = /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trimEnd() ?? null;
  const { access_token: given } = parameters;
  const query = typeof given === 'string' && given !== '' ? given : null;
  if (header !== null && query !== null) {
    throw invalidPayload(reason('two_tokens'));
  }
  return header ?? query;
}

/**
 * The caller of a request without a token, from its session cookie if it has one. An invalid cookie
 * is deleted, because scripts cannot delete it.
 * @throws ServiceError like authentication by any token, and as {@link checkCsrf}
 */
export async function callerByCookie(
  request: Request,
  { config, identity }: EdgeServices,
  ip: string | null,
): Promise<Caller> {
  const token = cookieOf(request, config, 'session');
  if (token !== null) checkCsrf(request, config);
  try {
    return await identity.authenticate(token, ip);
  } catch (error) {
    const over = error instanceof ServiceError && error.status === 401;
    if (over && token !== null && error.code !== 'INVALID_IP') {
      deleteCookie(request, 'session', config);
    }
    throw error;
  }
}
