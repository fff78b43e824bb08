/**
 * Limits how many jobs use a connection at the same time. Each job needs further connections
 * meanwhile, so one connection of the pool stays free for them. Otherwise jobs could block each
 * other.
 */
import { FairSemaphore, type Release, SHARED } from '#core/base/holders/fair-semaphore.ts';
import type { Connection, Pool } from '#core/database/pool.ts';

export interface JobSession {
  readonly client: Connection;
  /**
   * Releases the connection, once: ends it and rolls back uncommitted work, or leaves it to the
   * next job.
   */
  end(isClean?: boolean): void;
}

export class JobSessions {
  readonly #pool: Pool;
  readonly #permits: FairSemaphore;
  /** How many there may be at once. */
  readonly most: number;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.most = Math.max(1, pool.options.max - 1);
    this.#permits = new FairSemaphore({ permits: this.most });
  }

  /**
   * Waits for a free connection, in the order of the calls.
   * @throws the signal's reason
   */
  async open(signal: AbortSignal): Promise<JobSession> {
    return await this.#connect(await this.#permits.acquire(SHARED, signal));
  }

  /** A connection when one is free; null otherwise. */
  async openIfFree(): Promise<JobSession | null> {
    const release = this.#permits.tryAcquire(SHARED);
    return release === null ? null : await this.#connect(release);
  }

  async #connect(release: Release): Promise<JobSession> {
    try {
      const client = await this.#pool.connect();
      const end = (isClean = false) => {
        client.release(!isClean);
        release();
      };
      return { client, end };
    } catch (error) {
      release();
      throw error;
    }
  }
}
