/**
 * The last net under a process. Throws are caught where they belong to a request, a connection or a
 * message; what still comes here can be told to nobody, such as one of a timer. The turn that threw
 * is lost, the process goes on: ending it would cost everybody's requests, and could be had again.
 */
import type { Log } from '#core/log/log.ts';

/** How often (ms) the same kind of error is told in full; one may come with every turn of a timer. */
const EVERY_MS = 1_000;

/** Call it when the process has started: what goes wrong before that must end it. */
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
    log.error({ err: error, origin, ...more }, 'an error that belongs to no request');
  });
}
