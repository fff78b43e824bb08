/**
 * What one request holds of the memory of the process: its body, what is made of it, and its answer.
 * All of it belongs to the address of the client until the caller is known, and to him afterwards.
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

  /** @param signal that of the request, for what waits */
  constructor(process: ProcessMemory, holder: string, signal: () => AbortSignal) {
    this.process = process;
    this.#holder = holder;
    this.#signal = signal;
  }

  get holder(): string {
    return this.#holder;
  }

  /** The caller is known: bytes that are there already are his. */
  moveTo(holder: string): void {
    this.#holder = holder;
    for (const hold of this.#bytes) hold.moveTo(holder);
  }

  /** A hold of bytes, which is given back at the end of the request at the latest. */
  bytes(): Hold {
    const hold = this.process.bytes.take(this.#holder, 0);
    if (this.#isOver) hold.release();
    else this.#bytes.push(hold);
    return hold;
  }

  /**
   * Waits for the permit of a long body, before its values are counted.
   * @param length in bytes
   * @returns undefined where it need not wait
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
   * Takes memory for the values of a body, until the work with them is done.
   * @returns a promise where it has to wait
   * @throws ServiceError SERVICE_UNAVAILABLE; CONTENT_TOO_LARGE where there is never so much
   */
  values(amount: number): void | Promise<void> {
    const taken = this.process.take(this.#holder, amount, this.#signal, this.#permit);
    this.#permit = undefined;
    if (taken instanceof Promise) return taken.then((giveBack) => this.#keep(giveBack));
    this.#keep(taken);
  }

  /**
   * The same for what cannot wait.
   * @throws ServiceError SERVICE_UNAVAILABLE
   */
  take(amount: number): void {
    this.#keep(this.process.takeNow(this.#holder, amount));
  }

  /**
   * The work is done, and its values are given back with its permit: how long the answer takes to leave is
   * up to the client.
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
