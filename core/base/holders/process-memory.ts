/**
 * The memory of a process, divided among its holders: bytes of bodies and answers in transit, and
 * values that requests process. Both are counted before they are allocated, and released after the
 * answer is sent. Clients determine how long bytes stay; values exist only during the work. So each
 * has its own half, and neither waits for the other.
 */

import { reason } from '../errors/reason.ts';
import { ServiceError, unavailable } from '../errors/service-error.ts';
import { metrics } from '../metrics/metrics.ts';
import { heapLimit, heapUsed } from '../process/heap-size.ts';
import { type Hold, HolderBudget } from './budget.ts';
import { FairSemaphore, type Release } from './fair-semaphore.ts';

/** The share of bytes and of values of the heap size; bytes are mostly outside the heap. */
const PART = 0.5;
/** The memory of an idle process, in bytes. */
const IDLE = 64 * 1_048_576;
/** Above this share of used heap, no large amount is granted. */
const FULL = 0.85;

/** Amounts below this size in bytes are not counted, because counting would cost more. */
export const UNCOUNTED = 16_384;
/** The size of values (bytes) from which work is heavy: it waits for a permit. */
const HEAVY = 4 * 1_048_576;
/**
 * The size of a text (bytes) from which work is heavy before its values are counted, because
 * counting takes long.
 */
const LONG_TEXT = 1_048_576;

/** The maximum number of simultaneous heavy works, and of those of one holder. */
const PERMITS = 4;
const PERMITS_PER_HOLDER = 2;
/** The maximum number of works that wait for a permit or for memory. */
const MAX_WAITING = 1_000;
const MAX_WAITING_PER_HOLDER = 100;
/** The maximum wait (ms). */
const WAIT_MS = 5_000;
/** Seconds after which the client should retry. */
const RETRY_AFTER = 5;

const NOTHING = () => undefined;

function tooLarge(): ServiceError {
  const variable = 'EDGE_MEMORY';
  const why = reason('values_exceed_memory', { variable });
  return new ServiceError('CONTENT_TOO_LARGE', { reason: why, variable });
}

export interface ProcessMemoryOptions {
  /** The maximum heap size in bytes; by default that of this process. */
  readonly heap?: number;
  /** Measures the used heap; by default that of this process. */
  readonly used?: () => number;
  /** How long (ms) work waits for memory or for a permit. */
  readonly wait?: number;
}

export class ProcessMemory {
  /** Bodies, answers and messages, in bytes. */
  readonly bytes: HolderBudget;
  /** The values made from them, in bytes of the heap. */
  readonly values: HolderBudget;
  readonly #permits: FairSemaphore;
  readonly #heap: number;
  readonly #used: () => number;
  readonly #refused = metrics.counter('sluice_memory_refused_total', {});

