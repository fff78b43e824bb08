/**
 * A semaphore that is fair to holders: users, and the addresses of anonymous clients. It gives a bounded
 * number of permits, and each holder a bounded number of them. Of the holders that wait, the one with the
 * fewest permits comes first, and among equals the one whose last permit is the longest ago. So a holder
 * with a thousand works delays another one by what runs already, and never by what waits.
 */

/** The limit that a work has met: that of its holder, or that of all holders together. */
export type ExceededLimit = 'holder' | 'all';

/** How many works may wait for a permit, and how long. */
export interface WaitingLimits {
  /** Works that may wait. When there are more, a work of the holder with the most is refused; Infinity by default. */
  readonly max?: number;
  /** Works of one holder that may wait; one more is refused. Infinity by default. */
  readonly maxPerHolder?: number;
  /** Milliseconds that a work may wait; by default any time. */
  readonly maxTime?: number;
  /**
   * Makes the error for a work that is refused.
   * @param limit for too many that wait, whose bound it is; for one that has waited for too long,
   *   'holder' when its holder has all permits that one holder may have
   */
  readonly refusal: (limit: ExceededLimit) => Error;
}

export interface SemaphoreOptions {
  /** Permits in all; Infinity where only those of each holder are limited. */
  readonly permits: number;
  /** Permits of one holder; by default all. */
  readonly permitsPerHolder?: number;
  /**
   * A holder may have more, as long as it leaves a permit free. It may have all of them when no other
   * holder has come for so many milliseconds. Absent: it never may.
   */
  readonly aloneAfter?: number;
  /** Whether the next permit goes by the permits that holders have (default), or to the work that waits longest. */
  readonly order?: 'holders' | 'arrival';
  /** By default any number of works wait for any time. */
  readonly waiting?: WaitingLimits;
  /** Called after each permit that is given (1) or released (-1). */
  readonly onChange?: (change: 1 | -1) => void;
}

/** Gives a permit back; works once. */
export type Release = () => void;

/** Asks a work to release its permit soon, because a holder that has none waits. */
export type RequestYield = () => void;

/** The holder of all works of a semaphore that does not tell holders apart. */
export const SHARED = '';

interface Waiter {
  /** Numbers grow in the order of arrival. */
  readonly number: number;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

/** A holder with works. Most have nothing that waits, and no permit that is borrowed. */
class Holder {
  readonly name: string;
  running = 0;
  /** In the order of arrival. */
  waiting: Set<Waiter> | null = null;
  /** Ask those of its works that have a permit beyond its own ones, the latest one last. */
  borrowed: Set<RequestYield> | null = null;

  constructor(name: string) {
    this.name = name;
  }

  get waits(): number {
    return this.waiting === null ? 0 : this.waiting.size;
  }

  /** The number of the work that waits longest; Infinity when none waits. */
  get first(): number {
    const first = this.waiting?.values().next().value;
    return first === undefined ? Number.POSITIVE_INFINITY : first.number;
  }
}

/** When a holder came last (ms). */
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
  /** Those with works, the one whose last permit is the longest ago first. */
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

  /** Works that have a permit. */
  get running(): number {
    return this.#running;
  }

  /** Works that wait for one. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * A permit without waiting.
   * @returns null when none is free for this holder
   */
  tryAcquire(name: string): Release | null {
    this.#arrive(name);
    const holder = this.#holders.get(name);
    return this.#isFree(name, holder) ? this.#start(holder ?? new Holder(name)) : null;
  }

  /**
   * Waits for a permit.
   * @param signal gives the place up when it is aborted
   * @param requestYield called when the permit is one beyond those of the holder, and another holder
   *   that has none waits
   * @throws the refusal when too many wait, or this one for too long; the signal's reason
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

  /** Runs a work as soon as it has a permit, which is released at its end; as {@link acquire}. */
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

  /** Whether no other holder has works, or has come lately. */
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

  /** Whether a work that comes now need not wait. @param holder undefined without works */
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
    // Others may have come while it ran: it has had its permit, and they have not.
    this.#toTheEnd(holder);
    this.#forget(holder);
    this.#onChange?.(-1);
    this.#admitNext();
  }

  /** A holder goes to the end of the order. */
  #toTheEnd(holder: Holder): void {
    this.#holders.delete(holder.name);
    this.#holders.set(holder.name, holder);
  }

  /** Asks for the latest permit that a holder has beyond its own ones. */
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

  /** The holder that comes first of those that wait and may have a permit. */
  #next(): Holder | null {
    // Then no holder may have one.
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

  /** Refuses a work when it has waited for too long. */
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

  /** Refuses the latest work of the holder with the most that wait. */
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
