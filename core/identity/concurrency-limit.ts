/** Limits costly work: few run at a time, few wait, the rest is refused. */

export class ConcurrencyLimit {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #refusal: () => Error;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #passed = 0;

  /** @param refusal creates the error when `maxWaiting` are waiting already */
  constructor(atOnce: number, maxWaiting: number, refusal: () => Error) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
    this.#refusal = refusal;
  }

  /** How many runs were started so far. */
  get started(): number {
    return this.#passed;
  }

  /** Runs the work when it is its turn, in the order of arrival. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting) throw this.#refusal();
      // A finished run passes its slot on, so that a later one cannot overtake.
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
