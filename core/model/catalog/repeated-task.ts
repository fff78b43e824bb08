/** Repeats a task, whether or not it succeeds. */
import type { Log } from '#core/base/log/log.ts';

export interface RepeatOptions {
  /** Milliseconds between the end of one run and the start of the next. */
  readonly pause: number;
  readonly log: Log;
  /** The warning that is logged with the first of several failures. */
  readonly complaint: string;
}

/**
 * Runs `work` after each pause until the returned function is called. That function resolves when
 * the last run has ended.
 */
export function repeat(work: () => Promise<void>, { pause, log, complaint }: RepeatOptions) {
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
