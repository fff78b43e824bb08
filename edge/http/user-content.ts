/**
 * How the content of users is shown: it never runs in the origin of the API, whatever it is. `nosniff`
 * is a standard header.
 */

/** Types that browsers show without running anything of them. */
const SHOWN =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|apng|tiff|heic|heif)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/(?:pdf|json|ogg)|text\/(?:plain|csv|markdown))$/;
/** Types that are texts, whose character set browsers would guess. */
const TEXT = /^text\//;

/** Types that browsers run as scripts and modules (WHATWG MIME Sniffing, 4.6; WebAssembly Web API). */
const SCRIPT =
  /^(?:(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script(?:1\.[0-5])?|application\/wasm)$/;

const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'";
/** Viewers of PDF are parts of browsers, and refuse to begin in a sandbox. */
const PDF_POLICY = `${POLICY}; object-src 'self'`;

/** How content of a type is sent. */
export interface ServedType {
  /** For `Content-Type`. */
  readonly type: string;
  readonly disposition: 'inline' | 'attachment';
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How the content of a type is sent. Pages of any origin may embed images and the like; scripts have no type
 * with which a page could run them.
 * @param stored the type as it is stored, lower case, without parameters
 */
export function servedType(stored: string): ServedType {
  const type = SCRIPT.test(stored) ? 'application/octet-stream' : stored;
  return {
    type: TEXT.test(type) ? `${type}; charset=utf-8` : type,
    disposition: SHOWN.test(type) ? 'inline' : 'attachment',
    headers: {
      'Content-Security-Policy': type === 'application/pdf' ? PDF_POLICY : `${POLICY}; sandbox`,
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  };
}
