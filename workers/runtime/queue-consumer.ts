/**
 * Takes jobs from one queue with BullMQ and reports their outcomes to it. BullMQ limits how many
 * run: with a `FairSemaphore` it would take jobs that then wait here, and not at another worker.
 */
import assert from 'node:assert/strict';
import {
  createRedisBackend,
  DelayedError,
  type IQueueBackend,
  isPgPool,
  type Job,
  UnrecoverableError,
  WaitingError,
  type WorkerOptions,
  withBackend,
} from 'bullmq';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import { whenReachable } from '#core/database/reachable.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import type { Services } from '#workers/services.ts';
import type { Outcome, QueuedJob } from './delivery.ts';
import { createWaitingBackend, endWaitAfterLoss } from './queue-wait.ts';
import { countStall } from './stall.ts';

/** Maximum deliveries whose workers crashed before the job fails. */
const MAX_STALLED = 5;
/**
 * Concurrent jobs of one queue that must not wait for each other. In the schema queue these are
 * schema changes and index builds. In the image queue they are images of several holders, which are
 * fetched and stored while others are processed.
 */
const LANES: Readonly<Partial<Record<QueueName, number>>> = { schema: 2, images: 12 };
/** A job that was put aside is delivered again after this time even when it receives no wake-up. */
const ASIDE_MS = 10_000;
/** A job that could not be claimed for its own reason is delivered again after this time. */
const AGAIN_MS = 2_000;
/**
 * Pauses of a job that needs another worker's storage. They are short while it is new, so that its
 * worker gets it soon, and grow while no such worker exists.
 */
const ELSEWHERE_MS = { least: 250, most: 5_000, ofAge: 0.25 };
const RECONNECT_MS = 250;
/** How long (ms) an error of the queue counts as the reason why no jobs are taken. */
const RECENT_MS = 20_000;

/** The callbacks of a consumer for its jobs. */
export interface ConsumerHandlers {
  readonly deliver: (job: QueuedJob) => Promise<Outcome>;
  /** A job was put aside and now waits. */
  readonly onAside: (id: string, mailbox: string) => Promise<void>;
  /** The queue no longer delivers this job. */
  readonly onGivenUp: (id: string, queue: QueueName) => Promise<void>;
}

/** The used part of BullMQ's worker, which both backends implement. */
interface BullWorker {
  concurrency: number;
  pause(doNotWaitActive: boolean): Promise<void>;
  resume(): Promise<void>;
  run(): Promise<void>;
  close(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  getBackend(): Pick<IQueueBackend, 'disconnectBlocking' | 'reconnectBlocking'>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'stalled', listener: (jobId: string) => void): unknown;
  on(event: 'failed', listener: (job: BullJob | undefined, error: Error) => void): unknown;
}
type BullJob = Job<null, null>;

/** A job has failed, and its row records that. */
class RecordedFailure extends UnrecoverableError {}

export class Consumer {
  readonly name: QueueName;
  readonly #configured: number;
  #slots: number;
  readonly #services: Services;
  readonly #handlers: ConsumerHandlers;
  #worker: BullWorker | null = null;
  #running = 0;
  readonly #stopping = new AbortController();
  #error: { readonly reason: string; readonly at: number } | null = null;

  constructor(name: QueueName, services: Services, handlers: ConsumerHandlers) {
    this.name = name;
    this.#configured = Math.max(services.config.WORKER_CONCURRENCY, LANES[name] ?? 1);
    this.#slots = this.#configured;
    this.#services = services;
    this.#handlers = handlers;
  }

