/** The statistics of the queues: what a minute tells, how minutes add up, and how small they stay. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { CLASSES, quantile } from '#core/jobs/duration-histogram.ts';
import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import {
  MOST_REASONS,
  PERIODS,
  readStatistics,
  recordMinute,
  recordStatistics,
} from '#core/jobs/queue-statistics.ts';
import { install } from '../model/catalog/installation.ts';

const { pool } = await install(t);
/** The beginning of a minute that lies in the middle of a quarter of an hour and of six hours. */
const QUARTER = Math.floor(Date.now() / 900_000) * 900 - 900;

interface EndedJob {
  readonly kind?: string;
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly minute: number;
  readonly seconds: number;
  readonly rows?: number;
  readonly reason?: string;
}

async function ended({ kind = 'import', state, minute, seconds, rows, reason }: EndedJob) {
  const error = [{ message: 'm', extensions: { code: 'INVALID_PAYLOAD', reason_code: reason } }];
  await pool.query(
    `INSERT INTO system_jobs (kind, queue, message, message_version, state, started_on, finished_on,
      progress, error)
    VALUES ($1, 'transfer', '{}', 1, $2, to_timestamp($3::float8) - $4 * interval '1 s',
      to_timestamp($3::float8), $5, $6)`,
    [
      kind,
      state,
      minute + 59,
      seconds,
      rows === undefined ? null : JSON.stringify({ rows }),
      state === 'failed' ? JSON.stringify(error) : null,
    ],
  );
}

/** What a period tells of the queue of transfers. */
async function transfers(period: 'hour' | 'day' | 'month') {
  const { series } = await readStatistics(pool, 'public', period);
  return series.map(({ queues, ...interval }) => ({
    ...interval,
    ...queues.find(({ name }) => name === 'transfer'),
  }));
}

t.test('a minute is recorded once, however many ask for it', async (t) => {
  for (let n = 1; n <= 99; n += 1) {
    await ended({ state: 'completed', minute: QUARTER, seconds: 1, rows: 10 });
  }
  await ended({ state: 'completed', minute: QUARTER, seconds: 100, rows: 10 });
  await ended({ state: 'completed', minute: QUARTER, seconds: 200, kind: 'tidy', rows: 5 });
  await ended({ state: 'failed', minute: QUARTER, seconds: 0, reason: 'query_too_deep' });
  await ended({ state: 'failed', minute: QUARTER, seconds: 0, reason: 'query_too_deep' });
  await ended({ state: 'failed', minute: QUARTER, seconds: 0 });
  await ended({ state: 'cancelled', minute: QUARTER, seconds: 900 });
  await pool.query(
    `INSERT INTO system_jobs (kind, queue, message, message_version, created_on)
    VALUES ('import', 'transfer', '{}', 1, now() - interval '1 hour')`,
  );
  await pool.query(
    `INSERT INTO system_members (id, name, kind, expires, form, catalog, access, sessions, reset)
    VALUES ($1, 'worker', 'worker', now() + interval '1 hour', 1, 1, 1, 1, 1),
      ($2, 'gone', 'edge', now() - interval '1 hour', 1, 1, 1, 1, 1)`,
    [randomUUID(), randomUUID()],
  );
  const recorded = await Promise.all(
    Array.from({ length: 4 }, () => recordMinute(pool, 'public', QUARTER)),
  );
  t.equal(recorded.filter(Boolean).length, 1);
  const [minute, ...others] = await transfers('hour');
  t.strictSame(others, []);
  t.match(minute, {
    from: new Date(QUARTER * 1_000).toISOString(),
    ...{ minutes: 1, processes: { edge: 0, worker: 1 } },
    ...{ completed: 101, failed: 3, cancelled: 1, rows: 1_000, rows_per_second: 16.667 },
    ...{ waiting: 1, p99: 115.852, reasons: { query_too_deep: 2, INVALID_PAYLOAD: 1 } },
  });
  t.ok((minute?.oldest ?? 0) >= 3_600);
  t.ok((minute?.p50 ?? 0) >= 1 && (minute?.p50 ?? 9) < 1.42);
  t.match(await transfers('day'), [{ minutes: 1, completed: 101, rows: 1_000 }]);
});

