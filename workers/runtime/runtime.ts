/** The actor runtime of a worker process: consumes the queues of its actors. */
import { setTimeout as delay } from 'node:timers/promises';
import { prepareQueueTables } from '#core/jobs/bullmq.ts';
import { wakeIfNext } from '#core/jobs/mailbox.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import type { Services } from '#workers/services.ts';
import type { Actor } from './actor.ts';
import { ConcurrencyWatch } from './concurrency-watch.ts';
import { Deliverer, type Outcome, type QueuedJob } from './delivery.ts';
import { giveUp } from './fail-given-up-job.ts';
import { Consumer } from './queue-consumer.ts';
import { QueueStatisticsWatch } from './queue-statistics-watch.ts';
import { ReadinessWatch } from './readiness-watch.ts';
import { Reconciler } from './reconciler.ts';
import { RunningDeliveries } from './running-deliveries.ts';
import { StatisticsWatch } from './statistics-watch.ts';
import { StorageWatch } from './storage-watch.ts';
import type { WorkerStatus } from './worker-status.ts';

const START_AGAIN_MS = 1_000;
/**
 * Shorter than the supervisor's timeout for killing the process. Other workers take over unfinished
 * jobs.
 */
const DRAIN_WITHIN_MS = 7_000;

export class Runtime {
  readonly #services: Services;
  readonly #status: WorkerStatus;
  readonly #running: RunningDeliveries;
  readonly #deliverer: Deliverer;
  readonly #consumers: readonly Consumer[];
  readonly #reconciler: Reconciler;
  readonly #readiness: ReadinessWatch;
  readonly #statistics: StatisticsWatch;
  readonly #queueStatistics: QueueStatisticsWatch;
  readonly #storage: StorageWatch;
  readonly #concurrency: ConcurrencyWatch;
  readonly #stopping = new AbortController();

  constructor(services: Services, actors: readonly Actor[], status: WorkerStatus) {
    this.#services = services;
    this.#status = status;
    this.#running = new RunningDeliveries(services);
    this.#storage = new StorageWatch(services);
    this.#deliverer = new Deliverer(services, actors, {
      running: this.#running,
      reachedStorage: () => this.#storage.reached,
      stopping: this.#stopping.signal,
    });
    const handlers = {
      deliver: (job: QueuedJob) => this.#deliver(job),
      onAside: (id: string, mailbox: string) => this.#onAside(id, mailbox),
      onGivenUp: (id: string, queue: QueueName) => giveUp(services, id, queue),
    };
    const names = new Set(actors.map((actor) => actor.queue));
    this.#consumers = [...names].map((name) => new Consumer(name, services, handlers));
    this.#concurrency = new ConcurrencyWatch(services, this.#consumers);
    this.#reconciler = new Reconciler(services);
    this.#statistics = new StatisticsWatch({
      ...services,
      schemas: services.config.DATABASE_SCHEMA,
    });
    this.#queueStatistics = new QueueStatisticsWatch(services);
    this.#readiness = new ReadinessWatch(services, status, {
      queueError: () =>
        this.#consumers.map((consumer) => consumer.lastError()).find(Boolean) ?? null,
      running: (queue) => this.#consumers.find(({ name }) => name === queue)?.running ?? 0,
    });
    status.describe({
      slots: () => Object.fromEntries(this.#consumers.map(({ name, slots }) => [name, slots])),
      silences: () => this.#running.silences(),
    });
  }

  /** Begins to work; waits while the server of the queues is unavailable. */
  async start(): Promise<void> {
    const { queues, catalog, log } = this.#services;
    await this.#persist(() => prepareQueueTables(queues.connection));
    await this.#storage.start();
    await this.#persist(() => this.#concurrency.look());
    for (const consumer of this.#consumers) await this.#persist(() => consumer.start());
    this.#concurrency.start();
    this.#reconciler.start();
    this.#statistics.start();
    this.#queueStatistics.start();
    this.#status.reason = null;
    // Renews the report, so that this worker no longer appears as starting.
    await catalog
      .look()
      .catch((err: unknown) => log.warn({ err }, 'could not refresh the catalog'));
    this.#readiness.start();
    log.info({ queues: this.#consumers.length }, 'the worker takes jobs');
  }

  /**
   * Stops taking jobs and returns running ones, within eight seconds.
   * @returns whether all deliveries have ended
   */
  async drain(): Promise<boolean> {
    this.#stopping.abort();
    this.#readiness.stop();
    this.#status.reason = 'It is stopping.';
    this.#storage.stop();
    const stopped = Promise.all([
      this.#concurrency.stop(),
      this.#reconciler.stop(),
      this.#statistics.stop(),
      this.#queueStatistics.stop(),
      ...this.#consumers.map((consumer) => consumer.stop()),
    ]);
    this.#running.drain();
    const late = new AbortController();
    const isStopped = await Promise.race([
      stopped.then(() => true),
      delay(DRAIN_WITHIN_MS, false, { signal: late.signal }),
    ]);
    late.abort();
    this.#running.close();
    return isStopped;
  }

  async #deliver(job: QueuedJob): Promise<Outcome> {
    return this.#stopping.signal.aborted ? { kind: 'back' } : await this.#deliverer.deliver(job);
  }

  async #onAside(id: string, mailbox: string): Promise<void> {
    const { pool, schema, queues } = this.#services;
    await wakeIfNext(pool, schema, queues, { id, mailbox });
  }

  /** Repeats it until it succeeds or the process drains. */
  async #persist(work: () => Promise<void>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        return await work();
      } catch (error) {
        this.#services.log.warn({ err: error }, 'the queue is not usable yet');
        await delay(START_AGAIN_MS);
      }
    }
  }
}
