/** A queue of values for one asynchronous reader. */
export class EventQueue<T> implements AsyncGenerator<T, undefined, undefined> {
  readonly #waiting: T[] = [];
  readonly #onReturn: () => void;
  #reader: ((result: IteratorResult<T, undefined>) => void) | null = null;
  #ended = false;

  /** @param onReturn called once when the reader stops */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(value: T): void {
    if (this.#ended) return;
    const reader = this.#reader;
    this.#reader = null;
    if (reader === null) this.#waiting.push(value);
    else reader({ done: false, value });
  }

  /** Ends the queue; queued values are still read. */
  end(): void {
    this.#ended = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = null;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    const [value] = this.#waiting.splice(0, 1);
    if (value !== undefined) return { done: false, value };
    if (this.#ended) return { done: true, value: undefined };
    return await new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#waiting.length = 0;
    this.end();
    this.#onReturn();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
