/**
 * The only client for URLs that users supply. Each request resolves its name once and pins the
 * address, so that a later DNS response cannot change it. Redirects are checked like the first
 * address.
 */
import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import type { SizeLimit } from '../storage/storage.ts';
import { type AddressRules, isReachable } from './public-address.ts';
import { type Label, labelOf } from './response-label.ts';

/** Maximum number of redirects. */
const MOST_REDIRECTS = 5;
/** Maximum milliseconds without a byte. */
const IDLE_MS = 30_000;
/** Maximum bytes of all headers of a response. */
const HEADERS_MAX = 16_384;
const SERVICE = 'import-url';
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Resolves a name to its addresses. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface FetchOptions extends AddressRules {
  /** Maximum bytes of the content; undefined: no limit. */
  readonly maxBytes: number | undefined;
  /** The variable that sets the maximum. */
  readonly variable?: SizeLimit['variable'];
  /** Requests only the rest of the content that has this strong entity tag. */
  readonly from?: { readonly byte: number; readonly etag: string };
  /** Milliseconds for the whole download. */
  readonly timeout: number;
  /** Aborted when the content is no longer needed. */
  readonly signal: AbortSignal;
  /** By default the resolver of the system. */
  readonly resolve?: Resolve;
}

/** The response to a download. */
export interface Fetched extends Label {
  /** Its declared length, if any. */
  readonly size: number | undefined;
  /** Can be read once; a reader that stops early closes the connection. */
  readonly content: AsyncIterable<Uint8Array>;
  /** Closes the connection, even when the content was never read. */
  readonly close: () => void;
}

/** The server, or a time limit, ended the content early. */
export class BrokenOff extends ServiceError {
  /** Another request would end in the same way. */
  readonly isFinal: boolean;

  constructor(cause: unknown, isFinal = false) {
    const { code, details, headers } = failed(reason('import_server_broke_off'));
    super(code, details, { cause, headers });
    this.isFinal = isFinal;
  }

  /** The same error, after which no request follows. */
  final(): BrokenOff {
    return new BrokenOff(this.cause, true);
  }
}

const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

function refused(why: Reason): ServiceError {
  return invalidPayload(why, { field: 'url' });
}

function failed(why: Reason, cause?: unknown): ServiceError {
  return unavailable(SERVICE, why, { cause });
}

/** The TLS error code of an invalid certificate; null for other failures. */
function certificateFault(error: Error): string | null {
  if (!('code' in error) || typeof error.code !== 'string') return null;
  return /^(?!ERR_SSL).*(?:CERT|SIGNATURE)/.test(error.code) ? error.code : null;
}

/**
 * One error for all unreachable servers, regardless of the cause. Different errors would reveal
 * which names and addresses exist in the network of this host.
 */
function unreached(cause?: unknown): ServiceError {
  return failed(reason('import_server_unreached'), cause);
}

/** The error of a request without a response. */
function unanswered(error: Error): ServiceError {
  const fault = certificateFault(error);
  if (fault !== null) {
    return failed(reason('import_server_certificate_invalid', { fault }), error);
  }
  return unreached(error);
}

/** The URL in a text. @throws ServiceError INVALID_PAYLOAD */
export function parsedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refused(reason('import_url_invalid'));
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(reason('import_url_scheme_unknown'));
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(reason('import_url_with_credentials'));
  }
  return url;
}

/**
 * The address of a request.
 * @throws ServiceError SERVICE_UNAVAILABLE
 */
async function addressOf({ hostname }: URL, options: FetchOptions): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const { resolve = systemResolve, signal } = options;
  const addresses = isIP(host) > 0 ? [host] : await within(resolve(host), signal);
  const found = addresses.find((address) => isReachable(address, options));
  if (found !== undefined) return found;
  throw unreached(new Error('not a public address'));
}

