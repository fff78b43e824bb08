/** Which requests are repeated after a failure, and when. */
import { NetworkError, SluiceError } from './errors.ts';
import type { RetryOptions } from './options.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'SEARCH']);
const FIRST_PAUSE = 250;

/**
 * Whether a request changes nothing more when it arrives twice: it reads, or it names the work
 * (`Idempotency-Key`), or the state that it changes (`If-Match`).
 */
export function isRepeatable(method: string, headers: Headers): boolean {
  return SAFE.has(method) || headers.has('idempotency-key') || headers.has('if-match');
}

/**
 * Milliseconds until the next try, null when there is none: after failures of the network and the
 * statuses 429, 502, 503 and 504.
 */
export function pauseAfter(
  failure: unknown,
  tries: number,
  { attempts = 4, maxDelay = 30_000 }: RetryOptions,
): number | null {
  if (!(failure instanceof SluiceError) || tries >= attempts) return null;
  const { status, retryAfter } = failure;
  const passes = status === 429 || (status >= 502 && status <= 504);
  if (!passes && !(failure instanceof NetworkError)) return null;
  // Asked too early the server would refuse again.
  if (retryAfter !== null) return retryAfter > maxDelay ? null : retryAfter;
  return Math.min(maxDelay, FIRST_PAUSE * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}

/** Milliseconds that `Retry-After` says, in seconds or as a date; null without one. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1_000;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Waits; @throws the reason of the signal when that comes first */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
