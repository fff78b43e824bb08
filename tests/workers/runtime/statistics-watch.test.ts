/** Tables that grow quickly are analyzed, so that no plan is kept from when they were almost empty. */
import { pino } from 'pino';
import t from 'tap';
import { until } from '#tests/harness/until.ts';
import { StatisticsWatch } from '#workers/runtime/statistics-watch.ts';
import { install } from '../../core/model/catalog/installation.ts';

const world = await install(
  t,
  `CREATE TABLE parents (id int PRIMARY KEY);
   CREATE TABLE children (id int PRIMARY KEY, parent int REFERENCES parents);
   CREATE TABLE parted (id int) PARTITION BY RANGE (id);
   CREATE TABLE part PARTITION OF parted FOR VALUES FROM (0) TO (100000);
   CREATE TABLE "Held" (id int)`,
);
const { pool } = world;
const watch = new StatisticsWatch({
  pool,
  schema: 'public',
  schemas: ['public'],
  log: pino({ level: 'silent' }),
});

/** How many rows PostgreSQL plans with. */
async function planned(table: string): Promise<number> {
  const { rows } = await pool.query<{ reltuples: number }>(
    'SELECT reltuples FROM pg_class WHERE oid = $1::regclass',
    [table],
  );
  return rows[0]?.reltuples ?? Number.NaN;
}

/** Looks until the table is planned with so many rows: PostgreSQL tells counters now and then. */
async function analyzed(table: string, count: number): Promise<void> {
  const isDone = async () => {
    await watch.look();
    return (await planned(table)) === count;
  };
  await until(isDone, `${table} is planned with ${count} rows`);
}

t.test('a foreign key whose plan is from an almost empty table is planned again', async (t) => {
  const writer = await pool.connect();
  t.teardown(() => writer.release());
  await world.sql('INSERT INTO parents SELECT generate_series(1, 5); ANALYZE parents');
  // PostgreSQL keeps the plan after it was made for values several times.
  for (let id = 1; id <= 20; id += 1) {
    await writer.query('INSERT INTO children VALUES ($1, 1)', [id]);
  }
  const scanned = async () => {
    await writer.query('SELECT pg_stat_force_next_flush()').catch(() => undefined);
    const { rows } = await pool.query<{ seq_tup_read: string }>(
      `SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'parents'`,
    );
    return Number(rows[0]?.seq_tup_read);
  };
  await world.sql('INSERT INTO parents SELECT generate_series(6, 5000)');
  await analyzed('parents', 5_000);
  await until(async () => (await scanned()) > 0, 'it was read as a whole before');
  const before = await scanned();
  await writer.query('INSERT INTO children SELECT n, n FROM generate_series(21, 5000) AS n');
  await until(async () => {
    const { rows } = await pool.query<{ idx_scan: string }>(
      `SELECT idx_scan FROM pg_stat_user_tables WHERE relname = 'parents'`,
    );
    await writer.query('SELECT pg_stat_force_next_flush()').catch(() => undefined);
    return Number(rows[0]?.idx_scan) >= 4_980;
  }, 'its index is used');
  t.ok((await scanned()) - before < 50_000, 'it is not read as a whole for each row');
});

t.test('partitions too, after TRUNCATE as well, and no table that others hold', async (t) => {
  await world.sql('INSERT INTO parted SELECT generate_series(1, 1000)');
  await analyzed('part', 1_000);
  await world.sql('TRUNCATE part');
  await world.sql('INSERT INTO parted SELECT generate_series(1, 500)');
  await analyzed('part', 500);
  const holder = await pool.connect();
  try {
    await world.sql('INSERT INTO "Held" SELECT generate_series(1, 500)');
    await holder.query('BEGIN; LOCK TABLE "Held"');
    await world.sql('INSERT INTO part SELECT generate_series(501, 5000)');
    await analyzed('part', 5_000);
    t.not(await planned('"Held"'), 500);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  await analyzed('"Held"', 500);
});
