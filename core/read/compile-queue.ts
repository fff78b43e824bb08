/**
 * Compiles queries whose statements are not cached, one at a time, fairly by holder. Other requests
 * run between two compilations, so a client with hundreds of new queries delays other clients by
 * one compilation.
 */

import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import { pauseWork } from '#core/base/process/time-slice.ts';

/** Compiling for this time (ms) is followed by a pause, in which other requests run. */
const SLICE_MS = 5;
/** The maximum number of waiting queries, and of those of one holder. */
const MAX_WAITING = 20_000;
const MAX_WAITING_PER_HOLDER = 2_000;
/** Seconds after which a client may retry its query. */
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
   * Compiles a query as soon as no other query is being compiled and its holder is next.
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
