/** Lets few pieces of costly work run at a time, keeps few waiting, and turns the rest away. */

export class ConcurrencyLimit {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #refusal: () => Error;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #passed = 0;

  /** @param refusal what work is turned away with when `maxWaiting` wait already */
  constructor(atOnce: number, maxWaiting: number, refusal: () => Error) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal;
  }

  /** How many pieces of work were let through so far. */
  get started(): number {
    return this.#passed;
  }

  /** Runs the work when it is its turn, in the order of arrival. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting) throw this.#refusal();
      // Whoever leaves hands its place on, so nobody who comes later can slip in.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    this.#passed++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
