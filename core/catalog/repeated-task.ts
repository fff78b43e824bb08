/** Work that is done again and again, whether or not it succeeds. */
import type { Log } from '#core/log/log.ts';

export interface Rhythm {
  /** Milliseconds between the end of one run and the beginning of the next. */
  readonly pause: number;
  readonly log: Log;
  /** The line that is logged when a row of failures begins. */
  readonly complaint: string;
}

/**
 * Runs `work` after each pause until the returned function is called, which resolves when the last
 * run has ended.
 */
export function repeat(work: () => Promise<void>, { pause, log, complaint }: Rhythm) {
  let failing = false;
  let closed = false;
  let run: Promise<void> = Promise.resolve();
  let timer = setTimeout(next, pause);

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
      if (!closed) timer = setTimeout(next, pause);
    });
  }

  return async (): Promise<void> => {
    closed = true;
    clearTimeout(timer);
    await run;
  };
}
