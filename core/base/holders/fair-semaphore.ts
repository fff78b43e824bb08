/**
 * A semaphore that is fair to holders: users, and the addresses of anonymous clients. It grants a
 * limited number of permits, and a limited number to each holder. The waiting holder with the
 * fewest permits is next; among equals, the one whose last permit is the oldest. So a holder with a
 * thousand works delays another one only by its running works, and never by its waiting ones.
 */

/** The exceeded limit: that of the holder, or that of all holders together. */
export type ExceededLimit = 'holder' | 'all';

/** How many works may wait for a permit, and how long. */
export interface WaitingLimits {
  /**
   * The maximum number of waiting works. Above it, a work of the holder with the most is rejected;
   * Infinity by default.
   */
  readonly max?: number;
  /**
   * The maximum number of waiting works per holder; further ones are rejected. Infinity by default.
   */
  readonly maxPerHolder?: number;
  /** The maximum wait in milliseconds; unlimited by default. */
  readonly maxTime?: number;
  /**
   * Creates the error for a rejected work.
   * @param limit the exceeded limit when too many works wait. After a too long wait: 'holder' when
   * the holder has its maximum of permits
   */
  readonly refusal: (limit: ExceededLimit) => Error;
}

export interface SemaphoreOptions {
  /** The total number of permits; Infinity where only those of each holder are limited. */
  readonly permits: number;
  /** The maximum number of permits per holder; by default all. */
  readonly permitsPerHolder?: number;
  /**
   * A holder may exceed its maximum, as long as it leaves a permit free. It may have all of them
   * when no other holder has arrived for this time (ms). Absent: it may never exceed it.
   */
  readonly aloneAfter?: number;
  /**
   * Whether the next permit goes to the holder with the fewest permits (default), or to the longest
   * waiting work.
   */
  readonly order?: 'holders' | 'arrival';
  /** By default the number of waiting works and their wait are unlimited. */
  readonly waiting?: WaitingLimits;
  /** Called after each permit that is granted (1) or released (-1). */
  readonly onChange?: (change: 1 | -1) => void;
}

/** Releases a permit; works once. */
export type Release = () => void;

/** Requests that a work releases its permit soon, because a holder without permits waits. */
export type RequestYield = () => void;

/** The holder of all works of a semaphore that does not distinguish holders. */
export const SHARED = '';

interface Waiter {
  /** Ascending in the order of arrival. */
  readonly number: number;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** A holder with works. Most have no waiting works, and no borrowed permits. */
class Holder {
  readonly name: string;
  running = 0;
  /** In the order of arrival. */
  waiting: Set<Waiter> | null = null;
  /** The callbacks of its works with a permit above its maximum, the latest one last. */
  borrowed: Set<RequestYield> | null = null;

  constructor(name: string) {
    this.name = name;
  }

  get waits(): number {
    return this.waiting === null ? 0 : this.waiting.size;
  }

  /** The number of its longest waiting work; Infinity without one. */
  get first(): number {
    const first = this.waiting?.values().next().value;
    return first === undefined ? Number.POSITIVE_INFINITY : first.number;
  }
}

/** When a holder last arrived (ms). */
interface Arrival {
  readonly name: string;
  readonly at: number;
}

export class FairSemaphore {
  readonly #permits: number;
  readonly #permitsPerHolder: number;
  readonly #aloneAfter: number | null;
  readonly #isByArrival: boolean;
  readonly #limits: WaitingLimits | null;
  readonly #onChange: ((change: 1 | -1) => void) | null;
  /** The holders with works; the one whose last permit is the oldest is first. */
  readonly #holders = new Map<string, Holder>();
  #running = 0;
  #waiting = 0;
  #arrived = 0;
  /** The last arrival, and the last one of another holder. */
  #arrivals: readonly [Arrival | null, Arrival | null] = [null, null];

  constructor(options: SemaphoreOptions) {
    const { permits, permitsPerHolder = permits, aloneAfter, order, waiting, onChange } = options;
    this.#permits = permits;
    this.#permitsPerHolder = permitsPerHolder;
    this.#aloneAfter = aloneAfter ?? null;
    this.#isByArrival = order === 'arrival';
    this.#limits = waiting ?? null;
    this.#onChange = onChange ?? null;
  }

  /** The number of works with a permit. */
  get running(): number {
    return this.#running;
  }

  /** The number of waiting works. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Takes a permit without waiting.
   * @returns null when no permit is free for this holder
   */
  tryAcquire(name: string): Release | null {
    this.#arrive(name);
    const holder = this.#holders.get(name);
    return this.#isFree(name, holder) ? this.#start(holder ?? new Holder(name)) : null;
  }

