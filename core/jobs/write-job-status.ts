/**
 * The updates of workers to `system_jobs`. Each delivery has an attempt number, and only the latest
 * delivery may write. So a worker that resumes after a freeze detects that it is superseded.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorEntry } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { transaction } from '#core/database/pool.ts';
import { join, render, type Sql, sql } from '#core/database/sql.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isOpen, type JobState, type RejectedRow } from './job.ts';
import { storedJson } from './storable-json.ts';

/** One delivery of a job. */
export interface Delivery {
  readonly id: string;
  readonly attempt: number;
}

/** The delivery is no longer the current one, or its job was cancelled, so it must not write. */
export class SupersededError extends Error {
  constructor(delivery: Delivery) {
    super(`attempt ${delivery.attempt} of job ${delivery.id} is not to be completed any more`);
    this.name = 'SupersededError';
  }
}

/** A pool, or the client of a transaction. */
type Queryable = Pick<Pool, 'query'>;

/** Maximum errors in the row of the job; the table of rejected rows contains the rest. */
const SHOWN_ERRORS = 100;
const STORED_AT_ONCE = 1_000;
const MOST_FAILURES = 100;
const ENDED_WITHIN_MS = 10_000;

function current({ id, attempt }: Delivery): Sql {
  return sql`id = ${id} AND attempt = ${attempt} AND state = 'running'`;
}

async function update(db: Queryable, schema: string, change: Sql, where: Sql): Promise<boolean> {
  const { rowCount } = await db.query(
    render(sql`UPDATE ${systemTable(schema, 'jobs')} j SET ${change} WHERE ${where}`),
  );
  return rowCount === 1;
}

/** The failed attempts including the current one, up to a maximum. */
export function withFailure(reason: string, more: Sql = sql`'{}'::jsonb`): Sql {
  return sql`CASE WHEN jsonb_array_length(failures) >= ${MOST_FAILURES} THEN failures ELSE
    failures || jsonb_build_array(jsonb_build_object('attempt', attempt, 'reason', ${reason}::text,
      'on', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      || ${more}) END`;
}

/** The upload of a job, which remains when the job fails. */
const upload = sql`CASE WHEN message -> 'file' ->> 'id' ~ '^[0-9a-f-]{36}$'
  THEN (message -> 'file' ->> 'id')::uuid END`;

/** The columns that are set when a job ends. */
function ended(state: JobState, ...more: Sql[]): Sql {
  const fixed = sql`state = ${state}, finished_on = clock_timestamp(), backend_pid = NULL,
    backend_start = NULL`;
  return join([fixed, ...more]);
}

/** Values that are written together with the result of a job. */
export interface CompletedParts {
  readonly keptFile?: string | null;
  readonly progress?: JobProgress | null;
  /** Further members of the result, computed from the row `j` of the job. */
  readonly members?: Sql;
}

/**
 * Completes a job with its result. In a transactional actor this is the last statement of its
 * transaction, so that work and result commit together.
 * @param result any JSON value
 * @param parts.keptFile the id of a file in the spool that belongs to the result
 * @param parts.members an SQL object that is added to the result
 * @param parts.progress the last one; later reports are written separately
 * @throws {SupersededError} when the attempt is no longer current or the job was cancelled; the
 *   transaction must then be rolled back
 */
export async function completeJob(
  client: Queryable,
  schema: string,
  delivery: Delivery,
  result: unknown,
  { keptFile = null, progress = null, members }: CompletedParts = {},
): Promise<void> {
  const json = storedJson(result ?? null);
  const kept = sql`kept_file = ${keptFile}`;
  const more = progress === null ? [] : [sql`progress = ${storedJson(progress)}`];
  const whole = members === undefined ? sql`${json}` : sql`${json}::jsonb || ${members}`;
  const change = ended('completed', sql`result = ${whole}`, sql`error = NULL`, kept, ...more);
  const where = sql`${current(delivery)} AND NOT cancel_requested`;
  if (!(await update(client, schema, change, where))) throw new SupersededError(delivery);
}

/**
 * Records the result within the transaction of the work, although the job continues. After the
 * commit the work is done, a later delivery finds the result, and the job cannot be cancelled.
 * @throws {SupersededError} as {@link completeJob}
 */
