/** Logs what happens again and again, as during an outage, without filling the log with it. */
import type { Log } from './log.ts';

const EVERY_MS = 5_000;

/** A listener that warns of an error, at most once in some seconds, and says how many it left out. */
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
