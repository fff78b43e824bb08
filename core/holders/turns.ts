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
  /**
   * A holder may have more, as long as it leaves a slot free. It may have all of them when no other
   * holder has come for so many milliseconds. Absent: it never may.
   */
  readonly aloneAfter?: number;
  /** Works of one holder that may wait; one more is refused. */
  readonly maxWaitingPerHolder: number;
  /** Works that may wait. When there are more, a work of the holder with the most is refused. */
  readonly maxWaiting: number;
  /** Makes the error for a work that is refused. */
  readonly refusal: () => Error;
}

/** Ends a turn; works once. */
export type EndTurn = () => void;

/** Asks a work to end soon, because a holder that has none waits for a slot. */
export type GiveWay = () => void;

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
}

interface Holder {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<Waiter>;
  /** Asks those of its works that began beyond its slots, the latest one last. */
  readonly lent: Set<GiveWay>;
}

/** When a holder came last (ms). */
interface Arrival {
  readonly name: string;
  readonly at: number;
}

export class Turns {
  readonly #options: TurnsOptions;
  /** Those with works, the one whose last turn is the longest ago first. */
  readonly #holders = new Map<string, Holder>();
  #running = 0;
  #waiting = 0;
  /** The last arrival, and the last one of another holder. */
  #arrivals: readonly [Arrival | null, Arrival | null] = [null, null];

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
   * @param giveWay called when the work began beyond the slots of its holder, and another holder that
   *   has no running work waits for a slot
   * @throws the refusal when too many wait; the signal's reason
   */
  async take(name: string, signal?: AbortSignal, giveWay?: GiveWay): Promise<EndTurn> {
    signal?.throwIfAborted();
    const fresh = { running: 0, waiting: new Set<Waiter>(), lent: new Set<GiveWay>() };
    const holder = this.#holders.get(name) ?? fresh;
    this.#arrive(name);
    if (this.#mayRun(name, holder) && holder.waiting.size === 0) {
      return this.#start(name, holder, giveWay);
    }
    const { maxWaitingPerHolder, refusal } = this.#options;
    if (holder.waiting.size >= maxWaitingPerHolder) throw refusal();
    this.#holders.set(name, holder);
    const { promise, resolve, reject } = Promise.withResolvers<EndTurn>();
    const admit = () => resolve(this.#start(name, holder, giveWay));
    const waiter: Waiter = { admit, refuse: reject };
    const leave = () => this.#refuse(name, holder, waiter, signal?.reason);
    holder.waiting.add(waiter);
    this.#waiting += 1;
    signal?.addEventListener('abort', leave);
    this.#bound();
    if (holder.running === 0 && holder.waiting.size === 1) this.#askForSlot();
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

  #arrive(name: string): void {
    const [last, other] = this.#arrivals;
    const now = { name, at: performance.now() };
    this.#arrivals = [now, last === null || last.name === name ? other : last];
  }

  /** Whether no other holder has works, or has come lately. */
  #isAlone(name: string): boolean {
    const { aloneAfter = 0 } = this.#options;
    const [last, other] = this.#arrivals;
    const at = (last?.name === name ? other : last)?.at ?? Number.NEGATIVE_INFINITY;
    const others = this.#holders.size - (this.#holders.has(name) ? 1 : 0);
    return others === 0 && performance.now() - at >= aloneAfter;
  }

  #mayRun(name: string, { running }: Holder): boolean {
    const { slots, slotsPerHolder, aloneAfter } = this.#options;
    if (this.#running >= slots) return false;
    if (running < slotsPerHolder) return true;
    if (aloneAfter === undefined) return false;
    return this.#running + 1 < slots || this.#isAlone(name);
  }

  #start(name: string, holder: Holder, giveWay: GiveWay | undefined): EndTurn {
    const lent = holder.running < this.#options.slotsPerHolder ? undefined : giveWay;
    if (lent !== undefined) holder.lent.add(lent);
    holder.running += 1;
    this.#running += 1;
    this.#toTheEnd(name, holder);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      holder.running -= 1;
      this.#running -= 1;
      if (lent !== undefined) holder.lent.delete(lent);
      // Others may have come while it ran: it has had its turn, and they have not.
      this.#toTheEnd(name, holder);
      this.#forget(name, holder);
      this.#admitNext();
    };
  }

  /** A holder goes to the end of the order. */
  #toTheEnd(name: string, holder: Holder): void {
    this.#holders.delete(name);
    this.#holders.set(name, holder);
  }

  /** Asks for the slot of the latest work that a holder runs beyond its own ones. */
  #askForSlot(): void {
    let most: Holder | null = null;
    for (const holder of this.#holders.values()) {
      if (holder.lent.size === 0 || holder.running <= this.#options.slotsPerHolder) continue;
      if (most === null || holder.running > most.running) most = holder;
    }
    const giveWay = [...(most?.lent ?? [])].at(-1);
    if (giveWay === undefined) return;
    most?.lent.delete(giveWay);
    giveWay();
  }

  #admitNext(): void {
    while (this.#waiting > 0) {
      let next: Holder | null = null;
      for (const [name, holder] of this.#holders) {
        if (holder.waiting.size === 0 || !this.#mayRun(name, holder)) continue;
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
