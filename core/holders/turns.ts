/**
 * Lets a bounded number of works run at a time, by turns of their holders: users, and the addresses of
 * anonymous clients. Of the holders that wait, the one with the fewest running works comes first, and
 * among equals the one whose last turn is the longest ago. So a holder with a thousand works delays
 * another one by what runs already, and never by what waits.
 */

export interface TurnsOptions {
  /** Works that run at a time. */
  readonly slots: number;
  /** Works of one holder that run at a time. */
  readonly slotsPerHolder: number;
  /** Works of one holder that may wait; one more is refused. */
  readonly maxWaitingPerHolder: number;
  /** Works that may wait. When there are more, a work of the holder with the most is refused. */
  readonly maxWaiting: number;
  /** Makes the error for a work that is refused. */
  readonly refusal: () => Error;
}

/** Ends a turn; works once. */
export type EndTurn = () => void;

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

interface Holder {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<Waiter>;
}

export class Turns {
  readonly #options: TurnsOptions;
  /** Those with works, the one whose last turn is the longest ago first. */
  readonly #holders = new Map<string, Holder>();
  #running = 0;
  #waiting = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Works that run. */
  get running(): number {
    return this.#running;
  }

  /** Works that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Waits for a turn.
   * @param signal gives the place up when it is aborted
   * @throws the refusal when too many wait; the signal's reason
   */
  async take(name: string, signal?: AbortSignal): Promise<EndTurn> {
    signal?.throwIfAborted();
    const holder = this.#holders.get(name) ?? { running: 0, waiting: new Set<Waiter>() };
    if (this.#mayRun(holder) && holder.waiting.size === 0) return this.#start(name, holder);
    const { maxWaitingPerHolder, refusal } = this.#options;
    if (holder.waiting.size >= maxWaitingPerHolder) throw refusal();
    this.#holders.set(name, holder);
    const { promise, resolve, reject } = Promise.withResolvers<EndTurn>();
    const waiter: Waiter = { admit: () => resolve(this.#start(name, holder)), refuse: reject };
    const leave = () => this.#refuse(name, holder, waiter, signal?.reason);
    holder.waiting.add(waiter);
    this.#waiting += 1;
    signal?.addEventListener('abort', leave);
    this.#bound();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Runs a work when it is its turn; as {@link take}. */
  async run<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const end = await this.take(name, signal);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #mayRun({ running }: Holder): boolean {
    return this.#running < this.#options.slots && running < this.#options.slotsPerHolder;
  }

  #start(name: string, holder: Holder): EndTurn {
    holder.running += 1;
    this.#running += 1;
    this.#putLast(name, holder);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      holder.running -= 1;
      this.#running -= 1;
      // A holder that came while this one ran has not had its turn.
      this.#putLast(name, holder);
      this.#forget(name, holder);
      this.#admitNext();
    };
  }

  #putLast(name: string, holder: Holder): void {
    this.#holders.delete(name);
    this.#holders.set(name, holder);
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      let next: Holder | null = null;
      for (const holder of this.#holders.values()) {
        if (holder.waiting.size === 0 || !this.#mayRun(holder)) continue;
        if (next === null || holder.running < next.running) next = holder;
      }
      const [waiter] = next?.waiting ?? [];
      if (next === null || waiter === undefined) return;
      next.waiting.delete(waiter);
      this.#waiting -= 1;
      waiter.admit();
    }
  }

  /** Refuses the latest work of the holder with the most that wait. */
  #bound(): void {
    if (this.#waiting <= this.#options.maxWaiting) return;
    let most: readonly [string, Holder] | null = null;
    for (const entry of this.#holders) {
      if (most === null || entry[1].waiting.size > most[1].waiting.size) most = entry;
    }
    const latest = most === null ? undefined : [...most[1].waiting].at(-1);
    if (most === null || latest === undefined) return;
    this.#refuse(most[0], most[1], latest, this.#options.refusal());
  }

  #refuse(name: string, holder: Holder, waiter: Waiter, error: unknown): void {
    if (!holder.waiting.delete(waiter)) return;
    this.#waiting -= 1;
    this.#forget(name, holder);
    waiter.refuse(error);
  }

  #forget(name: string, holder: Holder): void {
    if (holder.running === 0 && holder.waiting.size === 0) this.#holders.delete(name);
  }
}
