/**
 * A snapshot of workers and queues from the database: live workers, waiting jobs and running jobs.
 * One statement, whose cost does not grow with the number of jobs.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { QUEUE_NAMES, type QueueName } from './queue.ts';
import type { QueueSwitch } from './queue-state.ts';
import { canRun } from './reached-storage.ts';
import { readReport, type WorkerReport } from './worker-report.ts';

/** A worker whose lease has not expired, on any host. */
export interface LiveWorker {
  readonly name: string;
  /** Null when its release does not report. */
  readonly report: WorkerReport | null;
}

/** A job that could run now. */
export interface EligibleJob {
  readonly id: string;
  readonly kind: string;
  /** Milliseconds since it could first run. */
  readonly age: number;
}

/** Jobs of a queue whose files no live worker can access. */
export interface UnreachedJobs {
  readonly jobs: number;
  /** The identity of the storage of one of them. */
  readonly storage: string;
  /** Milliseconds since the oldest of them was submitted. */
  readonly age: number;
}

export interface ObservedQueue {
  readonly name: QueueName;
  readonly state: QueueSwitch;
  /** At most {@link MOST_COUNTED}. */
  readonly waiting: number;
  /** Milliseconds since the oldest of these was submitted; null without waiting jobs. */
  readonly oldest: number | null;
  readonly running: number;
  /** The job that has been able to run the longest; null without one. */
  readonly eligible: EligibleJob | null;
  /** Null when workers can access all required storages. */
  readonly unreached: UnreachedJobs | null;
  /** A job of the queue began or ended within the given time. */
  readonly touched: boolean;
}

/** A job whose row is in state running. */
export interface RunningJob {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly attempt: number;
  /** Milliseconds since its latest delivery began. */
  readonly age: number;
}

export interface Observation {
  readonly workers: readonly LiveWorker[];
  readonly queues: readonly ObservedQueue[];
  /** The jobs that began first, at most {@link MOST_RUNNING}. */
  readonly running: readonly RunningJob[];
}

/** Maximum waiting jobs of a queue that are counted. */
export const MOST_COUNTED = 10_000;
const MOST_RUNNING = 1_000;

export interface ObservationOptions {
  /** Milliseconds for which a queue counts as touched. */
  readonly within: number;
  /** JOB_RETRY_DELAY: the delay of a retry, which doubles each time. */
  readonly retryDelay: number;
}

interface Row {
  readonly workers: readonly { readonly name: string; readonly report: unknown }[] | null;
  readonly queues: readonly ObservedQueue[];
  readonly running: readonly RunningJob[] | null;
}

/** Milliseconds since a time. */
function since(time: Sql): Sql {
  return sql`round(extract(epoch FROM clock_timestamp() - ${time}) * 1000)`;
}

/** Milliseconds as an interval. */
function interval(milliseconds: number): Sql {
  return sql`${milliseconds}::float8 * interval '1 ms'`;
}

function statement(schema: string, { within, retryDelay }: ObservationOptions): Sql {
  const jobs = systemTable(schema, 'jobs');
  const recently = sql`clock_timestamp() - ${interval(within)}`;
  // A retry is delayed; the factor covers the jitter.
  const due = sql`greatest(w.created_on, s.changed_on, CASE WHEN w.attempt > 0 THEN
      (w.failures -> -1 ->> 'on')::timestamptz
        + ${interval(2 * retryDelay)} * 2 ^ least(w.attempt, 10) END)`;
  const touched = sql`EXISTS (SELECT FROM ${jobs} WHERE started_on > ${recently} AND queue = q.name)
    OR EXISTS (SELECT FROM ${jobs} WHERE finished_on > ${recently} AND queue = q.name)
    OR EXISTS (SELECT FROM running r WHERE r.claimed_on > ${recently} AND r.queue = q.name)`;
  const runs = canRun(schema, sql`waiting.storage`);
  return sql`WITH running AS MATERIALIZED (
      SELECT id, kind, queue, mailbox, attempt, coalesce(claimed_on, started_on) AS claimed_on
      FROM ${jobs} WHERE state = 'running' ORDER BY sequence LIMIT ${MOST_RUNNING}::int),
    waiting AS MATERIALIZED (
      SELECT j.* FROM unnest(${[...QUEUE_NAMES]}::text[]) AS q(name) CROSS JOIN LATERAL (
        SELECT id, kind, queue, mailbox, attempt, failures, created_on, turn, sequence, storage
        FROM ${jobs} WHERE queue = q.name AND state = 'waiting'
        ORDER BY turn, sequence LIMIT ${MOST_COUNTED}::int) AS j),
    heads AS (
      SELECT * FROM waiting WHERE mailbox IS NULL AND ${runs}
      UNION ALL (SELECT DISTINCT ON (mailbox) * FROM waiting
        WHERE mailbox IS NOT NULL AND ${runs} ORDER BY mailbox, turn, sequence)),
    eligible AS (
      SELECT DISTINCT ON (w.queue) w.queue, w.id, w.kind, ${since(due)} AS age
      FROM heads AS w LEFT JOIN ${systemTable(schema, 'queues')} AS s ON s.name = w.queue
      WHERE s.state IS DISTINCT FROM 'paused' AND ${due} <= clock_timestamp()
        AND NOT EXISTS (SELECT FROM running AS r WHERE r.mailbox = w.mailbox)
      ORDER BY w.queue, ${due})
    SELECT
      (SELECT json_agg(json_build_object('name', name, 'report', report) ORDER BY name)
        FROM ${systemTable(schema, 'members')}
        WHERE kind = 'worker' AND expires > clock_timestamp()) AS workers,
      (SELECT json_agg(json_build_object(
          'name', q.name, 'state', coalesce(s.state, 'running'),
          'waiting', (SELECT count(*) FROM waiting WHERE queue = q.name),
          'oldest', (SELECT ${since(sql`min(created_on)`)} FROM waiting WHERE queue = q.name),
          'running', (SELECT count(*) FROM running WHERE queue = q.name),
          'eligible', (SELECT json_build_object('id', id, 'kind', kind, 'age', age)
            FROM eligible WHERE queue = q.name),
          'unreached', (SELECT json_build_object('jobs', count(*), 'storage', min(storage::text),
              'age', ${since(sql`min(created_on)`)})
            FROM waiting WHERE queue = q.name AND NOT ${runs} HAVING count(*) > 0),
          'touched', ${touched}) ORDER BY q.place)
        FROM unnest(${[...QUEUE_NAMES]}::text[]) WITH ORDINALITY AS q(name, place)
        LEFT JOIN ${systemTable(schema, 'queues')} AS s ON s.name = q.name) AS queues,
      (SELECT json_agg(json_build_object('id', id, 'kind', kind, 'queue', queue,
          'attempt', attempt, 'age', ${since(sql`claimed_on`)}) ORDER BY claimed_on)
        FROM running) AS running`;
}

/** Reads the state of workers and queues. */
export async function observeQueues(
  pool: Pool,
  schema: string,
  options: ObservationOptions,
): Promise<Observation> {
  const { rows } = await pool.query<Row>(render(statement(schema, options)));
  const [row] = rows;
  if (row === undefined) throw new Error('a query without conditions returned no row');
  return {
    workers: (row.workers ?? []).map(({ name, report }) => ({ name, report: readReport(report) })),
    queues: row.queues,
    running: row.running ?? [],
  };
}
