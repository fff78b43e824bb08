/**
 * Decides whether an answer is compressed and how (RFC 9110, 8.4 and 12.5.3), and compresses
 * complete bodies.
 *
 * Somebody who chooses a part of a text and makes a browser request it with the victim's cookie can
 * guess the rest from the compressed length (BREACH, CVE-2013-3587). So answers with secrets, which
 * have `no-store`, are never compressed, nor answers to requests of other sites with a cookie.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { Request } from './request.ts';
import type { Response } from './response.ts';
import { ownHeader } from './response-header.ts';

/** An offered content coding. */
export type Coding = 'br' | 'gzip';

/** In order of preference when the client has none. */
const CODINGS = ['br', 'gzip'] as const;

/**
 * Shortest body that is compressed, in characters or bytes. A shorter one fits into one packet with
 * its headers, and passing it to another thread costs more than compression saves.
 */
export const COMPRESSED_MIN = 1_500;

/**
 * Characters or bytes that may wait for compression. Above it answers are sent uncompressed: when
 * the processor is busy, more compression only makes everybody wait.
 */
const WAITING_MAX = 8_388_608;

/** Higher levels take twice the time for a few percent of size. */
export const GZIP_LEVEL = 4;
export const BROTLI_PARAMETERS = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  // 256 KB; the library's default of 4 MB costs memory for each stream without a gain.
  [constants.BROTLI_PARAM_LGWIN]: 18,
} as const;

/** Types of content that compress well. Events are missing: each must be sent at once. */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-ndjson|javascript)\b)/i;

const FORBIDDING = /\bno-(?:store|transform)\b/i;

/** What is compressed once and kept is worth more time: a tenth of the size for ten times the time. */
const KEPT_GZIP_LEVEL = 9;
const KEPT_BROTLI_PARAMETERS = {
  [constants.BROTLI_PARAM_QUALITY]: 9,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
} as const;

const gzipBytes = promisify(gzip);
const brotliBytes = promisify(brotliCompress);

let waiting = 0;

/** The type of the library's function; its declarations lack the second argument. */
interface EncodingNegotiator {
  encodings(
    available: readonly string[],
    options: { readonly preferred: readonly string[] },
  ): readonly string[];
}

/** The answer exists in several codings, depending on what the client accepts. */
export function isCompressible({ headers }: Response): boolean {
  if (headers === undefined) return true;
  if (!COMPRESSIBLE.test(ownHeader(headers, 'content-type') ?? 'application/json')) return false;
  if (FORBIDDING.test(ownHeader(headers, 'cache-control') ?? '')) return false;
  if (ownHeader(headers, 'content-encoding') !== undefined) return false;
  if (ownHeader(headers, 'content-range') !== undefined) return false;
  // A strong tag identifies bytes, so it cannot belong to two codings.
  return ownHeader(headers, 'etag')?.startsWith('W/') ?? true;
}

/** The coding that the client prefers; null when it accepts none. */
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

/** Whether one more body of this length may be compressed now. */
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

/** Compresses what is kept and sent to many, on another thread. */
export async function compressToKeep(body: Uint8Array, coding: Coding): Promise<Uint8Array> {
  if (coding === 'gzip') return await gzipBytes(body, { level: KEPT_GZIP_LEVEL });
  const params = { ...KEPT_BROTLI_PARAMETERS, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return await brotliBytes(body, { params });
}
