/**
 * The memory of the process that one request uses: its body, the values parsed from it, and its
 * response. The memory counts against the client's address until the caller is authenticated, and
 * then against the caller.
 */
import type { Hold } from '#core/base/holders/budget.ts';
import type { Release } from '#core/base/holders/fair-semaphore.ts';
import type { ProcessMemory } from '#core/base/holders/process-memory.ts';

export class RequestMemory {
  readonly process: ProcessMemory;
  readonly #signal: () => AbortSignal;
  #holder: string;
  readonly #bytes: Hold[] = [];
  #giveBack: (() => void)[] = [];
  /** Releases the permit that was acquired before the values were counted. */
  #permit: Release | undefined;
  #isOver = false;

  /** @param signal of the request, which cancels waits */
  constructor(process: ProcessMemory, holder: string, signal: () => AbortSignal) {
    this.process = process;
    this.#holder = holder;
    this.#signal = signal;
  }

  get holder(): string {
    return this.#holder;
  }

  /** The caller is authenticated: the bytes reserved so far count against the caller. */
  moveTo(holder: string): void {
    this.#holder = holder;
    for (const hold of this.#bytes) hold.moveTo(holder);
  }

  /** Reserves bytes, which are released at the end of the request at the latest. */
  bytes(): Hold {
    const hold = this.process.bytes.take(this.#holder, 0);
    if (this.#isOver) hold.release();
    else this.#bytes.push(hold);
    return hold;
  }

  /**
   * Waits for the permit of a long body before its values are counted.
   * @param length in bytes
   * @returns undefined when no wait is necessary
   * @throws ServiceError SERVICE_UNAVAILABLE
   */
  permit(length: number): Promise<void> | undefined {
    const permit = this.process.permit(this.#holder, length, this.#signal);
    return permit?.then((release) => {
      this.#permit = release;
      this.#keep(release);
    });
  }

  /**
   * Reserves memory for the values of a body until they are processed.
   * @returns a promise when it has to wait
   * @throws ServiceError SERVICE_UNAVAILABLE; CONTENT_TOO_LARGE when the amount exceeds the total
   *   memory
   */
  values(amount: number): void | Promise<void> {
    const taken = this.process.take(this.#holder, amount, this.#signal, this.#permit);
    this.#permit = undefined;
    if (taken instanceof Promise) return taken.then((giveBack) => this.#keep(giveBack));
    this.#keep(taken);
  }

  /**
   * Like `values`, for work that cannot wait.
   * @throws ServiceError SERVICE_UNAVAILABLE
   */
  take(amount: number): void {
    this.#keep(this.process.takeNow(this.#holder, amount));
  }

  /**
   * Releases the memory of the values and its permit after processing. Sending the response may
   * take as long as the client needs.
   */
  releaseValues(): void {
    for (const giveBack of this.#giveBack) giveBack();
    this.#giveBack = [];
  }

  /** The request is over. */
  release(): void {
    this.#isOver = true;
    for (const hold of this.#bytes) hold.release();
    this.releaseValues();
  }

  #keep(giveBack: () => void): void {
    if (this.#isOver) giveBack();
    else this.#giveBack.push(giveBack);
  }
}
