/**
 * Downloads that continue after a break. Where the server identifies the content by a strong `ETag`
 * and sends ranges (RFC 9110, 13.1.5 and 14), the rest is requested with `If-Range`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { BrokenOff, type Fetched, type FetchOptions, fetchOutside } from './fetch-outside.ts';

/** Maximum requests for the rest of one file. */
const MOST_RESUMES = 5;
/** Pause (ms) before such a request. */
const PAUSE_MS = 200;

/**
 * Downloads like {@link fetchOutside}. The time limit concerns the whole download, with its breaks.
 * @throws ServiceError as {@link fetchOutside}; {@link BrokenOff} while the content is read when the
 *   server breaks off and does not send the rest of the same content
 */
export async function fetchResumed(text: string, given: FetchOptions): Promise<Fetched> {
  const signal = AbortSignal.any([given.signal, AbortSignal.timeout(given.timeout)]);
  const options = { ...given, signal };
  const first = await fetchOutside(text, options);
  const { etag } = first;
  let current = first;

  /** The rest of the content; null when a break must end the download. */
  async function rest(bytes: number): Promise<Fetched | null> {
    if (etag === null || signal.aborted) return null;
    await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    return await fetchOutside(text, { ...options, from: { byte: bytes, etag } }).catch(() => null);
  }

  async function* content(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for (let resumes = 0; ; resumes += 1) {
      try {
        for await (const piece of current.content) {
          bytes += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        if (!(error instanceof BrokenOff)) throw error;
        const next = resumes < MOST_RESUMES ? await rest(bytes) : null;
        if (next === null) throw signal.aborted ? error.final() : error;
        current = next;
      }
    }
  }

  return { ...first, content: content(), close: () => current.close() };
}
