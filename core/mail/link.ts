/**
 * The links in mails: which pages of other sites they may lead to, and how a token gets into one.
 * A link is made of what was parsed, never of the text that a request sent.
 */

/** What a URL may be written with: two slashes, no blank, control character or backslash. */
const WRITTEN = /^https?:\/\/(?!\/)[^\s\\\p{Cc}\p{Cf}]+$/iu;
/** What comes before the path, with an at sign in it. */
const USER_INFO = /^[^:]+:\/\/[^/?#]*@/;
/** Separators that a server may decode later than it looks at them, and doubled ones. */
const AMBIGUOUS_PATH = /%(?:2f|5c|2e|25|00)|\/\//i;

/** Whether the path is the allowed one or lies below it; `/app` does not allow `/application`. */
function isBelow(path: string, allowed: string): boolean {
  if (path === allowed) return true;
  return path.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`);
}

/**
 * Looks a URL up in an allow list: the origin must be the same, and the path that of the entry or
 * one below it.
 * @param allowed URLs without query and fragment
 * @returns the URL in its normal form; null when it is not allowed
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

/** The page with the token as its query parameter; one that it had already is replaced. */
export function withToken(page: string, token: string): string {
  const url = new URL(page);
  url.searchParams.set('token', token);
  return url.href;
}
