/**
 * The turns of jobs: the order in which a queue works on jobs of several users. The jobs of one user
 * have successive turns, and the first one has the turn that the queue has reached. So users
 * alternate, and nobody waits for all jobs of somebody else.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import { isOpen } from './job.ts';
import type { QueueName } from './queue.ts';

/** Schema changes keep the order in which they were accepted, whoever sent them. */
const IN_TURNS: ReadonlySet<QueueName> = new Set<QueueName>(['transfer']);
/** BullMQ's highest priority number, which is the last to run. */
const LAST_PRIORITY = 2_097_152;

/** The turn of a new job, as an expression. */
export function nextTurn(schema: string, queue: QueueName, holder: string | null): Sql {
  if (!IN_TURNS.has(queue)) return sql`0`;
  const jobs = systemTable(schema, 'jobs');
  return sql`greatest(0,
    (SELECT max(turn) + 1 FROM ${jobs} WHERE queue = ${queue} AND holder = ${holder} AND ${isOpen}),
    coalesce(
      (SELECT max(turn) FROM ${jobs} WHERE queue = ${queue} AND state = 'running'),
      (SELECT min(turn) FROM ${jobs} WHERE queue = ${queue} AND state = 'waiting')))`;
}

/** The priority in the queue of a job with a turn; undefined for the order of arrival. */
export function priorityOf(queue: QueueName, turn: number): number | undefined {
  return IN_TURNS.has(queue) ? Math.min(turn + 1, LAST_PRIORITY) : undefined;
}