t.test('minutes add up in longer intervals, and a missed one is a gap', async (t) => {
  await pool.query('DELETE FROM system_members');
  await ended({ state: 'completed', minute: QUARTER + 120, seconds: 5_000, rows: 20 });
  await ended({ state: 'failed', minute: QUARTER + 120, seconds: 1, reason: 'other' });
  await ended({ state: 'completed', minute: QUARTER + 60, seconds: 1, rows: 7 });
  await recordMinute(pool, 'public', QUARTER + 120);
  const from = (minute: number) => new Date(minute * 1_000).toISOString();
  t.match(await transfers('hour'), [
    { from: from(QUARTER), minutes: 1 },
    { from: from(QUARTER + 120), minutes: 1, completed: 1, rows: 20, p50: 1.28, p99: 5_000 },
  ]);
  for (const period of ['day', 'month'] as const) {
    const { length } = PERIODS[period];
    t.match(await transfers(period), [
      {
        from: from(Math.floor(QUARTER / length) * length),
        ...{ minutes: 2, processes: { edge: 0, worker: 0 }, completed: 102, failed: 4 },
        ...{ rows: 1_020, rows_per_second: 8.5, waiting: 1 },
        reasons: { query_too_deep: 2, INVALID_PAYLOAD: 1, other: 1 },
      },
    ]);
  }
});

t.test('the latest minute that has ended is recorded, and what is old goes', async (t) => {
  t.equal(await recordStatistics(pool, 'public'), true);
  t.equal(await recordStatistics(pool, 'public'), false);
  await recordMinute(pool, 'public', QUARTER + 7_200);
  const { rows } = await pool.query(
    `SELECT DISTINCT extract(epoch FROM begun_on)::float8 AS minute FROM system_queue_statistics
    WHERE length = 60`,
  );
  t.strictSame(rows, [{ minute: QUARTER + 7_200 }]);
  const { now } = await readStatistics(pool, 'public', 'hour');
  const transfer = now.queues.find(({ name }) => name === 'transfer');
  t.match(transfer, { waiting: 1, running: 0 });
  t.ok((transfer?.oldest ?? 0) >= 3_600);
});

t.test('the table stays well below a megabyte, whatever happens', async (t) => {
  await pool.query('TRUNCATE system_queue_statistics');
  const reasons = Object.fromEntries(
    Array.from({ length: MOST_REASONS }, (_, n) => [`${n}`.padEnd(48, 'x'), 1_000_000]),
  );
  for (const { length, kept } of Object.values(PERIODS)) {
    await pool.query(
      `INSERT INTO system_queue_statistics
      SELECT $1, to_timestamp(n * $1::int), queue, 360, 1000000, 1000000, 1000000, 1000000000,
        1000000, 1e6, array_fill(1000000, ARRAY[$2::int]), 1e6, $3, 10, 10
      FROM generate_series(0, $4::int) AS n, unnest($5::text[]) AS queue`,
      [length, CLASSES, reasons, kept / length, [...QUEUE_NAMES]],
    );
  }
  // PostgreSQL takes the room of dead rows once there are more of them than this.
  await pool.query(`UPDATE system_queue_statistics SET minutes = 1 WHERE ctid IN (
    SELECT ctid FROM system_queue_statistics ORDER BY begun_on LIMIT 300)`);
  const { rows } = await pool.query<{ size: number }>(
    "SELECT pg_total_relation_size('system_queue_statistics')::float8 AS size",
  );
  t.comment(`${rows[0]?.size} bytes`);
  t.ok((rows[0]?.size ?? Number.NaN) < 1_000_000);
});

t.test('a share of the durations', (t) => {
  t.equal(quantile([], 0.5, null), null);
  t.equal(quantile([0, 0, 1], 0.99, 0.015), 0.015, 'no more than the longest');
  t.equal(quantile([2, 0, 2], 0.5, 1), 0.01);
  t.equal(quantile([2, 0, 2], 0.51, 1), 0.02);
  t.equal(quantile([...Array<number>(CLASSES - 1).fill(0), 1], 0.5, 90_000), 90_000);
  t.end();
});
