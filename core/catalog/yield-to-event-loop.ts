/** Interrupts long computations, so that they do not block the event loop. */
import { setImmediate as turn } from 'node:timers/promises';

/** Maximum time between two turns of the event loop, in milliseconds. */
const STRETCH_MS = 5;

/** A function to await between small steps; it yields when enough time has passed. */
export function createYield(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}
