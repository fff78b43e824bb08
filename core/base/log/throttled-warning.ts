/** Logs repeated warnings, for example during an outage, at a limited rate. */
import type { Log } from './log.ts';

const EVERY_MS = 5_000;

/**
 * A listener that logs an error at most once every few seconds, with the number of skipped ones.
 */
export function warnThrottled(log: Log, message: string): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (error) => {
    const now = performance.now();
    if (now < last + EVERY_MS) {
      leftOut += 1;
      return;
    }
    log.warn({ err: error, ...(leftOut === 0 ? {} : { leftOut }) }, message);
    last = now;
    leftOut = 0;
  };
}
