/** The order of jobs in a mailbox: the lowest open sequence runs next. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import type { QueueName, Queues } from './queue.ts';

/** The jobs of a mailbox that may run now: the first one, when none runs. */
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
 * Wakes the next job of a mailbox when it was put aside. Called when a job of the mailbox ends.
 * When the call is missed, the job wakes by its own delay, only later.
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
 * Wakes a job that was just put aside when its turn came meanwhile: its wake-up may have come
 * before it was delayed. Other jobs are not woken, because they might wait for a retry.
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