export async function recordResult(
  client: Queryable,
  schema: string,
  delivery: Delivery,
  result: unknown,
): Promise<void> {
  const where = sql`${current(delivery)} AND NOT cancel_requested`;
  const change = sql`result = ${storedJson(result)}`;
  if (!(await update(client, schema, change, where))) throw new SupersededError(delivery);
}

/** The result that an earlier delivery recorded with {@link recordResult}; null without one. */
export async function recordedResult(db: Queryable, schema: string, id: string): Promise<unknown> {
  const { rows } = await db.query<{ result: unknown }>(
    render(sql`SELECT result FROM ${systemTable(schema, 'jobs')} WHERE id = ${id}`),
  );
  return rows[0]?.result ?? null;
}

/**
 * Records the state of a job that works in steps, in the transaction of a step.
 * @throws {SupersededError} as {@link completeJob}
 */
export async function recordCheckpoint(
  client: Queryable,
  schema: string,
  delivery: Delivery,
  checkpoint: unknown,
): Promise<void> {
  const where = sql`${current(delivery)} AND NOT cancel_requested`;
  const change = sql`checkpoint = ${storedJson(checkpoint)}`;
  if (!(await update(client, schema, change, where))) throw new SupersededError(delivery);
}

/** The state after the last step of any delivery; null before the first one. */
export async function recordedCheckpoint(
  db: Queryable,
  schema: string,
  id: string,
): Promise<unknown> {
  const { rows } = await db.query<{ checkpoint: unknown }>(
    render(sql`SELECT checkpoint FROM ${systemTable(schema, 'jobs')} WHERE id = ${id}`),
  );
  return rows[0]?.checkpoint ?? null;
}

/** A session of the database. */
export interface Backend {
  readonly pid: number;
  /** A text, because a date would lose the microseconds. */
  readonly start: string;
}

/** Cached because a connection never changes its session, and the lookup scans all sessions. */
const backends = new WeakMap<Queryable, Backend>();

/** The session of a connection. */
export async function backendOf(client: Queryable): Promise<Backend> {
  const known = backends.get(client);
  if (known !== undefined) return known;
  const { rows } = await client.query<Backend>(
    `SELECT pid, to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00') AS start
     FROM pg_stat_activity WHERE pid = pg_backend_pid()`,
  );
  const [backend] = rows;
  if (backend === undefined) throw new Error('the server does not show the session of a job');
  backends.set(client, backend);
  return backend;
}

/**
 * Records the session of `client` as that of the delivery, so that a successor can end it. Must run
 * outside of a transaction.
 * @throws {SupersededError} as {@link completeJob}
 */
export async function recordBackend(
  client: Queryable,
  schema: string,
  delivery: Delivery,
): Promise<void> {
  const { pid, start } = await backendOf(client);
  const change = sql`backend_pid = ${pid}, backend_start = ${start}::timestamptz`;
  const where = sql`${current(delivery)} AND NOT cancel_requested`;
  if (!(await update(client, schema, change, where))) throw new SupersededError(delivery);
}

/**
 * Ends the session of the job's latest delivery and waits until it has ended.
 * @param attempt only when this is the latest delivery; null for any
 */
