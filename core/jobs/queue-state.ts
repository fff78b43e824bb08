/**
 * The switch of each queue: running, paused (begins no job) or draining (accepts none, and does those
 * that wait). The database has it, so it holds for every process and survives restarts; pausing the
 * queue's server as well only saves deliveries.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import type { ActingPerson } from './job-action.ts';
import { QUEUE_NAMES, type QueueName } from './queue.ts';

export const QUEUE_SWITCHES = ['running', 'paused', 'draining'] as const;
export type QueueSwitch = (typeof QUEUE_SWITCHES)[number];

export interface SwitchedQueue {
  readonly name: QueueName;
  readonly state: QueueSwitch;
}

/** Every queue with its switch. */
export async function queueStates(pool: Pool, schema: string): Promise<readonly SwitchedQueue[]> {
  const { rows } = await pool.query<SwitchedQueue>(
    render(sql`SELECT name, state FROM ${systemTable(schema, 'queues')}`),
  );
  const states = new Map(rows.map(({ name, state }) => [name, state]));
  return QUEUE_NAMES.map((name) => ({ name, state: states.get(name) ?? 'running' }));
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
