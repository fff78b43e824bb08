/** The parts of cancelling that one job and many jobs have in common. */
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import { type ActingPerson, withAction } from '#core/jobs/job-action.ts';
import { wakeNext } from '#core/jobs/mailbox.ts';
import type { QueueName, Queues } from '#core/jobs/queue.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import { discardUpload } from '#core/transfer/upload.ts';

export interface CancelJobOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly queues: Queues;
  readonly bus: MessageBus;
  /** Holds the uploads of jobs. */
  readonly spool: Storage;
  readonly log: Log;
}

/** The row of a cancelled job; it is running until its worker ends it. */
export interface CancelledJob {
  readonly id: string;
  readonly state: string;
  readonly queue: QueueName;
  readonly mailbox: string | null;
  readonly message: unknown;
}

/** The assignments that cancel an open job, and the columns of {@link CancelledJob}. */
export function cancelling(by: ActingPerson): { readonly change: Sql; readonly columns: Sql } {
  const change = sql`cancel_requested = true,
    actions = CASE WHEN cancel_requested THEN actions ELSE ${withAction('cancel', by)} END,
    state = CASE state WHEN 'waiting' THEN 'cancelled' ELSE state END,
    finished_on = CASE state WHEN 'waiting' THEN now() END`;
  return { change, columns: sql`id, state, queue, mailbox, message` };
}

/** Tells everybody about a cancelled job after the commit, and discards what it no longer needs. */
export async function announceCancelled(
  { pool, schema, queues, bus, spool, log }: CancelJobOptions,
  job: CancelledJob,
  by: ActingPerson,
): Promise<void> {
  const { id } = job;
  log.info({ job: id, ...by }, 'a job was cancelled');
  // No delivery is running, and none can claim it any more.
  if (job.state === 'cancelled') await discardUpload(spool, job.message, log);
  try {
    if (job.state === 'running') return await bus.publish('job.cancel', { id });
    await bus.publish('job.finished', { id });
    await queues.get(job.queue).remove(id);
    await wakeNext(pool, schema, queues, job.mailbox);
  } catch (error) {
    // The message is only faster: a worker reads the row every second, and before it begins.
    log.warn({ err: error, job: id }, 'a cancelled job could not be announced');
  }
}
