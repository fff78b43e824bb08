/**
 * Logs uncaught errors and lets the process continue. Errors are caught where they belong to a
 * request, a connection or a message. Only other errors, for example in a timer, arrive here.
 * Ending the process would fail all its requests, and an attacker could provoke the error
 * repeatedly.
 */
import type { Log } from '../log/log.ts';

/** How often (ms) such errors are logged in full, because a timer can throw each time. */
const EVERY_MS = 1_000;

/** Call it after the process has started: errors before that must end it. */
export function logUncaughtErrors(log: Log): void {
  let last = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  process.on('uncaughtException', (error, origin) => {
    const now = performance.now();
    leftOut += 1;
    if (now < last + EVERY_MS) return;
    const more = leftOut > 1 ? { leftOut: leftOut - 1 } : {};
    last = now;
    leftOut = 0;
    log.error({ err: error, origin, ...more }, 'uncaught error outside of a request');
  });
}
