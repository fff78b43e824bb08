/**
 * Builds the links in mails: the sites they may point to, and how they contain a token. A link is
 * built from the parsed URL, never from the text of a request.
 */

/** The allowed characters of a URL: two slashes, no blank, control character or backslash. */
const WRITTEN = /^https?:\/\/(?!\/)[^\s\\\p{Cc}\p{Cf}]+$/iu;
/** A user part before the path, with an at sign. */
const USER_INFO = /^[^:]+:\/\/[^/?#]*@/;
/** Separators that a server could decode later, and doubled ones. */
const AMBIGUOUS_PATH = /%(?:2f|5c|2e|25|00)|\/\//i;

/** Whether the path is the allowed one or below it; `/app` does not allow `/application`. */
function isBelow(path: string, allowed: string): boolean {
  if (path === allowed) return true;
  return path.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`);
}

/**
 * Looks up a URL in an allow list: the same origin, and the path of an entry or one below it.
 * @param allowed URLs without query and fragment
 * @returns the normalized URL; null when it is not allowed
 */
export function allowedUrl(text: string, allowed: readonly string[]): string | null {
  if (!WRITTEN.test(text) || USER_INFO.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (AMBIGUOUS_PATH.test(url.pathname)) return null;
  const found = allowed
    .map((entry) => new URL(entry))
    .some(({ origin, pathname }) => origin === url.origin && isBelow(url.pathname, pathname));
  return found ? url.href : null;
}

/** The page with the token as query parameter; an existing one is replaced. */
export function withToken(page: string, token: string): string {
  const url = new URL(page);
  url.searchParams.set('token', token);
  return url.href;
}
