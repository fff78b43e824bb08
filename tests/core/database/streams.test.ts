// @newest

import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Streams } from '#core/database/streams.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });
/** Some megabytes, and less than one. */
const LONG = { text: `SELECT repeat('x', 1000) FROM generate_series(1, 10000)`, values: [] };
const SHORT = { text: `SELECT repeat('x', 1000) FROM generate_series(1, 900)`, values: [] };

async function setUp(
  t: Teardown,
  { max = 2, perHolder = 1, wait = 200, statementTimeout = 0 } = {},
) {
  const url = await createDatabase(t);
  const config = loadConfig({ DATABASE_POOL_WAIT: '1m' });
  const pool = createPool(config, url, log, { name: 'test', max: 1, statementTimeout });
  t.teardown(() => pool.end());
  const limits = { max, perHolder, wait };
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const streams = new Streams({ shares, statementTimeout, maxTime: 60_000, limits });
  /** Begins an answer, and reads only its first batch. */
  const begin = async (holder: string, statement = LONG, signal?: AbortSignal) => {
    const rows = streams.read(statement, holder, signal);
    return { rows, first: await rows.next() };
  };
  return { pool, streams, begin };
}

async function count(rows: AsyncIterable<readonly string[]>): Promise<number> {
  let sum = 0;
  for await (const batch of rows) sum += batch.length;
  return sum;
}

t.test('streams without a reader leave the pool to other work', async (t) => {
  const { pool, streams, begin } = await setUp(t);
  const stalled = await Promise.all(['a', 'b'].map((holder) => begin(holder)));
  t.equal((await pool.query('SELECT 1')).rows.length, 1);
  t.equal(pool.totalCount, 3, 'one of the pool, and one for each stream');
  t.equal(await count(streams.read(SHORT, 'a')), 900, 'a short answer is a page');
  t.equal(await count(streams.read(SHORT, 'c')), 900, 'for every holder');
  await t.rejects(begin('a'), {
    code: 'REQUESTS_EXCEEDED',
    details: { limit: 1, variable: 'STREAM_MAX_PER_USER' },
    headers: { 'Retry-After': '1' },
  });
  await t.rejects(begin('c'), {
    code: 'SERVICE_UNAVAILABLE',
    details: { service: 'streams' },
    headers: { 'Retry-After': '1' },
  });
  const [first, second] = stalled;
  t.ok(first);
  if (first) t.equal((await count(first.rows)) + (first.first.value?.length ?? 0), 10_000);
  await second?.rows.return(undefined);
  await until(async () => pool.totalCount <= 1, 'what was opened for streams is closed');
  t.equal(pool.options.max, 1);
  t.equal(await count(streams.read(LONG, 'a')), 10_000);
});

t.test('a waiting stream holds no connection, and begins when one has ended', async (t) => {
  const { pool, streams, begin } = await setUp(t, { max: 1, wait: 60_000 });
  const { rows } = await begin('a');
  const gone = new AbortController();
  const hopeless = begin('b', LONG, gone.signal);
  const waiting = count(streams.read(LONG, 'c'));
  const own = count(streams.read(LONG, 'a'));
  for (let time = 0; time < 5; time += 1) await pool.query('SELECT 1');
  t.ok(pool.totalCount <= 2);
  gone.abort(new Error('gone'));
  await t.rejects(hopeless, /gone/);
  await rows.return(undefined);
  t.strictSame(await Promise.all([waiting, own]), [10_000, 10_000]);
  t.equal(pool.options.max, 1);
});

t.test('waiting requests continue when a connection becomes a stream', async (t) => {
  const { pool, begin } = await setUp(t);
  const slow = { text: `SELECT repeat('x', 2000000), pg_sleep(0.2)`, values: [] };
  const beginning = begin('a', slow);
  await until(async () => pool.totalCount === 1 && pool.idleCount === 0, 'it has begun');
  const others = Promise.all([1, 2, 3].map(() => pool.query('SELECT 1')));
  const { rows } = await beginning;
  t.equal((await others).length, 3);
  await rows.return(undefined);
});

t.test('a failed stream releases everything', async (t) => {
  const { pool, streams, begin } = await setUp(t);
  const failing = {
    text: `SELECT repeat('x', 1000), 1 / (9000 - i) FROM generate_series(1, 10000) i`,
    values: [],
  };
  for (let time = 0; time < 3; time += 1) {
    await t.rejects(count(streams.read(failing, 'a')), { code: '22012' });
    await t.rejects(begin('a', { text: 'SELECT 1 / 0', values: [] }), { code: '22012' });
  }
  t.equal(pool.options.max, 1);
  t.equal(await count(streams.read(LONG, 'a')), 10_000);
});

t.test('a stream may be read for longer than the statement timeout', async (t) => {
  const { streams } = await setUp(t, { statementTimeout: 2_000 });
  let read = 0;
  for await (const batch of streams.read(LONG, 'a')) {
    read += batch.length;
    if (read < 3_000) await new Promise((resolve) => setTimeout(resolve, 250));
  }
  t.equal(read, 10_000);
});
