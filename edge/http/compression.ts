/**
 * Decides whether and how a response is compressed (RFC 9110, 8.4 and 12.5.3), and compresses
 * complete bodies.
 *
 * An attacker can choose a part of a text and make a browser request it with the victim's cookie.
 * The compressed length then reveals the rest (BREACH, CVE-2013-3587). So responses with secrets,
 * which have `no-store`, are never compressed. Responses to cross-site requests with a cookie are
 * not compressed either.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { Request } from './request.ts';
import type { Response } from './response.ts';
import { ownHeader } from './response-header.ts';

/** A supported content coding. */
export type Coding = 'br' | 'gzip';

/** In order of preference when the client has no preference. */
const CODINGS = ['br', 'gzip'] as const;

/**
 * Minimum length of a compressed body, in characters or bytes. A shorter body fits into one packet
 * with its headers. Passing it to another thread costs more than compression saves.
 */
export const COMPRESSED_MIN = 1_500;

/**
 * Maximum characters or bytes that wait for compression. Above it responses are sent uncompressed:
 * on a busy processor more compression delays every request.
 */
const WAITING_MAX = 8_388_608;

/** Higher levels take twice the time for a few percent of size. */
export const GZIP_LEVEL = 4;
export const BROTLI_PARAMETERS = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  // 256 KB; the library's default of 4 MB costs memory for each stream without a benefit.
  [constants.BROTLI_PARAM_LGWIN]: 18,
} as const;

/**
 * Content types that compress well. Event streams are excluded, because each event must be sent
 * immediately.
 */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-ndjson|javascript)\b)/i;

const FORBIDDING = /\bno-(?:store|transform)\b/i;

/**
 * Content that is compressed once and cached justifies more time: a tenth of the size for ten times
 * the time.
 */
const KEPT_GZIP_LEVEL = 9;
const KEPT_BROTLI_PARAMETERS = {
  [constants.BROTLI_PARAM_QUALITY]: 9,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
} as const;

const gzipBytes = promisify(gzip);
const brotliBytes = promisify(brotliCompress);

let waiting = 0;

/** The type of the library's function, whose declarations lack the second argument. */
interface EncodingNegotiator {
  encodings(
    available: readonly string[],
    options: { readonly preferred: readonly string[] },
  ): readonly string[];
}

/** Whether the response is available in several codings, depending on the request. */
export function isCompressible({ headers }: Response): boolean {
  if (headers === undefined) return true;
  if (!COMPRESSIBLE.test(ownHeader(headers, 'content-type') ?? 'application/json')) return false;
  if (FORBIDDING.test(ownHeader(headers, 'cache-control') ?? '')) return false;
  if (ownHeader(headers, 'content-encoding') !== undefined) return false;
  if (ownHeader(headers, 'content-range') !== undefined) return false;
  // A strong tag identifies exact bytes, so two codings cannot share it.
  return ownHeader(headers, 'etag')?.startsWith('W/') ?? true;
}

/** The client's preferred coding; null when the client accepts no supported coding. */
export function codingFor(request: Request): Coding | null {
  const accepted = request.header('accept-encoding');
  if (accepted === undefined) return null;
  const crossSite = request.header('sec-fetch-site') === 'cross-site';
  if (crossSite && request.header('cookie') !== undefined) return null;
  const negotiator: EncodingNegotiator = new Negotiator({
    headers: { 'accept-encoding': accepted },
  });
  const [best] = negotiator.encodings([...CODINGS, 'identity'], { preferred: CODINGS });
  return best === 'br' || best === 'gzip' ? best : null;
}

/** Whether another body of this length may be compressed now. */
export function hasRoom(length: number): boolean {
  return waiting === 0 || waiting + length <= WAITING_MAX;
}

/** Compresses a complete body, on another thread. */
export async function compress(body: string | Uint8Array, coding: Coding): Promise<Uint8Array> {
  waiting += body.length;
  try {
    if (coding === 'gzip') return await gzipBytes(body, { level: GZIP_LEVEL });
    const params = { ...BROTLI_PARAMETERS, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    return await brotliBytes(body, { params });
  } finally {
    waiting -= body.length;
  }
}

/** Compresses content that is cached and sent to many clients, on another thread. */
export async function compressToKeep(body: Uint8Array, coding: Coding): Promise<Uint8Array> {
  if (coding === 'gzip') return await gzipBytes(body, { level: KEPT_GZIP_LEVEL });
  const params = { ...KEPT_BROTLI_PARAMETERS, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return await brotliBytes(body, { params });
}
