/**
 * Compares open jobs in `system_jobs` with the queues and repairs differences. They occur when the
 * server of a queue lost its data, or a process crashed between writing the row and the queue. One
 * worker of the cluster does this.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import { enqueue, type QueueableJob } from '#core/jobs/mailbox.ts';
import { TIDY_JOB, tidySubmission } from '#core/jobs/message/tidy.ts';
import { TIDY_FILES_SUBMISSION } from '#core/jobs/message/tidy-files.ts';
import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import { type QueueState, queueStates } from '#core/jobs/queue-state.ts';
import { canRun, isReached } from '#core/jobs/reached-storage.ts';
import { Lease } from '#core/model/system/lease.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { submitMeasurements } from '#core/services/files/submit-measurements.ts';
import type { Services } from '#workers/services.ts';
import { giveUp } from './fail-given-up-job.ts';

const ROUND_MS = 2_000;
const LEASE_MS = 6_000;
/** The process that accepted a job may still be queueing it until this age. */
const SETTLED_AFTER_MS = 3_000;
const AT_ONCE = 1_000;
/** Jobs that are compared concurrently. */
const PARALLEL = 20;
const SCHEDULE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A job that its queue must contain. */
interface ExpectedJob extends QueueableJob {
  readonly state: 'waiting' | 'running';
  readonly mailbox: string | null;
  readonly sequence: string;
}

const COLUMNS = sql`id, kind, queue, state, mailbox, turn::float8 AS turn, sequence`;

export class Reconciler {
  readonly #services: Services;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  #rounds: Promise<void> | null = null;
  #nextSchedule = 0;
  /** The highest sequence number of a job that the previous round checked. */
  #cursor = '0';
  /** When the image queue was last switched, as of the last submission of missed measurements. */
  #measuredSince = -1;
  /** Jobs that the previous round did not find in their queue. */
  #missing: ReadonlySet<string> = new Set();

  constructor(services: Services) {
    this.#services = services;
    this.#lease = new Lease(services.pool, services.schema, 'jobs', LEASE_MS);
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
    while (!signal.aborted) {
      try {
        if (await this.#lease.hold()) {
          await this.#round();
          await this.#schedule();
        }
      } catch (error) {
        this.#services.log.warn({ err: error }, 'could not compare jobs and queues');
      }
      await delay(ROUND_MS, null, { signal }).catch(() => undefined);
    }
  }

  async #round(): Promise<void> {
    await this.#switchQueues();
    const heads = await this.#heads();
    const free = await this.#free();
    this.#cursor = free.length < AT_ONCE ? '0' : (free.at(-1)?.sequence ?? '0');
    const rows = [...heads, ...free];
    const missing = new Set<string>();
    for (let from = 0; from < rows.length; from += PARALLEL) {
      if (this.#stopping.signal.aborted) return;
      const some = rows.slice(from, from + PARALLEL);
      await Promise.all(some.map((job) => this.#compare(job, missing)));
    }
    this.#missing = missing;
  }

  /**
   * Pauses and resumes queues on their server as the database specifies, because a server can lose
   * that state.
   */
  async #switchQueues(): Promise<void> {
    const { pool, schema, queues, log } = this.#services;
    const states = await queueStates(pool, schema);
    for (const { name, state } of states) {
      const queue = queues.get(name);
      const paused = state === 'paused';
      if ((await queue.isPaused()) === paused) continue;
      await queue.setPaused(paused);
      log.warn({ queue: name, state }, 'corrected the state of a queue');
    }
    await this.#measureMissed(states);
  }

  /** Submits measurements of images that were uploaded while their queue accepted no jobs. */
  async #measureMissed(states: readonly QueueState[]): Promise<void> {
    const images = states.find(({ name }) => name === 'images');
    if (images === undefined || images.state === 'draining') return;
    if (images.changed === this.#measuredSince) return;
    await submitMeasurements(this.#services);
    this.#measuredSince = images.changed;
  }

  /** For each mailbox the running job, else the next one. */
  async #heads(): Promise<readonly ExpectedJob[]> {
    const { pool, schema } = this.#services;
    const jobs = systemTable(schema, 'jobs');
    const first = (after: Sql) => sql`(SELECT mailbox FROM ${jobs}
      WHERE ${isOpen} AND mailbox ${after} ORDER BY mailbox LIMIT 1)`;
    const { rows } = await pool.query<ExpectedJob>(
      render(sql`
        WITH RECURSIVE boxes AS (
          SELECT ${first(sql`IS NOT NULL`)} AS mailbox
          UNION ALL
          SELECT ${first(sql`> boxes.mailbox`)} FROM boxes WHERE boxes.mailbox IS NOT NULL)
        SELECT head.* FROM boxes CROSS JOIN LATERAL (
          (SELECT ${COLUMNS}, created_on FROM ${jobs}
            WHERE mailbox = boxes.mailbox AND state = 'running' LIMIT 1)
          UNION ALL
          (SELECT ${COLUMNS}, created_on FROM ${jobs}
            WHERE mailbox = boxes.mailbox AND state = 'waiting' AND ${canRun(schema, sql`storage`)}
            ORDER BY turn, sequence LIMIT 1)
          LIMIT 1) AS head
        WHERE ${this.#expected(sql`head`)}`),
    );
    return rows;
  }

  /** A batch of the jobs without a mailbox; the next round continues. */
  async #free(): Promise<readonly ExpectedJob[]> {
    const { pool, schema } = this.#services;
    const { rows } = await pool.query<ExpectedJob>(
      render(sql`SELECT ${COLUMNS} FROM ${systemTable(schema, 'jobs')} AS j
        WHERE ${isOpen} AND mailbox IS NULL AND sequence > ${this.#cursor}
          AND ${this.#expected(sql`j`)} ORDER BY sequence LIMIT ${AT_ONCE}`),
    );
    return rows;
  }

