/** Checks periodically whether a pool still responds, with one query at a time. */
import type { Pool } from './pool.ts';

const EVERY_MS = 2_000;

export class PoolProbe {
  readonly #pool: Pick<Pool, 'query'>;
  readonly #within: number;
  readonly #timer: NodeJS.Timeout;
  /** When the open query was sent, by `performance.now()`. */
  #askedAt: number | null = null;
  #failed = false;

  /** @param within milliseconds after which a response is missing */
  constructor(pool: Pick<Pool, 'query'>, within: number) {
    this.#pool = pool;
    this.#within = within;
    this.#timer = setInterval(() => this.#ask(), EVERY_MS).unref();
  }

  /** False when the last response was an error, or is missing. */
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
