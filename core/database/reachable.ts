/** Waits for an unavailable database, without a time limit. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/base/log/log.ts';
import { isTransient } from './failure.ts';

const TRY_AGAIN_MS = 250;
/** Pause (ms) between two lines in the log. */
const TELL_AGAIN_MS = 10_000;

/**
 * Runs the work, and retries until the database is available.
 * @param stop aborts the wait with its reason
 */
export async function whenReachable<T>(
  log: Log,
  work: () => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  for (let told = Number.NEGATIVE_INFINITY; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (performance.now() - told >= TELL_AGAIN_MS) {
        log.warn({ err: error }, 'the database is not reachable yet');
        told = performance.now();
      }
      await delay(TRY_AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
      stop?.throwIfAborted();
    }
  }
}