  /** Jobs of a later release may be in queues that this release does not have. */
  #expected(job: Sql): Sql {
    return sql`${job}.queue = ANY(${[...QUEUE_NAMES]}::text[])
      AND ${job}.created_on < now() - make_interval(secs => ${SETTLED_AFTER_MS / 1_000})`;
  }

  /** Submits the daily cleanup of each storage when it is due, and that of files; checks rarely. */
  async #schedule(): Promise<void> {
    if (performance.now() < this.#nextSchedule) return;
    this.#nextSchedule = performance.now() + SCHEDULE_MS;
    const { pool, schema, jobs } = this.#services;
    const { rows } = await pool.query<{ identity: string }>(
      render(sql`SELECT s.identity FROM ${systemTable(schema, 'storages')} s
        WHERE ${isReached(schema, sql`s.identity`)} AND NOT EXISTS (
          SELECT FROM ${systemTable(schema, 'jobs')} j
          WHERE j.kind = ${TIDY_JOB} AND j.storage = s.identity
            AND j.created_on > now() - make_interval(secs => ${DAY_MS / 1_000}))`),
    );
    for (const { identity } of rows) await jobs.submit(tidySubmission(identity));
    if (await this.#services.files.isUntidy()) await jobs.submit(TIDY_FILES_SUBMISSION);
  }

  /**
   * @param missing collects the jobs that are not in their queue, though another worker may still
   *   add them
   */
  async #compare(job: ExpectedJob, missing: Set<string>): Promise<void> {
    const { queues, log, config } = this.#services;
    const queue = queues.get(job.queue);
    const state = await queue.state(job.id);
    if (state === 'failed') return await giveUp(this.#services, job.id, job.queue);
    if (state !== 'unknown' && state !== 'completed') return;
    // The job may have become the next one just now, and the worker that ended the previous one
    // adds it.
    if (job.mailbox !== null && !this.#missing.has(job.id)) {
      missing.add(job.id);
      return;
    }
    // The queue completes a job after its row. A completed job that remains in the queue would
    // block a new run.
    if (state === 'completed') await queue.remove(job.id);
    // Its worker may be about to end it, because the queue may have lost only the lock.
    const pause = job.state === 'running' ? { delay: config.JOB_LOCK_DURATION } : {};
    await enqueue(queues, job, pause);
    log.warn({ job: job.id, queue: job.queue, state }, 'put an open job back into its queue');
  }
}
