/** Job statistics for the operator: the queues, the age of their oldest job, rates and failures. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { QUEUE_NAMES, type QueueName } from '#core/jobs/queue.ts';
import { systemTable } from '#core/model/system/system-table.ts';

export interface QueueFacts {
  readonly name: QueueName;
  /** `running`, `paused` or `draining`. */
  readonly state: string;
  readonly waiting: number;
  readonly running: number;
  /** Seconds since the oldest waiting job was submitted; 0 without one. */
  readonly oldest: number;
}

/** The number of jobs of a kind that ended in a state within the last hour. */
export interface EndedJobs {
  readonly kind: string;
  readonly state: string;
  readonly jobs: number;
  /** Average run time in seconds. */
  readonly seconds: number;
}

export interface FailedJob {
  readonly id: string;
  readonly kind: string;
  readonly collection: string | null;
  /** ISO-8601 in UTC. */
  readonly on: string;
  readonly reason: string;
}

export interface OverviewParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
}

const FAILURES = 10;

export async function queueOverview({
  pool,
  schema,
}: OverviewParts): Promise<readonly QueueFacts[]> {
  const { rows } = await pool.query<QueueFacts>(
    render(sql`SELECT q.name, coalesce(s.state, 'running') AS state,
        coalesce(j.waiting, 0)::float8 AS waiting, coalesce(j.running, 0)::float8 AS running,
        coalesce(extract(epoch FROM clock_timestamp() - j.oldest), 0)::float8 AS oldest
      FROM unnest(${[...QUEUE_NAMES]}::text[]) WITH ORDINALITY AS q(name, place)
        LEFT JOIN ${systemTable(schema, 'queues')} AS s USING (name)
        LEFT JOIN (SELECT queue, count(*) FILTER (WHERE state = 'waiting') AS waiting,
            count(*) FILTER (WHERE state = 'running') AS running,
            min(created_on) FILTER (WHERE state = 'waiting') AS oldest
          FROM ${systemTable(schema, 'jobs')} WHERE state IN ('waiting', 'running')
          GROUP BY queue) AS j ON j.queue = q.name
      ORDER BY q.place`),
  );
  return rows;
}

/** Sessions that have not expired. */
export async function liveSessions({ pool, schema }: OverviewParts): Promise<number> {
  const { rows } = await pool.query<{ sessions: number }>(
    render(sql`SELECT count(*)::float8 AS sessions FROM ${systemTable(schema, 'sessions')}
      WHERE expires > now()`),
  );
  return rows[0]?.sessions ?? 0;
}

export async function endedJobs({ pool, schema }: OverviewParts): Promise<readonly EndedJobs[]> {
  const { rows } = await pool.query<EndedJobs>(
    render(sql`SELECT kind, state, count(*)::float8 AS jobs,
        coalesce(avg(extract(epoch FROM finished_on - started_on)), 0)::float8 AS seconds
      FROM ${systemTable(schema, 'jobs')} WHERE finished_on > now() - interval '1 hour'
      GROUP BY kind, state ORDER BY kind, state`),
  );
  return rows;
}

export async function latestFailures({
  pool,
  schema,
}: OverviewParts): Promise<readonly FailedJob[]> {
  const { rows } = await pool.query<FailedJob>(
    render(sql`SELECT id, kind, collection,
        to_char(finished_on AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS on,
        coalesce(error #>> '{0,extensions,code}', '') || ': '
          || coalesce(error #>> '{0,message}', '') AS reason
      FROM ${systemTable(schema, 'jobs')} WHERE state = 'failed' AND finished_on IS NOT NULL
      ORDER BY finished_on DESC LIMIT ${FAILURES}`),
  );
  return rows;
}

/** The file and the collection that a job is about. */
export interface JobSubject {
  readonly id: string;
  readonly file_name: string | null;
  readonly collection: string | null;
}

/** The subjects of jobs; unknown jobs are left out. */
export async function jobSubjects(
  { pool, schema }: OverviewParts,
  ids: readonly string[],
): Promise<readonly JobSubject[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<JobSubject>(
    render(sql`SELECT id, file_name, collection FROM ${systemTable(schema, 'jobs')}
      WHERE id::text = ANY(${[...ids]}::text[])`),
  );
  return rows;
}
