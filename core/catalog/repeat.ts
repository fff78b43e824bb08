/** Work that is done again and again, about once a second, whether or not it succeeds. */
import type { Log } from '#core/log/log.ts';

const PAUSE_MS = 1_000;

/**
 * Runs `work` after each pause until the returned function is called, which resolves when the last
 * run has ended. A row of failures is logged once, with `complaint`.
 */
export function repeat(work: () => Promise<void>, log: Log, complaint: string) {
  let failing = false;
  let closed = false;
  let run: Promise<void> = Promise.resolve();
  let timer = setTimeout(next, PAUSE_MS);

  async function attempt(): Promise<void> {
    try {
      await work();
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, complaint);
      failing = true;
    }
  }

  function next(): void {
    run = attempt().then(() => {
      if (!closed) timer = setTimeout(next, PAUSE_MS);
    });
  }

  return async (): Promise<void> => {
    closed = true;
    clearTimeout(timer);
    await run;
  };
}
