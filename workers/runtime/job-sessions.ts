/**
 * Limits how many jobs have a connection at the same time. Each needs more connections while it has
 * one, so one connection of the pool stays free for that, and jobs cannot block each other.
 */
import type { Connection, Pool } from '#core/database/pool.ts';

export interface JobSession {
  readonly client: Connection;
  /**
   * Gives the connection up, once: ends it and rolls back what is not committed, or leaves it to
   * the next job.
   */
  end(isClean?: boolean): void;
}

export class JobSessions {
  readonly #pool: Pool;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#free = Math.max(1, pool.options.max - 1);
  }

  /** Waits for a free connection, in the order of the calls. */
  async open(signal: AbortSignal): Promise<JobSession> {
    await this.#enter(signal);
    return await this.#take();
  }

  /** A connection when one is free; null otherwise. */
  async openIfFree(): Promise<JobSession | null> {
    if (this.#free === 0) return null;
    this.#free -= 1;
    return await this.#take();
  }

  async #take(): Promise<JobSession> {
    try {
      const client = await this.#pool.connect();
      const end = (isClean = false) => {
        client.release(!isClean);
        this.#leave();
      };
      return { client, end };
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => {
      // Otherwise it has a connection already.
      if (this.#waiting.delete(resolve)) reject(signal.reason);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', abort);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
