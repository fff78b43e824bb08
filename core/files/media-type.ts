/**
 * Detects the type of a file from its content, so that no file is served with a type that it only
 * claims.
 */

/** Bytes from the beginning of a file that determine its type. */
export const HEAD_BYTES = 4_100;
/** The type of files that match no other type. */
export const OCTET_STREAM = 'application/octet-stream';

/** RFC 6838, 4.2. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
/** Types whose content is text, besides those that begin with `text/`. */
const TEXTS =
  /^application\/(?:[\w.-]+\+)?(?:json|xml|yaml)$|^application\/(?:(?:x-)?(?:javascript|ndjson|yaml|sql|sh|toml|tex|httpd-php|subrip|pem-file)|rtf|graphql|geo\+json)$|^image\/svg\+xml$|^message\/rfc822$/;

/**
 * Content that identifies only a container: a claim about the inner type is accepted if it matches.
 * Other claims contradict the content.
 */
const CONTAINERS: Readonly<Record<string, RegExp>> = {
  'application/zip':
    /^application\/(?:vnd\.(?:openxmlformats|oasis|android|apple|google-earth|ms-)[\w.+-]*|epub\+zip|java-archive|x-zip-compressed)$/,
  'application/x-cfb': /^application\/(?:msword|vnd\.(?:ms-|visio|outlook)[\w.+-]*|x-msi)$/,
  'application/xml': /^(?:text\/xml|(?:application|image|model)\/[\w.-]+\+xml)$/,
  'video/mp4': /^(?:audio|application)\/mp4$/,
  'audio/ogg': /^(?:application|video)\/ogg$/,
  'video/webm': /^audio\/webm$/,
};

/** Whether bytes are the beginning of a text, in any character set. */
function isText(head: Uint8Array): boolean {
  const [first, second] = head;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return true;
  // Tabs, line ends, form feeds and escapes are the only control characters of texts.
  return !head.some((byte) => byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27);
}

/**
 * The type of a file, in lower case and without parameters.
 * @param head its first {@link HEAD_BYTES}, or all of it
 * @param claim the client's declared type; empty without one
 * @returns the detected type; the claim where content cannot determine the type, such as for texts;
 *   application/octet-stream for a claim that contradicts the content
 */
export async function mediaTypeOf(head: Uint8Array, claim: string): Promise<string> {
  // Loading takes 30 ms, and only processes that receive files need it.
  const { fileTypeFromBuffer, supportedMimeTypes } = await import('file-type');
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const claimed = TYPE.test(claim) ? claim : OCTET_STREAM;
  if (found !== undefined) {
    const type = found.mime.replace(/;.*$/s, '').toLowerCase();
    return CONTAINERS[type]?.test(claimed) ? claimed : type;
  }
  if (claimed.startsWith('text/') || TEXTS.test(claimed)) {
    return isText(head) ? claimed : OCTET_STREAM;
  }
  const isKnown = supportedMimeTypes.has(claimed) || /^(?:image|audio|video|font)\//.test(claimed);
  return isKnown ? OCTET_STREAM : claimed;
}

/**
 * Whether a list of types has a type.
 * @param list such as `image/*`, `application/pdf`, `*` and `*\/*`
 */
export function isListed(type: string, list: readonly string[]): boolean {
  return list.some((entry) => {
    const pattern = entry.toLowerCase();
    if (pattern === '*' || pattern === '*/*') return true;
    return pattern.endsWith('/*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
  });
}

/**
 * Passes a stream on after its first bytes are checked. A piece must be valid only until the next
 * one is requested.
 * @param judge may refuse the rest by throwing
 */
export async function* headed(
  source: AsyncIterable<Uint8Array>,
  judge: (head: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let early: Uint8Array[] | null = [];
  let length = 0;
  for await (const piece of source) {
    if (early === null) {
      yield piece;
      continue;
    }
    early.push(Buffer.from(piece));
    length += piece.length;
    if (length < HEAD_BYTES) continue;
    await judge(Buffer.concat(early).subarray(0, HEAD_BYTES));
    yield* early;
    early = null;
  }
  if (early === null) return;
  await judge(Buffer.concat(early));
  yield* early;
}
