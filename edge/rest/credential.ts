/** Finds the token that a request carries: in its header or its query string, never in both. */
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';

/**
 * The token of a request (RFC 6750, sections 2.1 and 2.3); null when there is none.
 * @throws ServiceError INVALID_PAYLOAD when it is sent both ways
 */
export function tokenOf(authorization: string | undefined, parameters: Parameters): string | null {
  const header = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
  const { access_token: given } = parameters;
  const query = typeof given === 'string' && given !== '' ? given : null;
  if (header !== null && query !== null) {
    throw invalidPayload('The request carries a token in its header and another in its query.');
  }
  return header ?? query;
}