  constructor({ heap = heapLimit(), used = heapUsed, wait = WAIT_MS }: ProcessMemoryOptions = {}) {
    this.#heap = heap;
    this.#used = used;
    const refusal = () => this.#refusal();
    const options = {
      ...{ refusal, wait, maxWaiting: MAX_WAITING, maxWaitingPerHolder: MAX_WAITING_PER_HOLDER },
    };
    this.bytes = new HolderBudget({ ...options, total: heap * PART });
    this.values = new HolderBudget({ ...options, total: Math.max(heap / 4, heap * PART - IDLE) });
    this.#permits = new FairSemaphore({
      permits: PERMITS,
      permitsPerHolder: PERMITS_PER_HOLDER,
      waiting: {
        ...{ max: MAX_WAITING, maxPerHolder: MAX_WAITING_PER_HOLDER, maxTime: wait },
        refusal,
      },
    });
  }

  /** Reports the used amounts as metrics from now on. */
  measure(): void {
    const kinds = [
      [{ kind: 'bytes' }, this.bytes],
      [{ kind: 'values' }, this.values],
    ] as const;
    metrics.reading('sluice_memory_held_bytes', () =>
      kinds.map(([labels, { used }]) => [labels, used] as const),
    );
    metrics.reading('sluice_memory_max_bytes', () =>
      kinds.map(([labels, { total }]) => [labels, total] as const),
    );
    metrics.reading('sluice_memory_holders', () =>
      kinds.map(([labels, { holders }]) => [labels, holders] as const),
    );
    metrics.reading('sluice_memory_waiting', () => [
      [{ wait: 'memory' }, this.bytes.waiting + this.values.waiting],
      [{ wait: 'turn' }, this.#permits.waiting],
    ]);
  }

  /**
   * Waits for the permit of a work that is heavy by the length of its text.
   * @param length in bytes
   * @param signal ends the wait when it is aborted
   * @returns undefined for a text that is not long
   * @throws ServiceError SERVICE_UNAVAILABLE
   */
  permit(holder: string, length: number, signal?: () => AbortSignal): Promise<Release> | undefined {
    if (length < LONG_TEXT) return undefined;
    this.requireRoom();
    return this.#permits.acquire(holder, signal?.());
  }

  /**
   * Takes memory for the values of a work, at once or as soon as there is room; heavy work also
   * waits for a permit.
   * @param signal ends the wait when it is aborted
   * @param permit releases the permit that the work already has, at once when the work is not heavy
   * @returns a function that releases everything; works once. A promise only where the work has to
   * wait
   * @throws ServiceError SERVICE_UNAVAILABLE; CONTENT_TOO_LARGE when the amount can never be
   * available
   */
  take(
    holder: string,
    amount: number,
    signal?: () => AbortSignal,
    permit?: Release,
  ): (() => void) | Promise<() => void> {
    if (amount < HEAVY) permit?.();
    if (amount < UNCOUNTED) return NOTHING;
    if (amount > FULL * this.#heap - IDLE) throw tooLarge();
    this.requireRoom();
    if (amount >= HEAVY) return this.#takeHeavy(holder, amount, signal?.(), permit);
    const hold = this.values.take(holder, 0);
    if (!this.values.mayTake(holder, amount)) {
      return hold.growInTime(amount, signal?.()).then(() => () => hold.release());
    }
    hold.count(amount);
    return () => hold.release();
  }

  /**
   * Takes memory for the values of a work that cannot wait.
   * @throws ServiceError SERVICE_UNAVAILABLE
   */
  takeNow(holder: string, amount: number): () => void {
    if (amount < UNCOUNTED) return NOTHING;
    this.requireRoom();
    const hold = this.values.take(holder, amount);
    return () => hold.release();
  }

  /**
   * Checks a work before its values are counted.
   * @param length of its text, in bytes
   * @throws ServiceError SERVICE_UNAVAILABLE when its holder has its maximum
   */
  requireShare(holder: string, length: number): void {
    if (length >= UNCOUNTED && this.values.isShort(holder)) throw this.#refusal();
  }

  /**
   * Checks the heap itself, regardless of counted amounts.
   * @throws ServiceError SERVICE_UNAVAILABLE when it is nearly full
   */
  requireRoom(): void {
    if (this.#used() > FULL * this.#heap) throw this.#refusal();
  }

  async #takeHeavy(
    holder: string,
    amount: number,
    signal?: AbortSignal,
    permit?: Release,
  ): Promise<() => void> {
    let hold: Hold | null = null;
    const release = permit ?? (await this.#permits.acquire(holder, signal));
    try {
      hold = this.values.take(holder, 0);
      // An amount above the total takes the whole budget.
      await hold.growInTime(Math.min(amount, this.values.total), signal);
    } catch (error) {
      release();
      throw error;
    }
    const taken = hold;
    return () => {
      taken.release();
      release();
    };
  }

  #refusal(): Error {
    this.#refused.value += 1;
    return unavailable('edge', reason('memory_exhausted'), { retryAfter: RETRY_AFTER });
  }
}
