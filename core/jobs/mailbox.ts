/**
 * Determines which jobs belong in their queues: those without a mailbox, and the one of each
 * mailbox that may run now. When it ends, the next one is added.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { QueueName, Queues, TakingQueues } from './queue.ts';
import { canRun } from './reached-storage.ts';
import { isMovedFirst, priorityOf } from './turn.ts';

/** The data of a job that its queue needs. */
export interface QueueableJob {
  readonly id: string;
  readonly kind: string;
  readonly queue: QueueName;
  readonly turn: number;
}

/** The job of a mailbox that may run now: the first one, while no job of the mailbox runs. */
function nextIn(schema: string, mailbox: string, own: string | null = null): Sql {
  const jobs = systemTable(schema, 'jobs');
  // Ordered by the column, as in the index, not by the converted number.
  return sql`SELECT j.id, j.kind, j.queue, j.turn::float8 AS turn FROM ${jobs} j
    WHERE j.mailbox = ${mailbox} AND j.state = 'waiting'
      AND (j.id = ${own}::uuid OR ${canRun(schema, sql`j.storage`)})
      AND NOT EXISTS (SELECT FROM ${jobs} WHERE mailbox = ${mailbox} AND state = 'running')
    ORDER BY j.turn, j.sequence LIMIT 1`;
}

/** The same as a JSON object, for use in a larger statement. */
export function nextAsJson(schema: string, mailbox: string | null): Sql {
  if (mailbox === null) return sql`NULL`;
  return sql`(SELECT row_to_json(n.*) FROM (${nextIn(schema, mailbox)}) n)`;
}

async function next(
  pool: Pool,
  schema: string,
  mailbox: string,
  own: string | null = null,
): Promise<QueueableJob | null> {
  const { rows } = await pool.query<QueueableJob>(render(nextIn(schema, mailbox, own)));
  return rows[0] ?? null;
}

/** Adds a job to its queue; an existing job in the queue stays unchanged. */
export async function enqueue(
  queues: TakingQueues,
  { id, kind, queue, turn }: QueueableJob,
  options: { readonly delay?: number } = {},
): Promise<void> {
  const priority = priorityOf(queue, turn);
  await queues.get(queue).add(id, kind, {
    ...options,
    ...(priority === undefined ? {} : { priority }),
    ...(isMovedFirst(turn) && { lifo: true }),
  });
}

/** Ensures that the queue delivers a job soon. */
export async function wake(queues: Queues, job: QueueableJob): Promise<void> {
  const queue = queues.get(job.queue);
  const state = await queue.state(job.id);
  if (state === 'delayed') await queue.promote(job.id);
  else if (state === 'unknown') await enqueue(queues, job);
}

/**
 * Adds or wakes the next job of a mailbox. Called when a job of the mailbox ends. If this call
 * fails, the reconciler does it later.
 */
export async function wakeNext(
  pool: Pool,
  schema: string,
  queues: Queues,
  mailbox: string | null,
): Promise<void> {
  if (mailbox === null) return;
  const job = await next(pool, schema, mailbox);
  if (job !== null) await wake(queues, job);
}

/**
 * Wakes a job that was just put aside if it has become the next one, because its wake-up may have
 * preceded the delay. Other jobs are not woken, because they may wait for a retry.
 */
export async function wakeIfNext(
  pool: Pool,
  schema: string,
  queues: Queues,
  job: { readonly id: string; readonly mailbox: string },
): Promise<void> {
  const first = await next(pool, schema, job.mailbox);
  if (first?.id === job.id) await wake(queues, first);
}

/** Adds a new job to its queue, unless another one of its mailbox comes first. */
export async function enqueueInTurn(
  pool: Pool,
  schema: string,
  queues: TakingQueues,
  job: QueueableJob & { readonly mailbox: string | null },
): Promise<void> {
  if (job.mailbox !== null) {
    const first = await next(pool, schema, job.mailbox, job.id);
    if (first?.id !== job.id) return;
  }
  await enqueue(queues, job);
}
