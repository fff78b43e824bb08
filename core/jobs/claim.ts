/** Claims jobs for workers: at most one delivery of a job at a time, and each mailbox in order. */
import type { Client, Pool } from '#core/database/pool.ts';
import { transaction } from '#core/database/pool.ts';
import { simpleQuery } from '#core/database/simple-query.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { FINAL_STATES, isOpen, type JobState } from './job.ts';
import { canRun } from './reached-storage.ts';
import { type Backend, backendOf, endBackend, withFailure } from './write-job-status.ts';

/** A claimed job: only this delivery may do its work. */
export interface ClaimedJob {
  readonly id: string;
  readonly attempt: number;
  readonly kind: string;
  readonly mailbox: string | null;
  readonly message: unknown;
  readonly messageVersion: number;
  readonly user: string | null;
  /** The account whose quotas count the job. */
  readonly holder: string | null;
  /** The id of the request that submitted it; null without one. */
  readonly requestId: string | null;
  /** Its trace (W3C Trace Context); null without one. */
  readonly traceparent: string | null;
  /** The version of the catalog when the job was accepted. */
  readonly catalog: number;
}

/**
 * The result of a claim:
 * - `claimed`: the work is to be done; `isOnSession` when its row contains the session of the
 *   claim;
 * - `aside`: another job of the mailbox comes first; without a mailbox, the queue is paused or the
 *   job is for workers of another release;
 * - `elsewhere`: it needs a storage that this worker cannot access; `age` in milliseconds;
 * - `ended`: it has already ended, or was cancelled just now (`now`);
 * - `gone`: the job does not exist.
 */
export type Claim =
  | { readonly outcome: 'claimed'; readonly job: ClaimedJob; readonly isOnSession: boolean }
  | { readonly outcome: 'aside'; readonly mailbox: string | null }
  | { readonly outcome: 'elsewhere'; readonly age: number }
  | {
      readonly outcome: 'ended';
      readonly mailbox: string | null;
      readonly message: unknown;
      readonly state: JobState;
      readonly now: boolean;
    }
  | { readonly outcome: 'gone' };

interface ClaimableJob {
  readonly state: JobState;
  readonly mailbox: string | null;
  readonly message: unknown;
  readonly cancel_requested: boolean;
  /** Its queue is paused, or only workers of another release can read its message. */
  readonly held: boolean;
}

/** The kinds of jobs that a worker supports, each with the latest version of its message. */
export type ReadableVersions = Readonly<Record<string, number>>;

/** The worker that claims a job. */
export interface Claimant {
  readonly readable: ReadableVersions;
  /** The connection for the work; it is recorded with the claim. */
  readonly session?: Client | null;
  /** The identity of the storage that the worker can use now; null without one. */
  readonly storage?: string | null;
}

/** The reason of a failed attempt that did not record its end. */
const LOST_WORKER = 'Its worker did not answer any more.';
/** Maximum wait for the row lock, which a delivery without a recorded session may hold. */
const LOCK_WITHIN = '5s';

/**
 * Whether this release can read the message of a job; a kind without a version belongs to another
 * release.
 */
function isReadable(readable: ReadableVersions): Sql {
  return sql`message_version <= coalesce((${JSON.stringify(readable)}::jsonb ->> kind)::int, 0)`;
}

/** Whether the job needs a storage other than the worker's. */
function isElsewhere(storage: string | null): Sql {
  return sql`(storage IS NOT NULL AND storage IS DISTINCT FROM ${storage}::text)`;
}

/** The properties of a worker that the row of a claimed job records. */
interface Taker {
  readonly readable: ReadableVersions;
  readonly storage: string | null;
  readonly backend: Backend | null;
}

/**
 * Claims a job that may run. A trigger refuses workers of releases that do not set the attempt
 * themselves.
 */
function taking(schema: string, id: string, { readable, storage, backend }: Taker): Sql {
  const jobs = systemTable(schema, 'jobs');
  return sql`UPDATE ${jobs} j SET state = 'running', attempt = attempt + 1,
        readable_attempt = attempt + 1, started_on = coalesce(started_on, now()),
        claimed_on = clock_timestamp(), backend_pid = ${backend?.pid ?? null},
        backend_start = ${backend?.start ?? null}::timestamptz,
        progress = NULL,
        failures = CASE state WHEN 'running' THEN ${withFailure(LOST_WORKER, sql`'{"lost": true}'::jsonb`)} ELSE failures END
      WHERE id = ${id} AND ${isOpen} AND NOT cancel_requested AND ${isReadable(readable)}
        AND NOT ${isElsewhere(storage)}
        AND (mailbox IS NULL OR NOT EXISTS (
          SELECT FROM ${jobs} o WHERE o.mailbox = j.mailbox AND o.id <> j.id
            AND (o.state = 'running'
              OR o.state = 'waiting' AND (o.turn, o.sequence) < (j.turn, j.sequence)
                AND ${canRun(schema, sql`o.storage`)})))
        AND NOT EXISTS (SELECT FROM ${systemTable(schema, 'queues')} q
          WHERE q.name = j.queue AND q.state = 'paused')`;
}

