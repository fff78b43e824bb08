/** Keeps long computations from holding up the event loop of a process that serves requests. */
import { setImmediate as turn } from 'node:timers/promises';

/** Longest stretch of computing between two turns of the event loop, in milliseconds. */
const STRETCH_MS = 5;

/** A function to await between two small steps: lets other work in once a stretch has passed. */
export function createYield(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}
