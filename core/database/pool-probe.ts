/** Asks a pool once in a while whether it still answers, one question at a time. */
import type { Pool } from './pool.ts';

const EVERY_MS = 2_000;

export class PoolProbe {
  readonly #pool: Pick<Pool, 'query'>;
  readonly #within: number;
  readonly #timer: NodeJS.Timeout;
  /** When the open question was asked, by `performance.now()`. */
  #askedAt: number | null = null;
  #failed = false;

  /** @param within milliseconds after which an answer is missing */
  constructor(pool: Pick<Pool, 'query'>, within: number) {
    this.#pool = pool;
    this.#within = within;
    this.#timer = setInterval(() => this.#ask(), EVERY_MS).unref();
  }

  /** False when the last answer was an error, or is missing. */
  get answers(): boolean {
    if (this.#failed) return false;
    return this.#askedAt === null || performance.now() - this.#askedAt <= this.#within;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #ask(): void {
    if (this.#askedAt !== null) return;
    this.#askedAt = performance.now();
    const settle = (failed: boolean) => {
      this.#askedAt = null;
      this.#failed = failed;
    };
    this.#pool.query('SELECT 1').then(
      () => settle(false),
      () => settle(true),
    );
  }
}
