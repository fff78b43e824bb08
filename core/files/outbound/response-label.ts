/** What a response states about its content: its type, its name and its version. */
import type { IncomingMessage } from 'node:http';

/** The label of downloaded content. */
export interface Label {
  /** Its type, lower case, without parameters; empty without one. */
  readonly type: string;
  /** The `charset` of its type, lower case; null without one. */
  readonly charset: string | null;
  /** The strong entity tag of the content; null without one. */
  readonly etag: string | null;
  /** The name that the server sends, else the last segment of the path; never a path. */
  readonly filename: string;
}

/** The media type and the charset of a response. */
function typeOf({ headers }: IncomingMessage): Pick<Label, 'type' | 'charset'> {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/;
  const [found = null] = parameters.flatMap((one) => charset.exec(one)?.[1] ?? []);
  return { type: type.trim(), charset: found };
}

/** The name in `Content-Disposition` (RFC 6266), or the last segment of the path. */
function filenameOf({ headers }: IncomingMessage, url: URL): string {
  const header = headers['content-disposition'] ?? '';
  const [, extended] = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(header) ?? [];
  const [, quoted, bare] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? [];
  const found = decoded(extended) ?? quoted?.replace(/\\(.)/g, '$1') ?? bare;
  const last = found ?? decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1)) ?? '';
  const name =
    last
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\p{Cc}/gu, '') ?? '';
  return /^\.*$/.test(name) ? 'file' : [...name].slice(-200).join('');
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The strong entity tag of a response; null without one. */
function strongTag(tag: string | undefined): string | null {
  return tag !== undefined && /^"[\x21\x23-\x7e]*"$/.test(tag) ? tag : null;
}

/** The label of a response to a request for a URL. */
export function labelOf(answer: IncomingMessage, url: URL): Label {
  const etag = strongTag(answer.headers.etag);
  return { ...typeOf(answer), etag, filename: filenameOf(answer, url) };
}
