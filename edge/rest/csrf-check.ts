/**
 * Refuses requests that a page of another site makes a browser send with its user's cookie
 * (cross-site request forgery). Browsers send the origin of a request (`Origin`, RFC 6454;
 * `Sec-Fetch-Site`, Fetch Metadata). Other programs do not send it, but no page can make them send
 * cookies.
 */

import { includesOrigin } from '#core/base/config/origin.ts';
import type { Config } from '#core/base/config/variables.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Request } from '#edge/http/request.ts';

type ForgeryConfig = Pick<
  Config,
  'PUBLIC_URL' | 'CORS_ENABLED' | 'CORS_ORIGIN' | 'CORS_CREDENTIALS'
>;

/** Methods without side effects. */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'SEARCH']);
/**
 * Media types of bodies that routes accept: JSON, forms with files, and the pieces of a tus upload.
 */
const TAKEN =
  /^\s*(?:application\/(?:(?:[\w.-]+\+)?json|offset\+octet-stream)|multipart\/form-data)\s*(?:;|$)/i;

/** The origin is this server, or PUBLIC_URL. */
function isOwn(origin: string, request: Request, { PUBLIC_URL }: ForgeryConfig): boolean {
  const url = URL.parse(origin);
  if (url === null) return false;
  const known = PUBLIC_URL === undefined ? null : new URL(PUBLIC_URL);
  if (url.origin === known?.origin) return true;
  // Only the proxy can determine the scheme. When PUBLIC_URL specifies it, other schemes are
  // refused.
  return url.host === request.header('host') && url.host !== known?.host;
}

/**
 * Whether a page may open a WebSocket. Browsers allow that for every page, regardless of CORS, and
 * send cookies with the request.
 */
export function maySocketOriginConnect(request: Request, config: ForgeryConfig): boolean {
  const origin = request.header('origin');
  if (origin === undefined || isOwn(origin, request, config)) return true;
  const { CORS_ENABLED, CORS_ORIGIN } = config;
  return CORS_ENABLED && CORS_ORIGIN !== '*' && includesOrigin(CORS_ORIGIN, origin);
}

/** Whether the origin may send cookies: this server, PUBLIC_URL, or an origin that CORS allows. */
function isTrusted(origin: string, request: Request, config: ForgeryConfig): boolean {
  if (isOwn(origin, request, config)) return true;
  const { CORS_ENABLED, CORS_CREDENTIALS, CORS_ORIGIN } = config;
  if (!CORS_ENABLED || !CORS_CREDENTIALS || CORS_ORIGIN === '*') return false;
  return includesOrigin(CORS_ORIGIN, origin);
}

/**
 * Checks a request that a cookie authenticates.
 * @throws ServiceError FORBIDDEN when a page of another origin may have sent it;
 *   UNSUPPORTED_MEDIA_TYPE when its body has no type, or one that forms can send
 */
export function checkCsrf(request: Request, config: ForgeryConfig): void {
  if (SAFE.has(request.method)) return;
  const origin = request.header('origin');
  const site = request.header('sec-fetch-site');
  const sentFromHere =
    origin === undefined
      ? site === undefined || site === 'same-origin' || site === 'none'
      : isTrusted(origin, request, config);
  if (!sentFromHere) {
    throw forbidden(reason('request_of_other_origin'));
  }
  const type = request.header('content-type');
  if (request.body.size === 0 || TAKEN.test(type ?? '')) return;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
    mediaType: type ?? '',
    where: 'Content-Type',
    reason: reason('cookie_request_without_content_type'),
  });
}