  /**
   * Waits for a permit.
   * @param signal ends the wait when it is aborted
   * @param requestYield called when the permit exceeds the holder's maximum, and another holder
   * without permits waits
   * @throws the error when too many works wait, or this one too long; the signal's reason
   */
  async acquire(name: string, signal?: AbortSignal, requestYield?: RequestYield): Promise<Release> {
    signal?.throwIfAborted();
    this.#arrive(name);
    const known = this.#holders.get(name);
    const holder = known ?? new Holder(name);
    if (this.#isFree(name, known)) return this.#start(holder, requestYield);
    const limits = this.#limits;
    if (limits !== null && holder.waits >= (limits.maxPerHolder ?? Number.POSITIVE_INFINITY)) {
      throw limits.refusal('holder');
    }
    this.#holders.set(name, holder);
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const number = this.#arrived;
    const admit = () => resolve(this.#start(holder, requestYield));
    const waiter: Waiter = { number, admit, refuse: reject };
    const leave = () => this.#refuse(holder, waiter, signal?.reason);
    this.#arrived += 1;
    this.#waiting += 1;
    holder.waiting ??= new Set();
    holder.waiting.add(waiter);
    signal?.addEventListener('abort', leave);
    const timer = limits === null ? undefined : this.#patience(holder, waiter, limits);
    if (limits !== null) this.#bound(limits);
    if (holder.running === 0 && holder.waits === 1) this.#requestYield();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Runs work as soon as it has a permit, which is released at its end; as {@link acquire}. */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(name, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #arrive(name: string): void {
    if (this.#aloneAfter === null) return;
    const [last, other] = this.#arrivals;
    const now = { name, at: performance.now() };
    this.#arrivals = [now, last === null || last.name === name ? other : last];
  }

  /** Whether no other holder has works, or has arrived recently. */
  #isAlone(name: string, aloneAfter: number): boolean {
    const [last, other] = this.#arrivals;
    const at = (last?.name === name ? other : last)?.at ?? Number.NEGATIVE_INFINITY;
    const others = this.#holders.size - (this.#holders.has(name) ? 1 : 0);
    return others === 0 && performance.now() - at >= aloneAfter;
  }

  /** Whether a holder may have one more permit now. */
  #mayRun(name: string, running: number): boolean {
    if (this.#running >= this.#permits) return false;
    if (running < this.#permitsPerHolder) return true;
    if (this.#aloneAfter === null) return false;
    return this.#running + 1 < this.#permits || this.#isAlone(name, this.#aloneAfter);
  }

  /** Whether new work can start without waiting. @param holder undefined without works */
  #isFree(name: string, holder: Holder | undefined): boolean {
    if (holder === undefined) return this.#mayRun(name, 0);
    return holder.waits === 0 && this.#mayRun(name, holder.running);
  }

  #start(holder: Holder, requestYield?: RequestYield): Release {
    const borrowed = holder.running < this.#permitsPerHolder ? undefined : requestYield;
    if (borrowed !== undefined) {
      holder.borrowed ??= new Set();
      holder.borrowed.add(borrowed);
    }
    holder.running += 1;
    this.#running += 1;
    this.#toTheEnd(holder);
    this.#onChange?.(1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#end(holder, borrowed);
    };
  }

  #end(holder: Holder, borrowed: RequestYield | undefined): void {
    holder.running -= 1;
    this.#running -= 1;
    if (borrowed !== undefined) holder.borrowed?.delete(borrowed);
    // It has had its permit, so holders that arrived meanwhile are ahead of it.
    this.#toTheEnd(holder);
    this.#forget(holder);
    this.#onChange?.(-1);
    this.#admitNext();
  }

  /** Moves a holder to the end of the order. */
  #toTheEnd(holder: Holder): void {
    this.#holders.delete(holder.name);
    this.#holders.set(holder.name, holder);
  }

  /** Requests the release of the latest permit above a holder's maximum. */
  #requestYield(): void {
    if (this.#aloneAfter === null) return;
    let most: Holder | null = null;
    for (const holder of this.#holders.values()) {
      if (holder.borrowed === null || holder.borrowed.size === 0) continue;
      if (holder.running <= this.#permitsPerHolder) continue;
      if (most === null || holder.running > most.running) most = holder;
    }
    const requestYield = [...(most?.borrowed ?? [])].at(-1);
    if (requestYield === undefined) return;
    most?.borrowed?.delete(requestYield);
    requestYield();
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      const next = this.#next();
      const waiter = next?.waiting?.values().next().value;
      if (waiter === undefined) return;
      next?.waiting?.delete(waiter);
      this.#waiting -= 1;
      waiter.admit();
    }
  }

  /** The next waiting holder that may have a permit. */
  #next(): Holder | null {
    // Then no permit is free.
    if (this.#running >= this.#permits) return null;
    let next: Holder | null = null;
    for (const holder of this.#holders.values()) {
      if (holder.waits === 0 || !this.#mayRun(holder.name, holder.running)) continue;
      if (next === null || this.#isBefore(holder, next)) next = holder;
    }
    return next;
  }

  #isBefore(holder: Holder, other: Holder): boolean {
    return this.#isByArrival ? holder.first < other.first : holder.running < other.running;
  }

  /** Rejects a work after a too long wait. */
  #patience(
    holder: Holder,
    waiter: Waiter,
    { maxTime, refusal }: WaitingLimits,
  ): NodeJS.Timeout | undefined {
    if (maxTime === undefined) return undefined;
    return setTimeout(() => {
      const limit = holder.running < this.#permitsPerHolder ? 'all' : 'holder';
      this.#refuse(holder, waiter, refusal(limit));
    }, maxTime);
  }

  /** Rejects the latest work of the holder with the most waiting works. */
  #bound({ max = Number.POSITIVE_INFINITY, refusal }: WaitingLimits): void {
    if (this.#waiting <= max) return;
    let most: Holder | null = null;
    for (const holder of this.#holders.values()) {
      if (most === null || holder.waits > most.waits) most = holder;
    }
    const latest = [...(most?.waiting ?? [])].at(-1);
    if (most === null || latest === undefined) return;
    this.#refuse(most, latest, refusal('all'));
  }

  #refuse(holder: Holder, waiter: Waiter, error: unknown): void {
    if (holder.waiting?.delete(waiter) !== true) return;
    this.#waiting -= 1;
    this.#forget(holder);
    waiter.refuse(error);
  }

  #forget(holder: Holder): void {
    if (holder.running === 0 && holder.waits === 0) this.#holders.delete(holder.name);
  }
}