  /** Begins to take jobs. Throws when the server of the queue is unavailable. */
  async start(): Promise<void> {
    const log = this.#services.log.child({ queue: this.name });
    const worker = this.#newWorker();
    worker.on('error', warnThrottled(log, 'the queue failed'));
    worker.on('error', (error) => {
      this.#error = { reason: error.message, at: performance.now() };
    });
    worker.on('stalled', (id) => {
      countStall('stalled');
      log.warn({ job: id }, 'took over a job from an unresponsive worker');
    });
    worker.on('failed', (job, error) => {
      if (job?.id === undefined || job.finishedOn === undefined) return;
      // The row already records the failure, and may since have been set to retry.
      if (error instanceof RecordedFailure) return;
      this.#handlers.onGivenUp(job.id, this.name).catch((error) => {
        log.warn({ err: error, job: job.id }, 'could not record a job that the queue gave up');
      });
    });
    try {
      await worker.waitUntilReady();
    } catch (error) {
      await worker.close().catch(() => undefined);
      throw error;
    }
    this.#worker = worker;
    const { connection } = this.#services.queues;
    if (connection.kind === 'postgres') {
      const stop = this.#stopping.signal;
      endWaitAfterLoss(worker.getBackend(), { pool: connection.pool, log, stop });
    }
    worker
      .run()
      .catch((error) =>
        log.error({ err: error }, 'the worker no longer takes jobs from the queue'),
      );
  }

  /** Maximum concurrent jobs. */
  get slots(): number {
    return this.#slots;
  }

  /**
   * Changes how many jobs run at once; running jobs continue.
   * @param concurrency null for the configured number
   */
  async limit(concurrency: number | null): Promise<void> {
    // A job that was taken without a connection for it would wait while its time runs; one stays free.
    const most = Math.max(this.#configured, this.#services.sessions.most - 1);
    const slots = Math.min(concurrency ?? this.#configured, most);
    const isRaised = slots > this.#slots;
    if (slots === this.#slots) return;
    this.#slots = slots;
    const worker = this.#worker;
    if (worker === null) return;
    worker.concurrency = slots;
    if (!isRaised || this.#running === 0) return;
    // It may wait for a running job to end before it takes another; resuming wakes it.
    await worker.pause(true);
    await worker.resume();
  }

  /** Jobs that it has taken and not returned. */
  get running(): number {
    return this.#running;
  }

  /** The latest error of the queue, if it is recent; otherwise null. */
  lastError(): string | null {
    const error = this.#error;
    return error !== null && performance.now() - error.at < RECENT_MS ? error.reason : null;
  }

  /** Stops taking jobs and resolves when the running ones have ended or are returned. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#worker?.close();
  }

  #newWorker(): BullWorker {
    const { queues, config } = this.#services;
    const { connection } = queues;
    const lockDuration = config.JOB_LOCK_DURATION;
    const options: Omit<WorkerOptions, 'connection'> = {
      autorun: false,
      concurrency: this.#slots,
      lockDuration,
      stalledInterval: Math.ceil(lockDuration / 2),
      maxStalledCount: MAX_STALLED,
      runRetryDelay: RECONNECT_MS,
    };
    const name = queues.serverName(this.name);
    const process = (job: BullJob, token?: string) => this.#process(job, token);
    if (connection.kind === 'postgres') {
      const { pool } = connection;
      assert(isPgPool(pool));
      const { Worker } = withBackend(createWaitingBackend);
      return new Worker<null, null>(name, process, { ...options, connection: pool });
    }
    const { Worker } = withBackend(createRedisBackend);
    return new Worker<null, null>(name, process, { ...options, connection: connection.redis });
  }

  async #deliver(id: string, job: BullJob): Promise<Outcome> {
    const { log } = this.#services;
    const deliver = () =>
      this.#handlers.deliver({
        id,
        kind: job.name,
        lastAttempt: job.attemptsMade + 1 >= (job.opts.attempts ?? 1),
        storeProgress: (progress) => job.updateProgress({ ...progress }),
      });
    try {
      // The consumer holds the job while the database is unavailable, so it waits only as long as
      // the outage.
      return await whenReachable(log, deliver, this.#stopping.signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) return { kind: 'back' };
      // The job is not at fault, so this costs no attempt, however long the outage lasts.
      log.error({ err: error, job: id }, 'could not deliver a job');
      return { kind: 'aside', mailbox: null };
    }
  }

  /** Moves a job within the queue as soon as the queue's server is available. */
  async #move(move: () => Promise<unknown>): Promise<void> {
    await whenReachable(this.#services.log, move, this.#stopping.signal);
  }

  async #process(job: BullJob, token: string | undefined): Promise<null> {
    assert(job.id !== undefined);
    const { id } = job;
    this.#running += 1;
    const outcome = await this.#deliver(id, job).finally(() => {
      this.#running -= 1;
    });
    switch (outcome.kind) {
      case 'done':
      case 'cancelled':
        return null;
      case 'failed':
        throw new RecordedFailure(outcome.reason);
      case 'retry':
        // The log contains the reason, but the queue does not, because an error may quote values.
        throw new Error('the attempt failed');
      case 'back':
        await this.#move(() => job.moveToWait(token));
        throw new WaitingError();
      case 'elsewhere': {
        const { least, most, ofAge } = ELSEWHERE_MS;
        const pause = Math.min(most, Math.max(least, outcome.age * ofAge));
        await this.#move(() => job.moveToDelayed(Date.now() + Math.round(pause), token));
        throw new DelayedError();
      }
      case 'outage':
        await this.#move(() => job.moveToDelayed(Date.now() + outcome.pause, token));
        throw new DelayedError();
      case 'aside': {
        const pause = outcome.mailbox === null ? AGAIN_MS : ASIDE_MS;
        await this.#move(() => job.moveToDelayed(Date.now() + pause, token));
        if (outcome.mailbox !== null) await this.#handlers.onAside(id, outcome.mailbox);
        throw new DelayedError();
      }
    }
  }
}
