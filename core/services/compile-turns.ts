/**
 * Compiles queries whose statement is not known yet by turns of their holders. Between two of them
 * other requests run, so a client that sends hundreds of new queries delays those of others by one.
 */
import { unavailable } from '#core/errors/service-error.ts';
import { Turns } from '#core/holders/turns.ts';
import { pauseWork } from '#core/process/time-slice.ts';

/** Compiling for so long (ms) is followed by a pause, in which other requests run. */
const SLICE_MS = 5;
/** Queries that may wait, and those of one holder. */
const MAX_WAITING = 20_000;
const MAX_WAITING_PER_HOLDER = 2_000;
/** Seconds after which a client may send its query again. */
const RETRY_AFTER = 1;

export class CompileTurns {
  readonly #turns = new Turns({
    slots: 1,
    slotsPerHolder: 1,
    maxWaiting: MAX_WAITING,
    maxWaitingPerHolder: MAX_WAITING_PER_HOLDER,
    refusal: () =>
      unavailable('edge', 'Too many new queries wait for their turn.', { retryAfter: RETRY_AFTER }),
  });
  #spent = 0;

  /**
   * Compiles a query when it is the holder's turn.
   * @throws ServiceError SERVICE_UNAVAILABLE when too many of its queries wait
   */
  async run<T>(holder: string, compile: () => T): Promise<T> {
    const end = await this.#turns.take(holder);
    try {
      if (this.#spent > SLICE_MS) {
        await pauseWork();
        this.#spent = 0;
      }
      const started = performance.now();
      try {
        return compile();
      } finally {
        this.#spent += performance.now() - started;
      }
    } finally {
      end();
    }
  }
}

/** The turns of this process. */
export const compileTurns = new CompileTurns();
