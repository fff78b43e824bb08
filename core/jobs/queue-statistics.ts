/**
 * Statistics of the queues, which the database keeps: one row for each queue and interval. A minute
 * is recorded once, from the jobs that ended in it, and the same statement adds it to the longer
 * intervals. Old rows are deleted, so that the table stays well below a megabyte.
 */
import type { Pool } from '#core/database/pool.ts';
import { join, render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { durationClass, quantile } from './duration-histogram.ts';
import { EXPORT_JOB } from './message/export.ts';
import { IMPORT_JOB } from './message/import.ts';
import { QUEUE_NAMES, type QueueName } from './queue.ts';

/** The length of the intervals of each period, and how long they are kept; in seconds. */
export const PERIODS = {
  hour: { length: 60, kept: 3_600 },
  day: { length: 900, kept: 86_400 },
  month: { length: 21_600, kept: 31 * 86_400 },
} as const;
export type Period = keyof typeof PERIODS;
export const PERIOD_NAMES = ['hour', 'day', 'month'] as const satisfies readonly Period[];

/** Maximum reasons of a row. */
export const MOST_REASONS = 3;
const REASON_LENGTH = 48;
/** Commits that end jobs of a minute become visible within this time after it. */
const SETTLED_AFTER_MS = 5_000;

const MINUTE = sql`interval '1 minute'`;
const LONGER = [PERIODS.day, PERIODS.month];

/** The latest minute that has ended, as its beginning. */
const ENDED_MINUTE = sql`date_trunc('minute',
  clock_timestamp() - ${SETTLED_AFTER_MS}::float8 * interval '1 ms') - ${MINUTE}`;

/** Seconds since the oldest job was submitted. */
const OLDEST = sql`extract(epoch FROM clock_timestamp() - min(created_on))::float8`;

const COLUMNS = sql`length, begun_on, queue, minutes, completed, failed, cancelled, "rows", waiting,
  oldest, durations, longest, reasons, edges, workers`;

function liveProcesses(schema: string, kind: string): Sql {
  return sql`(SELECT count(*) FROM ${systemTable(schema, 'members')}
    WHERE kind = ${kind} AND expires > clock_timestamp())::int`;
}

/** The most frequent reasons of two objects that count them. */
function mergedReasons(some: Sql, others: Sql): Sql {
  return sql`(SELECT coalesce(jsonb_object_agg(key, jobs), '{}') FROM (
    SELECT key, sum(value::bigint) AS jobs
    FROM (SELECT * FROM jsonb_each_text(${some}) UNION ALL
      SELECT * FROM jsonb_each_text(${others})) AS counted
    GROUP BY key ORDER BY jobs DESC, key LIMIT ${MOST_REASONS}) AS merged)`;
}

/** The row of each queue for a minute. */
function minuteRows(schema: string, minute: Sql): Sql {
  const jobs = systemTable(schema, 'jobs');
  return sql`WITH ended AS MATERIALIZED (
      SELECT queue, state, extract(epoch FROM finished_on - started_on)::float8 AS duration,
        CASE WHEN state = 'completed' AND kind IN (${IMPORT_JOB}, ${EXPORT_JOB})
            AND jsonb_typeof(progress -> 'rows') = 'number'
          THEN (progress ->> 'rows')::numeric::bigint ELSE 0 END AS "rows",
        left(coalesce(error -> 0 -> 'extensions' ->> 'reason_code',
          error -> 0 -> 'extensions' ->> 'code', 'UNKNOWN'), ${REASON_LENGTH}::int) AS reason
      FROM ${jobs} WHERE finished_on >= ${minute} AND finished_on < ${minute} + ${MINUTE}),
    classes AS (
      SELECT queue, ${durationClass(sql`duration`)} AS class, count(*)::int AS jobs
      FROM ended WHERE state <> 'cancelled' AND duration IS NOT NULL GROUP BY 1, 2),
    reasons AS (
      SELECT queue, jsonb_object_agg(reason, jobs) AS reasons FROM (
        SELECT queue, reason, count(*) AS jobs,
          row_number() OVER (PARTITION BY queue ORDER BY count(*) DESC, reason) AS place
        FROM ended WHERE state = 'failed' GROUP BY queue, reason) AS counted
      WHERE place <= ${MOST_REASONS} GROUP BY queue)
    SELECT ${PERIODS.hour.length}::int AS length, ${minute} AS begun_on, q.name AS queue,
      1 AS minutes, e.completed, e.failed, e.cancelled, e."rows", w.waiting, w.oldest,
      ARRAY(SELECT coalesce(c.jobs, 0)
        FROM generate_series(0, (SELECT max(class) FROM classes WHERE queue = q.name)) AS n
          LEFT JOIN classes AS c ON c.queue = q.name AND c.class = n ORDER BY n) AS durations,
      e.longest, coalesce(r.reasons, '{}') AS reasons,
      ${liveProcesses(schema, 'edge')} AS edges, ${liveProcesses(schema, 'worker')} AS workers
    FROM unnest(${[...QUEUE_NAMES]}::text[]) AS q(name)
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE state = 'completed')::int AS completed,
          count(*) FILTER (WHERE state = 'failed')::int AS failed,
          count(*) FILTER (WHERE state = 'cancelled')::int AS cancelled,
          coalesce(sum("rows"), 0)::bigint AS "rows",
          max(duration) FILTER (WHERE state <> 'cancelled') AS longest
        FROM ended WHERE queue = q.name) AS e
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS waiting, ${OLDEST} AS oldest
        FROM ${jobs} WHERE queue = q.name AND state = 'waiting') AS w
      LEFT JOIN reasons AS r ON r.queue = q.name`;
}

/** Records a minute with its rows, and deletes rows that are older than they are kept. */
function recording(schema: string, minute: Sql): Sql {
  const table = systemTable(schema, 'queue_statistics');
  const periods = (of: readonly { readonly length: number; readonly kept: number }[]) =>
    join(of.map(({ length, kept }) => sql`(${length}::int, ${kept}::float8)`));
  return sql`WITH recorded AS (
      INSERT INTO ${table} (${COLUMNS}) ${minuteRows(schema, minute)}
      ON CONFLICT DO NOTHING RETURNING *),
    longer AS (
      INSERT INTO ${table} AS s (${COLUMNS})
      SELECT p.length, to_timestamp(floor(extract(epoch FROM r.begun_on) / p.length) * p.length),
        r.queue, r.minutes, r.completed, r.failed, r.cancelled, r."rows", r.waiting, r.oldest,
        r.durations, r.longest, r.reasons, r.edges, r.workers
      FROM recorded AS r CROSS JOIN (VALUES ${periods(LONGER)}) AS p(length, kept)
      ON CONFLICT (length, begun_on, queue) DO UPDATE SET minutes = s.minutes + excluded.minutes,
        completed = s.completed + excluded.completed, failed = s.failed + excluded.failed,
        cancelled = s.cancelled + excluded.cancelled, "rows" = s."rows" + excluded."rows",
        waiting = greatest(s.waiting, excluded.waiting),
        oldest = greatest(s.oldest, excluded.oldest),
        durations = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
          FROM unnest(s.durations, excluded.durations) WITH ORDINALITY AS added(a, b, place)
          ORDER BY place),
        longest = greatest(s.longest, excluded.longest),
        reasons = ${mergedReasons(sql`s.reasons`, sql`excluded.reasons`)},
        edges = least(s.edges, excluded.edges), workers = least(s.workers, excluded.workers)),
    removed AS (
      DELETE FROM ${table} AS s USING (VALUES ${periods(Object.values(PERIODS))}) AS p(length, kept)
      WHERE s.length = p.length AND s.begun_on <= ${minute} - p.kept * interval '1 s')
    SELECT FROM recorded`;
}

/**
 * Records the latest minute that has ended, unless it is already recorded.
 * @returns whether this call recorded it
 */
export async function recordStatistics(pool: Pool, schema: string): Promise<boolean> {
  const table = systemTable(schema, 'queue_statistics');
  const { rows } = await pool.query<{ minute: string }>(
    render(sql`SELECT extract(epoch FROM minute)::text AS minute
      FROM (SELECT ${ENDED_MINUTE} AS minute) AS ended
      WHERE NOT EXISTS (SELECT FROM ${table}
        WHERE length = ${PERIODS.hour.length} AND begun_on = minute)`),
  );
  const [due] = rows;
  if (due === undefined) return false;
  return await recordMinute(pool, schema, Number(due.minute));
}

/**
 * Records a minute that has ended.
 * @param minute its beginning in seconds since 1970
 * @returns false when it was already recorded
 */
export async function recordMinute(pool: Pool, schema: string, minute: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    render(recording(schema, sql`to_timestamp(${minute}::float8)`)),
  );
  return rowCount !== 0;
}

