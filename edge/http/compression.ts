/**
 * Decides whether an answer is compressed and how (RFC 9110, 8.4 and 12.5.3), and compresses those
 * whose body is at hand.
 *
 * What is compressed together can be guessed from its length by somebody who chooses a part of it
 * and makes a browser ask with the victim's cookie (BREACH, CVE-2013-3587). So answers that hold
 * secrets, which say `no-store`, are never compressed, nor those to another site's requests that
 * carry a cookie.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { Request } from './request.ts';
import type { Response } from './response.ts';
import { ownHeader } from './response-header.ts';

/** A content coding that is offered. */
export type Coding = 'br' | 'gzip';

/** In the order of preference among those that the client likes equally. */
const CODINGS = ['br', 'gzip'] as const;

/**
 * Shortest body that is compressed, in characters or bytes. A shorter one fits into one packet
 * together with its headers, and the way to another thread and back costs more than it saves.
 */
export const COMPRESSED_MIN = 1_500;

/**
 * Characters or bytes that may wait for being compressed. Beyond it answers are sent as they are:
 * when the processor is what is short, compressing more would only make everybody wait.
 */
const WAITING_MAX = 8_388_608;

/** Beyond these levels an answer built on request takes twice the time for a few percent of size. */
export const GZIP_LEVEL = 4;
export const BROTLI_PARAMETERS = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  // 256 KB; the library's default of 4 MB is memory for each stream that nothing is gained by.
  [constants.BROTLI_PARAM_LGWIN]: 18,
} as const;

/** Types of content that become much shorter. Events are not among them: each must come at once. */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-ndjson|javascript)\b)/i;

const FORBIDDING = /\bno-(?:store|transform)\b/i;

const gzipBytes = promisify(gzip);
const brotliBytes = promisify(brotliCompress);

let waiting = 0;

/** What is needed of the library; its declarations lack the second argument. */
interface EncodingNegotiator {
  encodings(
    available: readonly string[],
    options: { readonly preferred: readonly string[] },
  ): readonly string[];
}

/** The answer may be sent in more than one coding, depending on what the client accepts. */
export function isCompressible({ headers }: Response): boolean {
  if (headers === undefined) return true;
  if (!COMPRESSIBLE.test(ownHeader(headers, 'content-type') ?? 'application/json')) return false;
  if (FORBIDDING.test(ownHeader(headers, 'cache-control') ?? '')) return false;
  if (ownHeader(headers, 'content-encoding') !== undefined) return false;
  if (ownHeader(headers, 'content-range') !== undefined) return false;
  // A strong tag names bytes, so it cannot belong to two codings.
  return ownHeader(headers, 'etag')?.startsWith('W/') ?? true;
}

/** The coding that the client likes most; null when that is none. */
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

/** One more body of this length may be compressed now. */
export function hasRoom(length: number): boolean {
  return waiting === 0 || waiting + length <= WAITING_MAX;
}

/** Compresses a body as a whole, on a thread beside the event loop. */
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
