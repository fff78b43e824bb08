/**
 * Compiles queries whose statement is not known yet, one at a time, fairly to their holders. Between two
 * of them other requests run, so a client that sends hundreds of new queries delays those of others by one.
 */

import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import { pauseWork } from '#core/base/process/time-slice.ts';

/** Compiling for so long (ms) is followed by a pause, in which other requests run. */
const SLICE_MS = 5;
/** Queries that may wait, and those of one holder. */
const MAX_WAITING = 20_000;
const MAX_WAITING_PER_HOLDER = 2_000;
/** Seconds after which a client may send its query again. */
const RETRY_AFTER = 1;

export class CompileQueue {
  readonly #permits = new FairSemaphore({
    permits: 1,
    waiting: {
      max: MAX_WAITING,
      maxPerHolder: MAX_WAITING_PER_HOLDER,
      refusal: () =>
        unavailable('edge', reason('too_many_new_queries'), { retryAfter: RETRY_AFTER }),
    },
  });
  #spent = 0;

  /**
   * Compiles a query as soon as no other one is compiled and its holder comes first.
   * @throws ServiceError SERVICE_UNAVAILABLE when too many of its queries wait
   */
  async run<T>(holder: string, compile: () => T): Promise<T> {
    const release = await this.#permits.acquire(holder);
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
      release();
    }
  }
}

/** The queue of this process. */
export const compileQueue = new CompileQueue();
