/** Applies the concurrency of each queue that administrators set, which the database stores. */
import { setTimeout as delay } from 'node:timers/promises';
import { queueStates } from '#core/jobs/queue-state.ts';
import type { Services } from '#workers/services.ts';
import type { Consumer } from './queue-consumer.ts';

const EVERY_MS = 2_000;

export class ConcurrencyWatch {
  readonly #services: Services;
  readonly #consumers: readonly Consumer[];
  readonly #stopping = new AbortController();
  #rounds: Promise<void> | null = null;

  constructor(services: Services, consumers: readonly Consumer[]) {
    this.#services = services;
    this.#consumers = consumers;
  }

  /** Applies the stored numbers once. */
  async look(): Promise<void> {
    const { pool, schema, log } = this.#services;
    for (const { name, concurrency } of await queueStates(pool, schema)) {
      const consumer = this.#consumers.find((one) => one.name === name);
      if (consumer === undefined) continue;
      const before = consumer.slots;
      await consumer.limit(concurrency);
      const { slots } = consumer;
      if (slots !== before) log.info({ queue: name, slots }, 'the concurrency of a queue changed');
    }
  }

  /** Looks again and again until {@link stop}. */
  start(): void {
    this.#rounds ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await delay(EVERY_MS, null, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.look().catch((error: unknown) =>
        this.#services.log.warn({ err: error }, 'could not read the concurrency of queues'),
      );
    }
  }
}
