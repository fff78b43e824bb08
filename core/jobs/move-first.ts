/**
 * Moves waiting jobs before all others of their queue. Among themselves they keep the order in which
 * they were submitted; jobs that are moved later run before those that were moved earlier.
 */
import type { Client, Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { type ActingPerson, withAction } from './job-action.ts';
import { type QueueableJob, wakeNext } from './mailbox.ts';
import type { QueueName, Queues } from './queue.ts';

/** Its jobs build on those before them, so their order is fixed. */
export const FIXED_ORDER: QueueName = 'schema';

/** A job that was moved first. */
export interface MovedJob extends QueueableJob {
  readonly mailbox: string | null;
}

/**
 * Gives jobs the first turns of their queues, in a transaction that the caller commits. The queues
 * change before the commit: a crash in between only leads to a repetition.
 * @param ids jobs that no longer wait stay as they are
 * @returns the moved jobs, for {@link wakeMoved} after the commit
 * @throws ServiceError SERVICE_UNAVAILABLE when the server of a queue is unavailable
 */
export async function moveFirst(
  client: Client,
  schema: string,
  queues: Queues,
  { ids, by }: { readonly ids: readonly string[]; readonly by: ActingPerson },
): Promise<readonly MovedJob[]> {
  const jobs = systemTable(schema, 'jobs');
  const isChosen = sql`id = ANY(${[...ids]}::uuid[]) AND state = 'waiting'
    AND NOT cancel_requested AND queue <> ${FIXED_ORDER}`;
  // In one order, so that two changes do not wait for each other.
  await client.query(
    render(sql`SELECT FROM ${jobs} WHERE ${isChosen} ORDER BY sequence FOR NO KEY UPDATE`),
  );
  const { rows } = await client.query<MovedJob>(
    render(sql`WITH chosen AS (
        SELECT id, queue, row_number() OVER (PARTITION BY queue ORDER BY sequence DESC) AS place
        FROM ${jobs} WHERE ${isChosen}),
      front AS (
        SELECT q.queue, least(0, (SELECT min(turn) FROM ${jobs} AS w
          WHERE w.queue = q.queue AND w.state = 'waiting')) AS turn
        FROM (SELECT DISTINCT queue FROM chosen) AS q),
      moved AS (
        UPDATE ${jobs} AS j SET turn = f.turn - c.place, actions = ${withAction('first', by)}
        FROM chosen AS c JOIN front AS f USING (queue) WHERE j.id = c.id
        RETURNING j.id, j.kind, j.queue, j.mailbox, j.turn)
      SELECT id, kind, queue, mailbox, turn::float8 AS turn FROM moved ORDER BY turn DESC`),
  );
  // The last one first, because each goes before all others.
  for (const { id, queue } of rows) await queues.get(queue).moveFirst(id);
  return rows;
}

/** Adds moved jobs to their queues that are now the next ones of their mailboxes. */
export async function wakeMoved(
  pool: Pool,
  schema: string,
  queues: Queues,
  moved: readonly MovedJob[],
): Promise<void> {
  const mailboxes = new Set(moved.map(({ mailbox }) => mailbox));
  for (const mailbox of mailboxes) await wakeNext(pool, schema, queues, mailbox);
}