const CLAIMED = sql`RETURNING id, attempt, kind, mailbox, message,
  message_version AS "messageVersion", "user", holder,
  request_id AS "requestId", traceparent, catalog::float8 AS catalog`;

/** Sets the lock timeout of the claim, and locks its mailbox. */
function locks(schema: string, id: string): readonly [Sql, Sql] {
  return [
    sql`SELECT set_config('lock_timeout', ${LOCK_WITHIN}, true)`,
    // Without the lock, two claims of one mailbox would both find the other job waiting.
    sql`SELECT pg_advisory_xact_lock(hashtextextended(
        ${`sluice mailbox ${schema} `} || mailbox, 0))
      FROM ${systemTable(schema, 'jobs')} WHERE id = ${id} AND mailbox IS NOT NULL`,
  ];
}

/**
 * Claims a job without an active session, which is the usual case. One message contains all
 * statements in one transaction, and each statement sees earlier commits. Null when further steps
 * are necessary.
 */
async function claimFree(
  client: Client,
  schema: string,
  id: string,
  by: Taker,
): Promise<ClaimedJob | null> {
  const take = sql`${taking(schema, id, by)} AND backend_pid IS NULL ${CLAIMED}`;
  const results = await simpleQuery<ClaimedJob>(client, [...locks(schema, id), take]);
  return results.at(-1)?.rows[0] ?? null;
}

/** Leaves an open job to a worker with access to its storage; cancelling it needs no storage. */
async function elsewhere(
  pool: Pool,
  schema: string,
  id: string,
  storage: string | null,
): Promise<Claim | null> {
  const { rows } = await pool.query<{ age: number }>(
    render(sql`SELECT greatest(0, extract(epoch FROM now() - created_on) * 1000)::float8 AS age
      FROM ${systemTable(schema, 'jobs')}
      WHERE id = ${id} AND ${isOpen} AND NOT cancel_requested AND ${isElsewhere(storage)}`),
  );
  const [row] = rows;
  return row === undefined ? null : { outcome: 'elsewhere', age: row.age };
}

/**
 * Claims a job for a new delivery. First it ends the session of an earlier delivery. That worker is
 * frozen or disconnected; otherwise the queue would not have delivered the job again.
 */
export async function claimJob(
  pool: Pool,
  schema: string,
  id: string,
  { readable, session = null, storage = null }: Claimant,
): Promise<Claim> {
  const backend = session === null ? null : await backendOf(session);
  const free = await claimFree(session ?? pool, schema, id, { readable, storage, backend });
  if (free !== null) return { outcome: 'claimed', job: free, isOnSession: session !== null };
  const jobs = systemTable(schema, 'jobs');
  const away = await elsewhere(pool, schema, id, storage);
  if (away !== null) return away;
  await endBackend(pool, schema, { id, attempt: null });
  return await transaction(pool, async (client): Promise<Claim> => {
    for (const lock of locks(schema, id)) await client.query(render(lock));
    const taken = await client.query<ClaimedJob>(
      render(sql`${taking(schema, id, { readable, storage, backend: null })} ${CLAIMED}`),
    );
    const [job] = taken.rows;
    if (job !== undefined) return { outcome: 'claimed', job, isOnSession: false };
    const { rows } = await client.query<ClaimableJob>(
      render(sql`SELECT state, mailbox, message, cancel_requested,
          NOT ${isReadable(readable)} OR EXISTS (SELECT FROM ${systemTable(schema, 'queues')} q
            WHERE q.name = queue AND q.state = 'paused') AS held
        FROM ${jobs} WHERE id = ${id} FOR UPDATE`),
    );
    const [row] = rows;
    if (row === undefined) return { outcome: 'gone' };
    const { mailbox, message } = row;
    const { state } = row;
    if (FINAL_STATES.has(state)) return { outcome: 'ended', mailbox, message, state, now: false };
    // No event wakes such a job; it is only delivered again later.
    if (!row.cancel_requested) return { outcome: 'aside', mailbox: row.held ? null : mailbox };
    await client.query(
      render(sql`UPDATE ${jobs} SET state = 'cancelled', finished_on = clock_timestamp(),
        backend_pid = NULL, backend_start = NULL WHERE id = ${id}`),
    );
    return { outcome: 'ended', mailbox, message, state: 'cancelled', now: true };
  });
}
