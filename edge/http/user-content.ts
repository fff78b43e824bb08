/**
 * How content from users is served: it never runs in the origin of the API, whatever its type.
 * `nosniff` is a standard header.
 */

/** Types that browsers display without running scripts. */
const SHOWN =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|apng|tiff|heic|heif)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/(?:pdf|json|ogg)|text\/(?:plain|csv|markdown))$/;
/** Text types, whose character set browsers would guess. */
const TEXT = /^text\//;

/**
 * Types that browsers run as scripts or modules (WHATWG MIME Sniffing, 4.6; WebAssembly Web API).
 */
const SCRIPT =
  /^(?:(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script(?:1\.[0-5])?|application\/wasm)$/;

const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'";
/** PDF viewers are part of browsers, and do not start in a sandbox. */
const PDF_POLICY = `${POLICY}; object-src 'self'`;

/** How content of a type is sent. */
export interface ServedType {
  /** For `Content-Type`. */
  readonly type: string;
  readonly disposition: 'inline' | 'attachment';
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How content of a type is sent. Pages of any origin may embed images and similar content. Scripts
 * get a type with which a page cannot run them.
 * @param stored the stored type: lower case, without parameters
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
