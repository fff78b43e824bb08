/**
 * The turns of jobs: the order in which a queue processes jobs of several users. The jobs of one
 * user have successive turns, and the first one has the turn that the queue has reached. So users
 * alternate, and no user waits for all jobs of another. Jobs that an administrator moved first have
 * negative turns.
 */
import { type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isOpen } from './job.ts';
import type { QueueName } from './queue.ts';

/** Schema changes run in the order in which they were accepted, regardless of the sender. */
const IN_TURNS: ReadonlySet<QueueName> = new Set<QueueName>(['transfer', 'images']);
/** BullMQ's highest priority number, which is the last to run. */
const LAST_PRIORITY = 2_097_152;

/** The last turn of the open jobs of a user. */
function lastTurn(schema: string, queue: QueueName, holder: string | null): Sql {
  return sql`(SELECT max(turn) FROM ${systemTable(schema, 'jobs')}
    WHERE queue = ${queue} AND holder = ${holder} AND ${isOpen})`;
}

/**
 * The turn of a new job, as an expression.
 * @param last the last turn of its user; looked up when omitted
 */
export function nextTurn(
  schema: string,
  queue: QueueName,
  holder: string | null,
  last: Sql = lastTurn(schema, queue, holder),
): Sql {
  if (!IN_TURNS.has(queue)) return sql`0`;
  const jobs = systemTable(schema, 'jobs');
  // Jobs that were moved first say nothing about the turn that the queue has reached.
  return sql`greatest(0, ${last} + 1,
    coalesce(
      (SELECT max(turn) FROM ${jobs} WHERE queue = ${queue} AND state = 'running' AND turn >= 0),
      (SELECT min(turn) FROM ${jobs} WHERE queue = ${queue} AND state = 'waiting' AND turn >= 0)))`;
}

/** Whether a job was moved before all others of its queue. */
export function isMovedFirst(turn: number): boolean {
  return turn < 0;
}

/**
 * The priority in the queue of a job with a turn; undefined for the order of arrival, and for jobs
 * that were moved first, which run before all with a priority.
 */
export function priorityOf(queue: QueueName, turn: number): number | undefined {
  return IN_TURNS.has(queue) && !isMovedFirst(turn) ? Math.min(turn + 1, LAST_PRIORITY) : undefined;
}
