/**
 * One of our queues in the form that bull-board uses: read from BullMQ, and changed only by our
 * services. Operations without a service throw, so that no change of a queue bypasses
 * `system_jobs`.
 */
import assert from 'node:assert/strict';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { type Job, Queue } from 'bullmq';
import type { Log } from '#core/base/log/log.ts';
import { openBullQueue } from '#core/jobs/bullmq.ts';
import type { QueueName, Queues } from '#core/jobs/queue.ts';
import type { JobSubject } from '#core/services/overview.ts';
import type { QueueActions } from './queue-actions.ts';

/** An operation of bull-board without a service of ours. */
export class SwitchedOffError extends Error {
  constructor() {
    super('The monitor cannot do this: it has no counterpart in /jobs and /queues.');
    this.name = 'SwitchedOffError';
  }
}

async function refuse(): Promise<never> {
  throw new SwitchedOffError();
}

export interface BoardQueueParts {
  readonly actions: QueueActions;
  /** Reads what jobs are about. */
  readonly subjects: (ids: readonly string[]) => Promise<readonly JobSubject[]>;
  readonly log: Log;
}

export class BoardQueue extends BullMQAdapter {
  readonly #name: QueueName;
  readonly #actions: QueueActions;
  readonly #subjects: BoardQueueParts['subjects'];
  readonly #log: Log;

  constructor(name: QueueName, queue: Queue, { actions, subjects, log }: BoardQueueParts) {
    super(queue, { displayName: name, allowRetries: true });
    this.#name = name;
    this.#actions = actions;
    this.#subjects = subjects;
    this.#log = log;
  }

  override getName(): string {
    return this.#name;
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    if (job !== undefined) await this.#describe([job]);
    return job && this.#ours(job);
  }

  override async getJobs(...options: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    const jobs = await super.getJobs(...options);
    await this.#describe(jobs);
    return jobs.map((job) => this.#ours(job));
  }

  override pause(): Promise<void> {
    return this.#actions.switch(this.#name, 'paused');
  }

  override resume(): Promise<void> {
    return this.#actions.switch(this.#name, 'running');
  }

  override clean = refuse;
  override addJob = refuse;
  override empty = refuse;
  override obliterate = refuse;
  override promoteAll = refuse;
  override removeJobScheduler = refuse;
  override runJobSchedulerNow = refuse;
  override updateJobScheduler = refuse;
  override setGlobalConcurrency = refuse;
  override setConfiguredRateLimit = refuse;
  override removeConfiguredRateLimit = refuse;
  override releaseActiveRateLimit = refuse;

  /** Shows what jobs are about; their queue contains only their ids. */
  async #describe(jobs: readonly Job[]): Promise<void> {
    // The queue may be there without PostgreSQL.
    const subjects = await this.#subjects(jobs.flatMap(({ id }) => id ?? [])).catch((error) => {
      this.#log.warn({ err: error }, 'could not read what jobs are about');
      return [];
    });
    const known = new Map(subjects.map((subject) => [subject.id, subject]));
    for (const job of jobs) {
      const { file_name: file = null, collection = null } = known.get(job.id ?? '') ?? {};
      const subject = [file, collection].filter((part) => part !== null).join(' → ');
      if (subject === '') continue;
      job.name = `${job.name} ${subject}`;
      job.data = { file, collection };
    }
  }

  /** Removing a job cancels it; its row remains. */
  #ours(job: Job): Job {
    const { id } = job;
    assert(id !== undefined);
    job.retry = () => this.#actions.retry(id);
    job.remove = () => this.#actions.cancel(id);
    job.promote = refuse;
    job.updateData = refuse;
    job.changeDelay = refuse;
    job.changePriority = refuse;
    job.removeUnprocessedChildren = refuse;
    return job;
  }
}

/** The queues of the board, on either backend. */
export async function openBoardQueues(
  names: readonly QueueName[],
  { queues, ...parts }: BoardQueueParts & { readonly queues: Queues },
): Promise<readonly BoardQueue[]> {
  return await Promise.all(
    names.map(async (name) => {
      const queue: unknown = await openBullQueue(
        queues.serverName(name),
        queues.connection,
        parts.log,
      );
      // On PostgreSQL it is a subclass with different options.
      assert(queue instanceof Queue);
      return new BoardQueue(name, queue, parts);
    }),
  );
}
