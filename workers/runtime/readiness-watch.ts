/**
 * Monitors whether this worker can take jobs, and reports why it cannot. A worker hangs when the
 * servers work but it takes no job despite a free slot, and its jobs make no progress. The
 * supervisor then restarts it.
 */
import pg from 'pg';
import { observeQueues } from '#core/jobs/queue-observation.ts';
import { isStuck } from '#core/jobs/stuck-queue.ts';
import type { Services } from '#workers/services.ts';
import type { WorkerStatus } from './worker-status.ts';

/** The state of this worker's consumers. */
export interface ConsumerFacts {
  /** The latest error of a queue, if it is recent; otherwise null. */
  readonly queueError: () => string | null;
  /** Running jobs of a queue on this worker. */
  readonly running: (queue: string) => number;
}

const EVERY_MS = 2_000;
/** Replacing the queue's own connection may take this long. */
const ANSWER_WITHIN_MS = 12_000;
/** A fresh connection to the server of the queue must work within this time. */
const FRESH_WITHIN_MS = 2_000;

export class ReadinessWatch {
  readonly #services: Services;
  readonly #status: WorkerStatus;
  readonly #facts: ConsumerFacts;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  /**
   * When the pending query on the queue's connection was sent, by `performance.now()`; null without
   * one.
   */
  #askedAt: number | null = null;
  /** Since when only this worker can be the cause. */
  #hungSince: number | null = null;

  constructor(services: Services, status: WorkerStatus, facts: ConsumerFacts) {
    this.#services = services;
    this.#status = status;
    this.#facts = facts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    this.#askQueue();
    if (this.#looking) return;
    this.#looking = true;
    try {
      const reason = await this.#reason();
      if (this.#timer !== undefined) await this.#judge(reason);
    } finally {
      this.#looking = false;
    }
  }

  /** Why this worker cannot take jobs; null when it can. */
  async #reason(): Promise<string | null> {
    const { catalog } = this.#services;
    if (!catalog.ready()) return 'It has lost contact with the database.';
    if (this.#askedAt !== null && performance.now() - this.#askedAt > ANSWER_WITHIN_MS) {
      return 'Its connection to the queue gives no answer.';
    }
    try {
      return await this.#untaken();
    } catch (error) {
      this.#services.log.warn({ err: error }, 'could not check the queues');
      return null;
    }
  }

  /** A message about an available job that this worker does not take; null without one. */
  async #untaken(): Promise<string | null> {
    const { pool, schema, queues, config } = this.#services;
    const within = config.QUEUE_STUCK_AFTER;
    const retryDelay = config.JOB_RETRY_DELAY;
    const observation = await observeQueues(pool, schema, { within, retryDelay });
    for (const queue of observation.queues) {
      const { name, eligible } = queue;
      if (eligible === null || !isStuck(observation, queue, within)) continue;
      if (this.#facts.running(name) >= (this.#status.slots[name] ?? 0)) continue;
      // A delayed job, or one that is not in the queue, is not available to any worker.
      const state = await queues
        .get(name)
        .state(eligible.id)
        .catch(() => null);
      if (state !== 'waiting' && state !== null) continue;
      const error = this.#facts.queueError();
      const seconds = Math.round(eligible.age / 1_000);
      return (
        `Job ${eligible.id} (${eligible.kind}) could run for ${seconds} s, a slot is free, and it ` +
        `does not take it${error === null ? '.' : `: ${error}`}`
      );
    }
    return null;
  }

  async #judge(reason: string | null): Promise<void> {
    const { log, config } = this.#services;
    const before = this.#status.reason;
    this.#status.reason = reason;
    if (reason === null) {
      if (before !== null) log.info('the worker takes jobs again');
      this.#hungSince = null;
      this.#status.hung = false;
      return;
    }
    if (before === null) log.error({ reason }, 'the worker takes no jobs');
    const { silence } = this.#status;
    const moves = silence !== null && silence < config.WATCHDOG_TIMEOUT;
    if (moves || !this.#services.catalog.ready() || !(await this.#serverWorks())) {
      this.#hungSince = null;
      return;
    }
    const now = performance.now();
    this.#hungSince ??= now;
    if (now - this.#hungSince >= config.WATCHDOG_TIMEOUT) this.#status.hung = true;
  }

  /** Queries the queue's own connection, one query at a time. */
  #askQueue(): void {
    if (this.#askedAt !== null) return;
    this.#askedAt = performance.now();
    const settle = () => {
      this.#askedAt = null;
    };
    const { connection } = this.#services.queues;
    const question: Promise<unknown> =
      connection.kind === 'redis' ? connection.redis.ping() : connection.pool.query('SELECT 1');
    // An error also counts as a response, because a lost connection is replaced.
    question.then(settle, settle);
  }

  /** Whether the server of the queue accepts writes on a separate connection. */
  async #serverWorks(): Promise<boolean> {
    const { connection } = this.#services.queues;
    return connection.kind === 'redis' ? await this.#redisWorks() : await this.#postgresWorks();
  }

  async #redisWorks(): Promise<boolean> {
    const { config, queues } = this.#services;
    if (config.REDIS_URL === undefined) return false;
    const { Redis } = await import('ioredis');
    const redis = new Redis(config.REDIS_URL, {
      lazyConnect: true,
      connectTimeout: FRESH_WITHIN_MS,
      commandTimeout: FRESH_WITHIN_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      await redis.set(`${queues.serverName('transfer')}-probe`, '1', 'PX', FRESH_WITHIN_MS);
      return true;
    } catch {
      return false;
    } finally {
      redis.disconnect();
    }
  }

  async #postgresWorks(): Promise<boolean> {
    const { config } = this.#services;
    const client = new pg.Client({
      connectionString: config.DATABASE_DIRECT_URL ?? config.DATABASE_URL,
      application_name: 'sluice probe',
      connectionTimeoutMillis: FRESH_WITHIN_MS,
      query_timeout: FRESH_WITHIN_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      client.end().catch(() => undefined);
    }
  }
}