export async function endBackend(
  pool: Pool,
  schema: string,
  { id, attempt }: { readonly id: string; readonly attempt: number | null },
): Promise<void> {
  const statement = render(sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE (pid, backend_start) =
      (SELECT backend_pid, backend_start FROM ${systemTable(schema, 'jobs')}
        WHERE id = ${id} AND ${isOpen} AND attempt = coalesce(${attempt}, attempt))`);
  const deadline = performance.now() + ENDED_WITHIN_MS;
  while ((await pool.query(statement)).rows.length > 0) {
    if (performance.now() > deadline) throw new Error(`the session of job ${id} does not end`);
    await delay(20);
  }
}

/** Stores rejected rows of a job, in their order. */
export async function storeRejected(
  client: Queryable,
  schema: string,
  job: string,
  rejected: readonly Readonly<Record<keyof RejectedRow, unknown>>[],
): Promise<void> {
  for (let from = 0; from < rejected.length; from += STORED_AT_ONCE) {
    const rows = rejected
      .slice(from, from + STORED_AT_ONCE)
      .map((row, index) => ({ ...row, position: from + index }));
    await client.query(
      render(sql`INSERT INTO ${systemTable(schema, 'job_errors')}
        (job, position, "row", field, value, reason, code, reason_code, reason_parameters)
        SELECT ${job}::uuid, e.* FROM json_to_recordset(${storedJson(rows)}::json)
          AS e(position int, "row" bigint, field text, value text, reason text, code text,
            reason_code text, reason_parameters jsonb)`),
    );
  }
}

/** Fails a job and retains its upload; errors of rows are also stored as rejected rows. */
export async function failJob(
  pool: Pool,
  schema: string,
  delivery: Delivery,
  errors: readonly ErrorEntry[],
): Promise<boolean> {
  const shown = storedJson(errors.slice(0, SHOWN_ERRORS));
  return await transaction(pool, async (client) => {
    const failures = sql`failures = ${withFailure(errors[0]?.message ?? '')}`;
    const kept = sql`kept_file = ${upload}`;
    const change = ended('failed', sql`error = ${shown}`, failures, kept);
    if (!(await update(client, schema, change, current(delivery)))) return false;
    const rejected = errors.filter(({ extensions }) => typeof extensions.row === 'number');
    const rows = rejected.map(({ message, extensions }) => ({
      row: extensions.row,
      field: extensions.field ?? null,
      value: extensions.value ?? null,
      reason: extensions.reason ?? message,
      code: extensions.code,
      reason_code: extensions.reason_code ?? null,
      reason_parameters: extensions.reason_parameters ?? null,
    }));
    await storeRejected(client, schema, delivery.id, rows);
    return true;
  });
}

/** Ends a running job as cancelled. */
export async function cancelJob(pool: Pool, schema: string, delivery: Delivery): Promise<boolean> {
  return await update(pool, schema, ended('cancelled'), current(delivery));
}

/** Returns a running job to state waiting, for another delivery. */
export async function giveBack(
  pool: Pool,
  schema: string,
  delivery: Delivery,
  reason: string,
): Promise<boolean> {
  const change = sql`state = 'waiting', backend_pid = NULL, backend_start = NULL,
    failures = ${withFailure(reason)}`;
  return await update(pool, schema, change, current(delivery));
}

/**
 * Returns a job whose attempt an outage of the database ended. It refuses when outages have ended
 * attempts for so long that the job may be their cause.
 * @param within milliseconds since the first of these attempts
 * @returns the number of lost attempts so far; `late` past that time; `superseded` as {@link
 *   giveBack}
 */
export async function giveBackAfterOutage(
  pool: Pool,
  schema: string,
  delivery: Delivery,
  { reason, within }: { readonly reason: string; readonly within: number },
): Promise<number | 'late' | 'superseded'> {
  const jobs = systemTable(schema, 'jobs');
  const lost = sql`FROM jsonb_array_elements(failures) AS f WHERE f -> 'outage' = 'true'`;
  const { rows } = await pool.query<{ lost: number; age: number }>(
    render(sql`SELECT (SELECT count(*) ${lost})::int AS lost, coalesce(extract(epoch FROM now() -
        (SELECT min((f ->> 'on')::timestamptz) ${lost})) * 1000, 0)::float8 AS age
      FROM ${jobs} WHERE ${current(delivery)}`),
  );
  const [found] = rows;
  if (found === undefined) return 'superseded';
  if (found.age > within) return 'late';
  const failures = withFailure(reason, sql`'{"outage": true}'::jsonb`);
  const change = sql`state = 'waiting', backend_pid = NULL, backend_start = NULL,
    failures = ${failures}`;
  return (await update(pool, schema, change, current(delivery))) ? found.lost + 1 : 'superseded';
}

/**
 * Fails an open job that the queue has abandoned.
 * @returns its previous state; null when it had already ended
 */
export async function abandonJob(
  pool: Pool,
  schema: string,
  id: string,
  errors: readonly ErrorEntry[],
): Promise<{ readonly mailbox: string | null } | null> {
  await endBackend(pool, schema, { id, attempt: null });
  const { rows } = await pool.query<{ mailbox: string | null }>(
    render(sql`UPDATE ${systemTable(schema, 'jobs')}
      SET ${ended(
        'failed',
        sql`error = ${storedJson(errors)}`,
        sql`failures = ${withFailure(errors[0]?.message ?? '')}`,
        sql`kept_file = ${upload}`,
      )}
      WHERE id = ${id} AND ${isOpen} RETURNING mailbox`),
  );
  return rows[0] ?? null;
}
