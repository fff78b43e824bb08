/**
 * Divides something that a process has little of, such as memory, among its holders: users, and the
 * addresses of anonymous clients. A holder may have as much as it leaves free, so one alone gets up to
 * one half, two get a third each, and a holder that has nothing finds something left. The rule is that
 * of shared buffers in switches (A. Choudhury and E. Hahne, Dynamic Queue Length Thresholds, 1998).
 */

export interface BudgetOptions {
  /** What there is to divide, in the unit of the budget. */
  readonly total: number;
  /** Makes the error for a holder that asks for too much. */
  readonly refusal: () => Error;
}

/** What one piece of work has taken of a budget. */
export interface Hold {
  /** What is taken now. */
  readonly amount: number;
  /**
   * Takes more.
   * @throws the refusal of the budget; what was taken before stays taken
   */
  grow(by: number): void;
  /** Gives a part back. */
  shrink(by: number): void;
  /** Gives everything back; the hold takes nothing afterwards. Works once. */
  release(): void;
}

export class HolderBudget {
  readonly #options: BudgetOptions;
  readonly #taken = new Map<string, number>();
  #used = 0;

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  /** What all holders have taken. */
  get used(): number {
    return this.#used;
  }

  /** The holders that have taken something. */
  get holders(): number {
    return this.#taken.size;
  }

  /** What one holder has taken. */
  takenBy(holder: string): number {
    return this.#taken.get(holder) ?? 0;
  }

  /**
   * Takes an amount for a piece of work.
   * @throws the refusal of the budget
   */
  take(holder: string, amount: number): Hold {
    this.#add(holder, amount);
    let own = amount;
    let isOver = false;
    return {
      get amount() {
        return own;
      },
      grow: (by) => {
        if (isOver) return;
        this.#add(holder, by);
        own += by;
      },
      shrink: (by) => {
        const less = Math.min(by, own);
        own -= less;
        this.#subtract(holder, less);
      },
      release: () => {
        isOver = true;
        this.#subtract(holder, own);
        own = 0;
      },
    };
  }

  #add(holder: string, amount: number): void {
    if (amount <= 0) return;
    const taken = this.takenBy(holder);
    const left = this.#options.total - this.#used - amount;
    // The first piece of work of a holder may take all that is left.
    const most = taken === 0 ? Number.POSITIVE_INFINITY : left;
    if (left < 0 || taken + amount > most) throw this.#options.refusal();
    this.#taken.set(holder, taken + amount);
    this.#used += amount;
  }

  #subtract(holder: string, amount: number): void {
    if (amount <= 0) return;
    this.#used -= amount;
    const taken = this.takenBy(holder) - amount;
    if (taken > 0) this.#taken.set(holder, taken);
    else this.#taken.delete(holder);
  }
}
