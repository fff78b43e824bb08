/**
 * Divides a scarce resource of a process, such as memory, among its holders: users, and the
 * addresses of anonymous clients. A holder may take as much as it leaves free. A single holder
 * therefore gets at most half, two get a third each, and a new holder finds some left. This is the
 * rule of shared buffers in switches (A. Choudhury and E. Hahne, Dynamic Queue Length Thresholds,
 * 1998). Work may wait for room; the waiting holder with the least is next.
 */

export interface BudgetOptions {
  /** The total amount, in the unit of the budget. */
  readonly total: number;
  /** Creates the error for a holder that requests too much. */
  readonly refusal: () => Error;
  /** The maximum wait (ms) for room; by default there is no wait. */
  readonly wait?: number;
  /** The maximum number of waiting works; further ones are rejected. By default no work waits. */
  readonly maxWaiting?: number;
  /** The maximum number of waiting works per holder; by default the same as for all. */
  readonly maxWaitingPerHolder?: number;
}

/** The amount that one piece of work has taken from a budget. */
export interface Hold {
  /** The current amount. */
  readonly amount: number;
  /**
   * Takes more.
   * @throws the error of the budget; the previous amount stays taken
   */
  grow(by: number): void;
  /**
   * Takes more as soon as there is room for it.
   * @param signal ends the wait when it is aborted
   * @throws the error of the budget when that takes too long; the signal's reason
   */
  growInTime(by: number, signal?: AbortSignal): Promise<void>;
  /** Counts an existing amount, even without room for it. */
  count(by: number): void;
  /** Releases a part; does nothing for a negative amount. */
  shrink(by: number): void;
  /** Transfers the whole amount to another holder, even without room for it. */
  moveTo(holder: string): void;
  /** Releases the whole amount; the hold is empty afterwards. Works once. */
  release(): void;
}

/** Work that waits for room. */
interface Waiter {
  readonly hold: BudgetHold;
  readonly amount: number;
  /** Takes the amount, and resumes the work. */
  readonly admit: () => void;
}

export class HolderBudget {
  readonly #options: BudgetOptions;
  readonly #taken = new Map<string, number>();
  /** In the order of arrival. */
  readonly #waiters = new Set<Waiter>();
  #used = 0;
  #isAdmitting = false;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** The amount taken by all holders. */
  get used(): number {
    return this.#used;
  }

  /** The total amount. */
  get total(): number {
    return this.#options.total;
  }

  /** The number of holders with an amount. */
  get holders(): number {
    return this.#taken.size;
  }

  /** The number of waiting works. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** The amount of one holder. */
  takenBy(holder: string): number {
    return this.#taken.get(holder) ?? 0;
  }

  /** Whether a holder has taken its maximum. */
  isShort(holder: string): boolean {
    return this.takenBy(holder) >= this.#options.total - this.#used;
  }

  /**
   * Takes an amount for a piece of work.
   * @throws the error of the budget
   */
  take(holder: string, amount: number): Hold {
    const hold = new BudgetHold(this, holder);
    hold.grow(amount);
    return hold;
  }

  /** Whether a holder may take more. Its first piece of work may take all that is left. */
  mayTake(holder: string, amount: number): boolean {
    if (amount <= 0) return true;
    const taken = this.takenBy(holder);
    const left = this.#options.total - this.#used - amount;
    return left >= 0 && (taken === 0 || taken + amount <= left);
  }

  /** Creates the error for a holder that requests too much. */
  refusal(): Error {
    return this.#options.refusal();
  }

  /** For {@link BudgetHold}: counts an amount for a holder. */
  add(holder: string, amount: number): void {
    if (amount <= 0) return;
    this.#taken.set(holder, this.takenBy(holder) + amount);
    this.#used += amount;
  }

  /** For {@link BudgetHold}: releases an amount of a holder. */
  subtract(holder: string, amount: number): void {
    if (amount <= 0) return;
    this.#used -= amount;
    const taken = this.takenBy(holder) - amount;
    if (taken > 0) this.#taken.set(holder, taken);
    else this.#taken.delete(holder);
    this.admit();
  }

  /**
   * For {@link BudgetHold}: waits until there is room, and takes it.
   * @throws the error of the budget when that takes too long; the signal's reason
   */
  async room(hold: BudgetHold, amount: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { wait = 0, maxWaiting = 0, maxWaitingPerHolder = maxWaiting } = this.#options;
    if (this.#waiters.size >= maxWaiting) throw this.refusal();
    if (this.#waitingOf(hold.holder) >= maxWaitingPerHolder) throw this.refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => reject(this.refusal()), wait);
    const waiter: Waiter = {
      hold,
      amount,
      admit: () => {
        this.#waiters.delete(waiter);
        hold.count(amount);
        resolve();
      },
    };
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave);
    this.#waiters.add(waiter);
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    }
  }

  #waitingOf(holder: string): number {
    let count = 0;
    for (const { hold } of this.#waiters) if (hold.holder === holder) count += 1;
    return count;
  }

  /** For {@link BudgetHold}: resumes waiting works that find room, or whose hold is released. */
  admit(): void {
    if (this.#isAdmitting || this.#waiters.size === 0) return;
    this.#isAdmitting = true;
    for (;;) {
      let next: Waiter | null = null;
      let least = Number.POSITIVE_INFINITY;
      for (const waiter of this.#waiters) {
        const { holder, isOver } = waiter.hold;
        if (!isOver && !this.mayTake(holder, waiter.amount)) continue;
        const taken = isOver ? -1 : this.takenBy(holder);
        if (taken >= least) continue;
        next = waiter;
        least = taken;
      }
      if (next === null) break;
      next.admit();
    }
    this.#isAdmitting = false;
  }
}

class BudgetHold implements Hold {
  readonly #budget: HolderBudget;
  #holder: string;
  #amount = 0;
  #isOver = false;

  constructor(budget: HolderBudget, holder: string) {
    this.#budget = budget;
    this.#holder = holder;
  }

  get amount(): number {
    return this.#amount;
  }

  get holder(): string {
    return this.#holder;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  grow(by: number): void {
    if (this.#isOver || by <= 0) return;
    if (!this.#budget.mayTake(this.#holder, by)) throw this.#budget.refusal();
    this.count(by);
  }

  async growInTime(by: number, signal?: AbortSignal): Promise<void> {
    if (this.#isOver || by <= 0) return;
    if (this.#budget.mayTake(this.#holder, by)) this.count(by);
    else await this.#budget.room(this, by, signal);
  }

  count(by: number): void {
    if (this.#isOver || by <= 0) return;
    this.#amount += by;
    this.#budget.add(this.#holder, by);
  }

  shrink(by: number): void {
    const less = Math.min(Math.max(0, by), this.#amount);
    this.#amount -= less;
    this.#budget.subtract(this.#holder, less);
  }

  moveTo(holder: string): void {
    if (holder === this.#holder) return;
    const before = this.#holder;
    this.#holder = holder;
    this.#budget.add(holder, this.#amount);
    this.#budget.subtract(before, this.#amount);
  }

  release(): void {
    this.#isOver = true;
    this.shrink(this.#amount);
    this.#budget.admit();
  }
}
