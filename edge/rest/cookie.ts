/**
 * The two cookies of login: one contains the refresh token, the other the access token of a
 * session.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Config } from '#core/base/config/variables.ts';
import type { Request } from '#edge/http/request.ts';

/** `refresh`: the refresh token, in mode cookie; `session`: the access token, in mode session. */
export type CookieKind = 'refresh' | 'session';

function settings(config: Config, kind: CookieKind) {
  return kind === 'refresh'
    ? {
        name: config.REFRESH_TOKEN_COOKIE_NAME,
        secure: config.REFRESH_TOKEN_COOKIE_SECURE,
        sameSite: config.REFRESH_TOKEN_COOKIE_SAME_SITE,
        domain: config.REFRESH_TOKEN_COOKIE_DOMAIN,
        maxAge: config.REFRESH_TOKEN_TTL,
      }
    : {
        name: config.SESSION_COOKIE_NAME,
        secure: config.SESSION_COOKIE_SECURE,
        sameSite: config.SESSION_COOKIE_SAME_SITE,
        domain: config.SESSION_COOKIE_DOMAIN,
        maxAge: config.SESSION_COOKIE_TTL,
      };
}

/** The value of a cookie in a request; null when it is missing. */
export function cookieOf(request: Request, config: Config, kind: CookieKind): string | null {
  const header = request.header('cookie');
  if (header === undefined) return null;
  return parseCookie(header)[settings(config, kind).name] || null;
}

function set(request: Request, value: string, kind: CookieKind, config: Config): void {
  const { name, secure, sameSite, domain, maxAge } = settings(config, kind);
  const seconds = value === '' ? 0 : Math.floor(maxAge / 1_000);
  const attributes = { httpOnly: true, path: '/', secure, sameSite, maxAge: seconds };
  const expires = new Date(value === '' ? 0 : Date.now() + seconds * 1_000);
  const place = domain === undefined ? {} : { domain };
  request.addHeader(
    'Set-Cookie',
    stringifySetCookie({ name, value, expires, ...attributes, ...place }),
  );
}

/** Sets a cookie; scripts cannot read it. */
export function setCookie(request: Request, value: string, kind: CookieKind, config: Config) {
  set(request, value, kind, config);
}

/** Deletes a cookie. */
export function deleteCookie(request: Request, kind: CookieKind, config: Config): void {
  set(request, '', kind, config);
}