/** The addresses of a name, unless the resolution takes too long. */
async function within(
  resolving: Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  promise.catch(() => undefined);
  // A caller that has already stopped waiting does not receive the failure.
  resolving.catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([resolving, promise]);
  } catch (error) {
    throw unreached(error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Sends one request to one address. */
async function ask(url: URL, address: string, options: FetchOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isSecure = url.protocol === 'https:';
  const { from } = options;
  const send = isSecure ? secureRequest : plainRequest;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const asking = send({
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: {
      Host: url.host,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      'User-Agent': 'Sluice',
      ...(from && { Range: `bytes=${from.byte}-`, 'If-Range': from.etag }),
    },
    ...(isSecure && isIP(name) === 0 ? { servername: name } : {}),
    agent: false,
    maxHeaderSize: HEADERS_MAX,
    timeout: IDLE_MS,
    signal: options.signal,
  });
  asking.on('socket', (socket) => {
    socket.once('connect', () => {
      const { remoteAddress = '' } = socket;
      if (!isReachable(remoteAddress, options)) asking.destroy(new Error('connected elsewhere'));
    });
  });
  asking.on('response', resolve);
  asking.on('timeout', () => asking.destroy(new Error('no data arrived for too long')));
  asking.on('error', (error) => reject(unanswered(error)));
  asking.end();
  return await promise;
}

type Bounds = Pick<FetchOptions, 'maxBytes' | 'variable' | 'from'>;

function tooLarge({ maxBytes: limit, variable = 'FILES_MAX_UPLOAD_SIZE' }: Bounds): ServiceError {
  return new ServiceError('CONTENT_TOO_LARGE', { limit, variable });
}

/** The content up to the size limit; a broken connection is an error, not the end. */
async function* bounded(answer: IncomingMessage, bounds: Bounds): AsyncGenerator<Uint8Array> {
  const { maxBytes, from } = bounds;
  let bytes = from?.byte ?? 0;
  try {
    for await (const piece of answer) {
      const chunk = Buffer.from(piece);
      bytes += chunk.length;
      if (maxBytes !== undefined && bytes > maxBytes) throw tooLarge(bounds);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : new BrokenOff(error);
  } finally {
    answer.destroy();
  }
}

/**
 * The length that a response declares.
 * @throws ServiceError CONTENT_TOO_LARGE
 */
function announced(answer: IncomingMessage, bounds: Bounds): number | undefined {
  const { maxBytes, from } = bounds;
  const header = answer.headers['content-length'];
  const size = header === undefined ? undefined : Number(header) + (from?.byte ?? 0);
  if (size !== undefined && maxBytes !== undefined && size > maxBytes) throw tooLarge(bounds);
  return size;
}

/** The target of a redirect; null for other responses. */
function redirectOf(answer: IncomingMessage, from: URL): URL | null {
  const { statusCode = 0, headers } = answer;
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return null;
  const to = URL.canParse(headers.location, from.href) ? new URL(headers.location, from) : null;
  if (to === null) throw failed(reason('import_server_redirects_nowhere'));
  const next = parsedUrl(to.href);
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw refused(reason('import_url_loses_tls'));
  }
  return next;
}

/** Whether a response has the requested rest of the same content. */
function isRest(
  { statusCode, headers }: IncomingMessage,
  { byte, etag }: NonNullable<FetchOptions['from']>,
): boolean {
  const [, start] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? [];
  return statusCode === 206 && start === String(byte) && (headers.etag ?? etag) === etag;
}

/** @throws ServiceError SERVICE_UNAVAILABLE for a response that is not the file or its rest */
function requireFile(answer: IncomingMessage, { from }: Bounds): void {
  const { statusCode = 0, headers } = answer;
  if (from === undefined ? statusCode !== 200 : !isRest(answer, from)) {
    throw failed(reason('import_server_status', { status: statusCode ?? 0 }));
  }
  const codings = [headers['content-encoding'], headers['transfer-encoding']]
    .flatMap((header) => header?.toLowerCase().split(',') ?? [])
    .map((coding) => coding.trim());
  if (!codings.every((coding) => ['', 'identity', 'chunked'].includes(coding)))
    throw failed(reason('import_server_compresses'));
}

/**
 * Downloads a file by GET, following redirects.
 * @throws ServiceError INVALID_PAYLOAD for a URL that is refused; CONTENT_TOO_LARGE;
 *   SERVICE_UNAVAILABLE when it cannot be downloaded, also while its content is read
 */
export async function fetchOutside(text: string, options: FetchOptions): Promise<Fetched> {
  const { timeout } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeout)]);
  let url = parsedUrl(text);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const address = await addressOf(url, { ...options, signal });
    const answer = await ask(url, address, { ...options, signal });
    try {
      const next = redirectOf(answer, url);
      if (next === null) {
        requireFile(answer, options);
        const size = announced(answer, options);
        const close = () => void answer.destroy();
        return { ...labelOf(answer, url), size, content: bounded(answer, options), close };
      }
      answer.destroy();
      url = next;
    } catch (error) {
      answer.destroy();
      throw error;
    }
  }
  throw failed(reason('import_server_redirects_too_often', { limit: MOST_REDIRECTS }));
}
