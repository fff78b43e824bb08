/** The order of jobs within a mailbox: the lowest open sequence is the next to run. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import { isOpen } from './job.ts';
import type { QueueName, Queues } from './queue.ts';

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
  const { rows } = await pool.query<{ id: string; queue: QueueName }>(
    render(sql`SELECT id, queue FROM ${systemTable(schema, 'jobs')}
      WHERE mailbox = ${mailbox} AND ${isOpen} ORDER BY sequence LIMIT 1`),
  );
  for (const { id, queue } of rows) await queues.get(queue).promote(id);
}
