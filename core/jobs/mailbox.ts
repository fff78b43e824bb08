/** The order of jobs within a mailbox: the lowest open sequence is the next to run. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import type { QueueName, Queues } from './queue.ts';

/** The jobs of a mailbox that may run now: its first one, when none of them runs. */
async function next(pool: Pool, schema: string, mailbox: string) {
  const jobs = systemTable(schema, 'jobs');
  const { rows } = await pool.query<{ id: string; queue: QueueName }>(
    render(sql`SELECT id, queue FROM ${jobs} WHERE mailbox = ${mailbox} AND state = 'waiting'
        AND NOT EXISTS (SELECT FROM ${jobs} WHERE mailbox = ${mailbox} AND state = 'running')
      ORDER BY sequence LIMIT 1`),
  );
  return rows[0] ?? null;
}

/**
 * Wakes the job that is next in a mailbox, if it has stepped aside; to be called whenever a job of
 * the mailbox has ended. Whoever misses the call is woken by its own delay, only later.
 */
export async function wakeNext(
  pool: Pool,
  schema: string,
  queues: Queues,
  mailbox: string | null,
): Promise<void> {
  if (mailbox === null) return;
  const job = await next(pool, schema, mailbox);
  if (job !== null) await queues.get(job.queue).promote(job.id);
}

/**
 * Wakes the one job that has just stepped aside if its turn came in the meantime: the wake-up that
 * it waits for may have come before it slept. No other job is woken, since that might be one that
 * waits for its next attempt.
 */
export async function wakeIfNext(
  pool: Pool,
  schema: string,
  queues: Queues,
  job: { readonly id: string; readonly mailbox: string },
): Promise<void> {
  const first = await next(pool, schema, job.mailbox);
  if (first?.id === job.id) await queues.get(first.queue).promote(job.id);
}
