/**
 * Compares open jobs in `system_jobs` with the queues and repairs differences: the server of a
 * queue lost its data, or a process died between the row and the queue. One worker of the cluster
 * does it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { TIDY_JOB, tidySubmission } from '#core/jobs/message/tidy.ts';
import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import { Lease } from '#core/system/lease.ts';
import type { Services } from '#workers/services.ts';
import { giveUp } from './fail-given-up-job.ts';

const ROUND_MS = 2_000;
const LEASE_MS = 6_000;
/** A job this young is still being queued by the process that accepted it. */
const SETTLED_AFTER_MS = 3_000;
const AT_ONCE = 200;
const SCHEDULE_MS = 60_000;
const DAY_MS = 86_400_000;

const openJobs = v.array(
  v.object({
    id: v.string(),
    kind: v.string(),
    queue: v.picklist(QUEUE_NAMES),
    state: v.picklist(['waiting', 'running']),
    sequence: v.string(),
  }),
);
type OpenJob = v.InferOutput<typeof openJobs>[number];

export class Reconciler {
  readonly #services: Services;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  #rounds: Promise<void> | null = null;
  #nextSchedule = 0;
  /** The last sequence of the previous round. */
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
        if (await this.#lease.hold()) {
          await this.#round();
          await this.#schedule();
        }
      } catch (error) {
        this.#services.log.warn({ err: error }, 'jobs and queues could not be compared');
      }
      await delay(ROUND_MS, null, { signal }).catch(() => undefined);
    }
  }

  async #round(): Promise<void> {
    const orm = await this.#services.orm.open();
    const found = await orm.fork().find(
      orm.entity('system_jobs'),
      {
        state: { $in: ['waiting', 'running'] },
        // Jobs of a later release may be in queues that this release does not know.
        queue: { $in: [...QUEUE_NAMES] },
        sequence: { $gt: this.#cursor },
        created_on: { $lt: new Date(Date.now() - SETTLED_AFTER_MS) },
      },
      { orderBy: { sequence: 'asc' }, limit: AT_ONCE },
    );
    const rows = v.parse(openJobs, found);
    for (const job of rows) {
      if (this.#stopping.signal.aborted) return;
      await this.#compare(job);
    }
    this.#cursor = rows.length < AT_ONCE ? '0' : (rows.at(-1)?.sequence ?? '0');
  }

  /** Submits the daily tidying when it is due; checks rarely. */
  async #schedule(): Promise<void> {
    if (performance.now() < this.#nextSchedule) return;
    this.#nextSchedule = performance.now() + SCHEDULE_MS;
    const orm = await this.#services.orm.open();
    const recent = await orm.fork().count(orm.entity('system_jobs'), {
      kind: TIDY_JOB,
      created_on: { $gt: new Date(Date.now() - DAY_MS) },
    });
    if (recent === 0) await this.#services.jobs.submit(tidySubmission());
  }

  async #compare(job: OpenJob): Promise<void> {
    const { queues, log, config } = this.#services;
    const queue = queues.get(job.queue);
    const state = await queue.state(job.id);
    if (state === 'failed') return await giveUp(this.#services, job.id);
    if (state !== 'unknown' && state !== 'completed') return;
    // The queue completes a job after its row; a job that is left in the queue would not run again.
    if (state === 'completed') await queue.remove(job.id);
    // Its worker may be about to end it: the queue lost only the lock.
    const pause = job.state === 'running' ? { delay: config.JOB_LOCK_DURATION } : {};
    await queue.add(job.id, job.kind, pause);
    log.warn({ job: job.id, queue: job.queue, state }, 'an open job was put back into its queue');
  }
}
