/** Records the statistics of the queues once a minute. One worker of the cluster does this. */
import { setTimeout as delay } from 'node:timers/promises';
import { recordStatistics } from '#core/jobs/queue-statistics.ts';
import { Lease } from '#core/model/system/lease.ts';
import type { Services } from '#workers/services.ts';

const ROUND_MS = 5_000;
/** Long enough for a few rounds, and short enough that a successor misses no minute. */
const LEASE_MS = 15_000;

export class QueueStatisticsWatch {
  readonly #services: Pick<Services, 'pool' | 'schema' | 'log'>;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  #rounds: Promise<void> | null = null;

  constructor(services: Pick<Services, 'pool' | 'schema' | 'log'>) {
    this.#services = services;
    this.#lease = new Lease(services.pool, services.schema, 'queue-statistics', LEASE_MS);
  }

  start(): void {
    this.#rounds ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds;
    await this.#lease.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { pool, schema, log } = this.#services;
    while (!signal.aborted) {
      try {
        if (await this.#lease.hold()) await recordStatistics(pool, schema);
      } catch (error) {
        log.debug({ err: error }, 'the statistics of the queues were not recorded');
      }
      await delay(ROUND_MS, null, { signal }).catch(() => undefined);
    }
  }
}
