/**
 * Who may read a long answer now: so many at once in this process, and so many of them for one user
 * or, without one, one address. Others wait for their turn, those who came first before the others.
 */
import { quotaExceeded, type ServiceError, unavailable } from '#core/errors/service-error.ts';
import { metrics } from '#core/metrics/metrics.ts';

export interface StreamLimits {
  /** STREAM_MAX */
  readonly max: number;
  /** STREAM_MAX_PER_USER */
  readonly perHolder: number;
  /** DATABASE_POOL_WAIT, in milliseconds. */
  readonly wait: number;
}

/** The leave to read one long answer. */
export interface Slot {
  /** Once. */
  release(): void;
}

interface Waiter {
  readonly holder: string;
  grant(slot: Slot): void;
}

export class StreamSlots {
  readonly #limits: StreamLimits;
  readonly #onChange: (change: 1 | -1) => void;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();
  #taken = 0;

  /** @param onChange called whenever one more or one less is taken */
  constructor(limits: StreamLimits, onChange: (change: 1 | -1) => void) {
    this.#limits = limits;
    this.#onChange = onChange;
    const labels = { pool: 'streams' };
    metrics.reading('sluice_database_connections', () => [
      [{ ...labels, state: 'used' }, this.#taken],
    ]);
    metrics.reading('sluice_database_connections_max', () => [[labels, limits.max]]);
    metrics.reading('sluice_database_waiting', () => [[labels, this.#waiting.size]]);
  }

  /** A slot, if one is free for this holder. */
  tryTake(holder: string): Slot | null {
    const { max, perHolder } = this.#limits;
    const held = this.#held.get(holder) ?? 0;
    if (this.#taken >= max || held >= perHolder) return null;
    this.#taken += 1;
    this.#held.set(holder, held + 1);
    this.#onChange(1);
    return { release: () => this.#release(holder) };
  }

  /**
   * Waits for a slot.
   * @throws ServiceError REQUESTS_EXCEEDED when the holder has too many for too long,
   *   SERVICE_UNAVAILABLE when all have; the signal's reason when it is aborted
   */
  async take(holder: string, signal?: AbortSignal): Promise<Slot> {
    signal?.throwIfAborted();
    const slot = this.tryTake(holder);
    if (slot !== null) return slot;
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const waiter: Waiter = { holder, grant: resolve };
    const leave = () => reject(signal?.reason);
    const timer = setTimeout(() => reject(this.#refusal(holder)), this.#limits.wait);
    signal?.addEventListener('abort', leave);
    this.#waiting.add(waiter);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(waiter);
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  #refusal(holder: string): ServiceError {
    const { max, perHolder, wait } = this.#limits;
    const retryAfter = Math.max(1, Math.ceil(wait / 1_000));
    if ((this.#held.get(holder) ?? 0) < perHolder) {
      const reason = `All of the ${max} long answers that STREAM_MAX allows are being read.`;
      return unavailable('streams', reason, { retryAfter });
    }
    const reason = `Only ${perHolder} long answers may be read at once.`;
    return quotaExceeded('STREAM_MAX_PER_USER', perHolder, reason, retryAfter);
  }

  #release(holder: string): void {
    const held = (this.#held.get(holder) ?? 1) - 1;
    if (held === 0) this.#held.delete(holder);
    else this.#held.set(holder, held);
    this.#taken -= 1;
    this.#onChange(-1);
    for (const waiter of this.#waiting) {
      const slot = this.tryTake(waiter.holder);
      if (slot === null) continue;
      this.#waiting.delete(waiter);
      waiter.grant(slot);
    }
  }
}
