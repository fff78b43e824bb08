/** One queue of jobs on BullMQ, opened when it is first used. */
import type { Job, JobsOptions } from 'bullmq';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { AddOptions, JobQueue, QueueName, QueueState } from './queue.ts';

/** Each operation settles within this time. */
const OPERATION_WITHIN_MS = 5_000;
/** The first use loads the library and connects, which takes longer on a busy machine. */
const OPEN_WITHIN_MS = 10_000;
/** Failed deliveries before BullMQ abandons a job. */
const ATTEMPTS = 5;
const DAY_S = 86_400;

const STATES: ReadonlyMap<string, QueueState> = new Map<string, QueueState>([
  ['waiting', 'waiting'],
  ['prioritized', 'waiting'],
  ['delayed', 'delayed'],
  ['active', 'active'],
  ['completed', 'completed'],
  ['failed', 'failed'],
]);

/** The used part of BullMQ's queue, which both backends implement. */
export interface BullQueue {
  add(name: string, data: null, options: JobsOptions): Promise<unknown>;
  remove(id: string): Promise<number>;
  getJob(id: string): Promise<Pick<Job, 'promote' | 'changePriority'> | undefined>;
  getJobState(id: string): Promise<string>;
  getJobCounts(): Promise<Record<string, number>>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/**
 * Settles with `work`. Rejects with SERVICE_UNAVAILABLE when it fails or takes too long, or when
 * the queue is closed.
 */
async function bounded<T>(work: Promise<T>, within: number, closed: Promise<never>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error('the queue did not answer in time')),
    within,
  );
  try {
    return await Promise.race([work, late.promise, closed]);
  } catch (error) {
    throw unavailable('queue', reason('queue_unreachable'), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

export class BullJobQueue implements JobQueue {
  readonly name: QueueName;
  readonly #retryDelay: number;
  readonly #open: () => Promise<BullQueue>;
  #opened: Promise<BullQueue> | null = null;
  /** The queue after it has opened. */
  #queue: BullQueue | null = null;
  /** Rejects when the queue is closed. */
  readonly #closed = Promise.withResolvers<never>();
  #isClosed = false;

  /** @param retryDelay milliseconds before the first retry */
  constructor(name: QueueName, retryDelay: number, open: () => Promise<BullQueue>) {
    this.name = name;
    this.#retryDelay = retryDelay;
    this.#open = open;
    this.#closed.promise.catch(() => undefined);
  }

  async add(jobId: string, kind: string, options: AddOptions = {}): Promise<void> {
    await this.#use((queue) =>
      queue.add(kind, null, {
        ...options,
        jobId,
        attempts: ATTEMPTS,
        backoff: { type: 'exponential', delay: this.#retryDelay, jitter: 0.5 },
        // Stored only for inspection; `system_jobs` is authoritative.
        removeOnComplete: { age: DAY_S, count: 1_000 },
        removeOnFail: { age: 7 * DAY_S, count: 1_000 },
      }),
    );
  }

  async remove(jobId: string): Promise<boolean> {
    const state = await this.state(jobId);
    if (state === 'active' || state === 'unknown') return false;
    return (await this.#use((queue) => queue.remove(jobId))) === 1;
  }

  async promote(jobId: string): Promise<boolean> {
    if ((await this.state(jobId)) !== 'delayed') return false;
    const job = await this.#use((queue) => queue.getJob(jobId));
    // Fails when another process has already promoted the job, which has the same effect.
    return (
      (await job?.promote().then(
        () => true,
        () => false,
      )) ?? false
    );
  }

  async moveFirst(jobId: string): Promise<boolean> {
    await this.promote(jobId);
    if ((await this.state(jobId)) !== 'waiting') return false;
    const job = await this.#use((queue) => queue.getJob(jobId));
    if (job === undefined) return false;
    // Jobs without a priority run before all others, and the last one that was moved runs first.
    await this.#use(() => job.changePriority({ priority: 0, lifo: true }));
    return true;
  }

  async state(jobId: string): Promise<QueueState> {
    return STATES.get(await this.#use((queue) => queue.getJobState(jobId))) ?? 'unknown';
  }

  async isPaused(): Promise<boolean> {
    return await this.#use((queue) => queue.isPaused());
  }

  async setPaused(paused: boolean): Promise<void> {
    await this.#use((queue) => (paused ? queue.pause() : queue.resume()));
  }

  async counts(): Promise<Readonly<Record<string, number>>> {
    return await this.#use((queue) => queue.getJobCounts());
  }

  /**
   * Does not wait for a queue that is still opening, because it would never open while the server
   * is unavailable.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.reject(new Error('the queue is closed'));
    await this.#queue?.close();
  }

  async #use<T>(work: (queue: BullQueue) => Promise<T>): Promise<T> {
    const closed = this.#closed.promise;
    const queue = await bounded(this.#opening(), OPEN_WITHIN_MS, closed);
    return bounded(work(queue), OPERATION_WITHIN_MS, closed);
  }

  async #opening(): Promise<BullQueue> {
    if (this.#isClosed) return await this.#closed.promise;
    this.#opened ??= this.#openQueue();
    return await this.#opened;
  }

  async #openQueue(): Promise<BullQueue> {
    try {
      const queue = await this.#open();
      if (this.#isClosed) queue.close().catch(() => undefined);
      else this.#queue = queue;
      return queue;
    } catch (error) {
      // A failed attempt is not cached: the next call tries again.
      this.#opened = null;
      throw error;
    }
  }
}