/** How many processes of each kind are live. */
export interface ProcessCounts {
  readonly edge: number;
  readonly worker: number;
}

/** A queue in one interval. */
export interface QueueInterval {
  readonly name: string;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Rows that imports read and exports wrote. */
  readonly rows: number;
  readonly rows_per_second: number;
  /** The most jobs that waited at the end of a minute. */
  readonly waiting: number;
  /** The highest age in seconds of a job that waited at the end of a minute; null without one. */
  readonly oldest: number | null;
  /** The seconds within which half of the jobs ended, and 99 of 100; null without jobs. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** Failed jobs by their most frequent reasons. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface StatisticsInterval {
  /** Its beginning, ISO-8601 in UTC. */
  readonly from: string;
  /** How many of its minutes were recorded. */
  readonly minutes: number;
  /** The fewest live processes at the end of a minute. */
  readonly processes: ProcessCounts;
  readonly queues: readonly QueueInterval[];
}

/** A queue at present. */
export interface QueueNow {
  readonly name: QueueName;
  readonly waiting: number;
  readonly running: number;
  /** The age in seconds of the oldest waiting job; null without one. */
  readonly oldest: number | null;
}

export interface QueueStatistics {
  readonly period: Period;
  /** The length of each interval in seconds. */
  readonly interval: number;
  readonly now: {
    readonly on: string;
    readonly processes: ProcessCounts;
    readonly queues: readonly QueueNow[];
  };
  /** The recorded intervals, oldest first; an interval that no worker saw is missing. */
  readonly series: readonly StatisticsInterval[];
}

