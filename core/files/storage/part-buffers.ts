/**
 * The memory in which parts of files wait for their transfer to S3: a fixed number of buffers for
 * all uploads of a process. An upload without a buffer waits, and reads no data from its client
 * meanwhile.
 */

import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore, SHARED } from '#core/base/holders/fair-semaphore.ts';

/** Free buffers that are retained; clearing new ones takes time. */
const KEPT = 2;
/** Seconds after which a client may send its file again. */
const RETRY_AFTER_S = 10;

/** A buffer that belongs to one upload until it is released. */
export interface PartBuffer {
  readonly bytes: Buffer;
  /** Whether another upload has waited too long while this one fills its buffer. */
  isDue(): boolean;
  release(): void;
}

export interface PartBufferOptions {
  /** Bytes of one buffer. */
  readonly size: number;
  /** Number of buffers. */
  readonly max: number;
  /** Milliseconds that an upload waits for a buffer. */
  readonly wait: number;
}

export class PartBuffers {
  readonly #options: PartBufferOptions;
  readonly #free: Buffer[] = [];
  readonly #permits: FairSemaphore;

  constructor(options: PartBufferOptions) {
    this.#options = options;
    const { max: permits, wait: maxTime } = options;
    this.#permits = new FairSemaphore({ permits, waiting: { maxTime, refusal: tooBusy } });
  }

  /** Bytes of a buffer. */
  get size(): number {
    return this.#options.size;
  }

  /**
   * Waits for a buffer, in the order of the calls.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when no buffer becomes free in time
   */
  async acquire(): Promise<PartBuffer> {
    const permit = await this.#permits.acquire(SHARED);
    const bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#options.size);
    const since = performance.now();
    let isReleased = false;
    return {
      bytes,
      // A client that sends very slowly must not block other clients.
      isDue: () => this.#permits.waiting > 0 && performance.now() - since > this.#options.wait / 2,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        if (this.#free.length < KEPT) this.#free.push(bytes);
        permit();
      },
    };
  }
}

/** The error when too many files arrive at the same time. */
export function tooBusy(): Error {
  return unavailable('storage', reason('too_many_arriving_files'), { retryAfter: RETRY_AFTER_S });
}
