/**
 * The switch of each queue: running, paused (starts no job) or draining (accepts no job, and
 * finishes waiting ones), and how many of its jobs each worker does at once. Both are stored in the
 * database, so they apply to every process and survive restarts. Pausing the queue's server as well
 * only saves deliveries.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { ActingPerson } from './job-action.ts';
import { QUEUE_NAMES, type QueueName } from './queue.ts';

export const QUEUE_SWITCHES = ['running', 'paused', 'draining'] as const;
export type QueueSwitch = (typeof QUEUE_SWITCHES)[number];

export interface SwitchedQueue {
  readonly name: QueueName;
  readonly state: QueueSwitch;
}

/** Maximum concurrent jobs of a queue on one worker, as of WORKER_CONCURRENCY. */
export const MOST_CONCURRENT = 100;

/** A queue with its settings, and when it was last switched. */
export interface QueueState extends SwitchedQueue {
  /** The jobs that each worker does at once; null for the configured number. */
  readonly concurrency: number | null;
  /** Milliseconds since 1970; 0 when it was never changed. */
  readonly changed: number;
}

/** Every queue with its settings. */
export async function queueStates(pool: Pool, schema: string): Promise<readonly QueueState[]> {
  const { rows } = await pool.query<
    SwitchedQueue & { concurrency: number | null; changed_on: Date }
  >(render(sql`SELECT name, state, concurrency, changed_on FROM ${systemTable(schema, 'queues')}`));
  const found = new Map(rows.map((row) => [row.name, row]));
  return QUEUE_NAMES.map((name) => {
    const { state = 'running', concurrency = null, changed_on: changed } = found.get(name) ?? {};
    return { name, state, concurrency, changed: changed?.getTime() ?? 0 };
  });
}

/** Sets the switch of a queue. */
export async function switchQueue(
  pool: Pool,
  schema: string,
  { name, state, user, operator }: SwitchedQueue & ActingPerson,
): Promise<void> {
  await pool.query(
    render(sql`INSERT INTO ${systemTable(schema, 'queues')} (name, state, changed_by, operator)
      VALUES (${name}, ${state}, ${user}, ${operator})
      ON CONFLICT (name) DO UPDATE
      SET state = excluded.state, changed_by = excluded.changed_by, operator = excluded.operator,
        changed_on = now()`),
  );
}

/**
 * Sets how many jobs of a queue each worker does at once; null for the configured number. `changed_on`
 * stays: it tells since when the queue runs, which the age of waiting jobs is counted from.
 */
export async function limitQueue(
  pool: Pool,
  schema: string,
  { name, concurrency, user, operator }: Pick<QueueState, 'name' | 'concurrency'> & ActingPerson,
): Promise<void> {
  await pool.query(
    render(sql`INSERT INTO ${systemTable(schema, 'queues')}
        (name, state, concurrency, changed_by, operator)
      VALUES (${name}, 'running', ${concurrency}, ${user}, ${operator})
      ON CONFLICT (name) DO UPDATE
      SET concurrency = excluded.concurrency, changed_by = excluded.changed_by,
        operator = excluded.operator`),
  );
}
