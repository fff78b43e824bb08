/**
 * Compares the record of open jobs with the queues and repairs what differs: a queue whose server
 * lost its data, or a process that died between record and queue. One worker of the cluster does it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { render, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import { Lease } from '#core/system/lease.ts';
import { systemTable } from '#core/system/table.ts';
import type { Services } from '#workers/services.ts';
import { giveUp } from './give-up.ts';

const ROUND_MS = 2_000;
const LEASE_MS = 6_000;
/** A job is left to the process that has just accepted it for this long. */
const SETTLED_AFTER = '3 seconds';
const AT_ONCE = 200;

interface OpenJob {
  readonly id: string;
  readonly kind: string;
  readonly queue: QueueName;
  readonly state: 'waiting' | 'running';
  readonly sequence: string;
}

export class Reconciler {
  readonly #services: Services;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  #rounds: Promise<void> | null = null;
  /** The sequence up to which the last round came. */
  #cursor = '0';

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
        if (await this.#lease.hold()) await this.#round();
      } catch (error) {
        this.#services.log.warn({ err: error }, 'jobs and queues could not be compared');
      }
      await delay(ROUND_MS, null, { signal }).catch(() => undefined);
    }
  }

  async #round(): Promise<void> {
    const { pool, schema } = this.#services;
    const { rows } = await pool.query<OpenJob>(
      render(sql`SELECT id, kind, queue, state, sequence::text
        FROM ${systemTable(schema, 'jobs')}
        WHERE ${isOpen} AND sequence > ${this.#cursor}
          AND created_on < now() - ${SETTLED_AFTER}::interval
        ORDER BY sequence LIMIT ${AT_ONCE}`),
    );
    for (const job of rows) {
      if (this.#stopping.signal.aborted) return;
      await this.#compare(job);
    }
    this.#cursor = rows.length < AT_ONCE ? '0' : (rows.at(-1)?.sequence ?? '0');
  }

  async #compare(job: OpenJob): Promise<void> {
    const { queues, log, config } = this.#services;
    const queue = queues.get(job.queue);
    const state = await queue.state(job.id);
    if (state === 'failed') return await giveUp(this.#services, job.id);
    if (state !== 'unknown' && state !== 'completed') return;
    // The queue completes a job after its record says so; left in the queue it would not run again.
    if (state === 'completed') await queue.remove(job.id);
    // Its worker may be well and about to end it: what the queue lost is its lock only.
    const pause = job.state === 'running' ? { delay: config.JOB_LOCK_DURATION } : {};
    await queue.add(job.id, job.kind, pause);
    log.warn({ job: job.id, queue: job.queue, state }, 'an open job was put back into its queue');
  }
}
