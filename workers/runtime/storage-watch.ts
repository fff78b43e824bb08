/**
 * Checks every few seconds whether this worker can use its storage, and records the result in the
 * database. Jobs that need files are claimed only while it can.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { noteReached } from '#core/jobs/reached-storage.ts';
import type { Services } from '#workers/services.ts';

const ROUND_MS = 5_000;
const FIRST_WITHIN_MS = 3_000;

export class StorageWatch {
  readonly #services: Services;
  readonly #stopping = new AbortController();
  #reached: string | null = null;
  #isDown = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The identity of the storage that can be used now; null when the storage is unavailable. */
  get reached(): string | null {
    return this.#reached;
  }

  /** Resolves after the first check, or when the storage does not respond in time. */
  async start(): Promise<void> {
    const first = this.#look();
    void this.#run(first);
    await Promise.race([first, delay(FIRST_WITHIN_MS)]);
  }

  /** Does not wait for an unresponsive storage. */
  stop(): void {
    this.#stopping.abort();
  }

  async #run(first: Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    await first;
    while (!signal.aborted) {
      await delay(ROUND_MS, null, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { spool, pool, schema, config, log } = this.#services;
    try {
      await spool.check();
      const identity = await spool.identity();
      this.#reached = identity;
      if (this.#isDown) log.info({ storage: identity }, 'the file storage is usable again');
      this.#isDown = false;
      await noteReached(pool, schema, { identity, location: config.locations[0]?.name ?? '' });
    } catch (error) {
      this.#reached = null;
      if (this.#stopping.signal.aborted) return;
      if (!this.#isDown) log.warn({ err: error }, 'jobs with files wait for the storage');
      this.#isDown = true;
    }
  }
}