interface StoredQueue extends Omit<QueueInterval, 'rows_per_second' | 'p50' | 'p99'> {
  readonly durations: readonly number[];
  readonly longest: number | null;
}

interface StoredInterval extends Omit<StatisticsInterval, 'queues'> {
  readonly queues: readonly StoredQueue[];
}

interface Row extends Pick<QueueStatistics, 'now'> {
  readonly series: readonly StoredInterval[] | null;
}

function iso(time: Sql): Sql {
  return sql`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function reading(schema: string, { length, kept }: (typeof PERIODS)[Period]): Sql {
  const jobs = systemTable(schema, 'jobs');
  return sql`SELECT json_build_object('on', ${iso(sql`clock_timestamp()`)},
      'processes', json_build_object('edge', ${liveProcesses(schema, 'edge')},
        'worker', ${liveProcesses(schema, 'worker')}),
      'queues', (SELECT json_agg(json_build_object('name', q.name, 'waiting', j.waiting,
          'running', j.running, 'oldest', j.oldest) ORDER BY q.place)
        FROM unnest(${[...QUEUE_NAMES]}::text[]) WITH ORDINALITY AS q(name, place)
          CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
            count(*) FILTER (WHERE state = 'running') AS running,
            round((extract(epoch FROM clock_timestamp()
              - min(created_on) FILTER (WHERE state = 'waiting')))::numeric, 3) AS oldest
            FROM ${jobs} WHERE queue = q.name AND state IN ('waiting', 'running')) AS j)) AS now,
    (SELECT json_agg(recorded ORDER BY recorded.from) FROM (
      SELECT ${iso(sql`begun_on`)} AS "from", max(minutes) AS minutes,
        json_build_object('edge', min(edges), 'worker', min(workers)) AS processes,
        json_agg(json_build_object('name', queue, 'completed', completed, 'failed', failed,
          'cancelled', cancelled, 'rows', "rows", 'waiting', waiting,
          'oldest', round(oldest::numeric, 3), 'durations', durations, 'longest', longest,
          'reasons', reasons)
          ORDER BY array_position(${[...QUEUE_NAMES]}::text[], queue::text)) AS queues
      FROM ${systemTable(schema, 'queue_statistics')}
      WHERE length = ${length} AND begun_on > clock_timestamp()
        - ${kept + length}::float8 * interval '1 s'
      GROUP BY begun_on) AS recorded) AS series`;
}

function shown({ durations, longest, ...queue }: StoredQueue, minutes: number): QueueInterval {
  return {
    ...queue,
    rows_per_second: Math.round((queue.rows / (minutes * 60)) * 1_000) / 1_000,
    p50: quantile(durations, 0.5, longest),
    p99: quantile(durations, 0.99, longest),
  };
}

/** The statistics of a period, and the present state; one statement. */
export async function readStatistics(
  pool: Pool,
  schema: string,
  period: Period,
): Promise<QueueStatistics> {
  const { rows } = await pool.query<Row>(render(reading(schema, PERIODS[period])));
  const [row] = rows;
  if (row === undefined) throw new Error('a query without conditions returned no row');
  const series = (row.series ?? []).map(({ queues, ...interval }) => ({
    ...interval,
    queues: queues.map((queue) => shown(queue, interval.minutes)),
  }));
  return { period, interval: PERIODS[period].length, now: row.now, series };
}
