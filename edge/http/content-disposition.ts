/** The Content-Disposition of a download, with its name (RFC 6266, RFC 8187). */

/** Maximum length of a name; excess characters are cut before the extension. */
const LONGEST = 200;
/**
 * Characters not allowed in names: control characters, path separators, and marks that change the
 * direction of writing.
 */
const UNSAFE = /[\p{Cc}\p{Cs}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function shortened(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST) return name;
  const ending = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? '';
  return characters.slice(0, LONGEST - ending.length).join('') + ending;
}

/** Encodes a name as RFC 8187 requires: percent-encoded UTF-8 except for the allowed characters. */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A name in both forms: plain ASCII, and percent-encoded UTF-8 where it differs. */
export function disposition(name: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const safe = shortened(name.replace(UNSAFE, '_'));
  const plain = safe.replace(/[^\x20-\x7E]|["%]/g, '_');
  const extended = plain === safe ? '' : `; filename*=UTF-8''${encoded(safe)}`;
  return `${kind}; filename="${plain}"${extended}`;
}
