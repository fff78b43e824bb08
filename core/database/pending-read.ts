/**
 * A read with a waiting client, until it is answered, its time is over or the client disconnects.
 */
export class PendingRead {
  readonly started = performance.now();
  /** The holder of the read; null for the process itself. */
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

  /** No client waits for the answer any more. */
  get isGone(): boolean {
    return this.#expired || this.#signal?.aborted === true;
  }

  /** Aborted when no client waits any more; created only for reads that take long enough. */
  get signal(): AbortSignal {
    if (this.#controller !== null) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.isGone) this.#abort();
    else this.#signal?.addEventListener('abort', this.#abort);
    return this.#controller.signal;
  }

  /** Rejects with a timeout, regardless of the statement's later result. */
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
