/** A read that somebody waits for, until it is answered, its time is over or the client goes away. */
export class PendingRead {
  readonly started = performance.now();
  /** For whom it is read; null for the process itself. */
  readonly holder: string | null;
  readonly #signal: AbortSignal | undefined;
  readonly #reject: (error: unknown) => void;
  #controller: AbortController | null = null;
  #expired = false;

  constructor(
    signal: AbortSignal | undefined,
    reject: (error: unknown) => void,
    holder: string | null = null,
  ) {
    this.holder = holder;
    this.#signal = signal;
    this.#reject = reject;
  }

  /** Nobody waits for the answer any more. */
  get isGone(): boolean {
    return this.#expired || this.#signal?.aborted === true;
  }

  /** Aborted when nobody waits any more; for what takes long enough to be worth one. */
  get signal(): AbortSignal {
    if (this.#controller !== null) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.isGone) this.#abort();
    else this.#signal?.addEventListener('abort', this.#abort);
    return this.#controller.signal;
  }

  /** Answers that its time is over, whatever becomes of it. */
  expire(error: Error): void {
    this.#expired = true;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  end(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    this.#reject(this.#signal?.reason);
    this.#controller?.abort(this.#signal?.reason);
  };
}
