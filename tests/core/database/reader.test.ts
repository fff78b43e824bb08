// @newest @slow

import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import { createPool, type Pool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

interface Options {
  readonly lines?: number;
  readonly max?: number;
  readonly statementTimeout?: number;
  readonly wait?: string;
}

/** A reader on a separate database, and a pool for observing the server. */
async function openReader(t: Teardown, options: Options = {}) {
  const { lines = 2, max = 2, statementTimeout = 0, wait = '1m' } = options;
  const url = await createDatabase(t);
  const config = loadConfig({ DATABASE_POOL_WAIT: wait });
  const pool = createPool(config, url, log, { name: 'test', max, statementTimeout });
  const watch = createPool(config, url, log, { name: 'watch', max: 1, statementTimeout: 0 });
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const reader = new Reader({
    ...STREAMS,
    url,
    name: 'test',
    log,
    shares,
    pipelined: lines,
    statementTimeout,
  });
  await reader.open();
  t.teardown(() => Promise.all([reader.close(), pool.end(), watch.end()]));
  return { reader, pool, watch };
}

/** Statements of other sessions that run right now and hold this text. */
async function running(watch: Pool, text: string): Promise<number> {
  const { rows } = await watch.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
       AND query LIKE '%' || $1 || '%'`,
    [text],
  );
  return rows[0]?.count ?? 0;
}

async function failureOf(work: Promise<unknown>): Promise<ServiceError | null> {
  try {
    await work;
  } catch (error) {
    const translated = translateFailure(error);
    if (translated instanceof ServiceError) return translated;
    throw error;
  }
  return null;
}

t.test('a statement with a long list is planned for it each time', async (t) => {
  const { reader } = await openReader(t, { lines: 1 });
  const among = (count: number) => ({
    text: 'SELECT (5 = ANY($1::int4[]))::text',
    values: [Array.from({ length: count }, (_, index) => index)],
  });
  const kept = {
    text: `SELECT count(*)::text FROM pg_prepared_statements WHERE statement LIKE 'SELECT (5%'`,
    values: [],
  };
  for (let time = 0; time < 20; time += 1) t.equal(await reader.text(among(101)), 'true');
  // The first run uses a pool connection, where the statement is not prepared.
  for (let time = 0; time < 20; time += 1) t.equal(await reader.text(kept), '0');
  for (let time = 0; time < 20; time += 1) t.equal(await reader.text(among(5)), 'false');
  await until(async () => (await reader.text(kept)) === '1', 'with a short one it is kept');
});

t.test('a statement yields its first text, prepared from the second time on', async (t) => {
  const { reader, watch } = await openReader(t);
  const statement = { text: 'SELECT $1::int + 1 || $2', values: [1, 'x'] };
  for (let time = 0; time < 5; time += 1) t.equal(await reader.text(statement), '2x');
  const many = Array.from({ length: 200 }, (_, index) =>
    reader.text({ ...statement, values: [index, ''] }),
  );
  t.strictSame(
    await Promise.all(many),
    many.map((_, index) => String(index + 1)),
    'pipelined answers match their queries',
  );
  t.equal(await reader.text({ text: "SELECT 'x' WHERE false", values: [] }), null);
  t.equal(await running(watch, 'nothing of the kind'), 0);
});

t.test('the time of a statement is unknown before its first answer', async (t) => {
  const { reader } = await openReader(t);
  const statement = { text: "SELECT current_setting('application_name')", values: [] };
  const isPipelined = (name: string | null) => name?.endsWith(' pages') ?? false;
  const burst = await Promise.all(Array.from({ length: 20 }, () => reader.text(statement)));
  t.notOk(burst.some(isPipelined), 'a burst of it runs on the pool');
  await until(async () => isPipelined(await reader.text(statement)), 'it turns out to be quick');
});

t.test('the error of one statement does not affect concurrent ones', async (t) => {
  const { reader } = await openReader(t, { lines: 1 });
  const good = { text: 'SELECT $1::int::text', values: [1] };
  const bad = { text: 'SELECT ($1::int / 0)::text', values: [1] };
  await reader.text(good);
  await reader.text(bad).catch(() => undefined);
  const answers = await Promise.allSettled([
    reader.text(good),
    reader.text(bad),
    reader.text(good),
  ]);
  t.strictSame(
    answers.map((answer) => answer.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

t.test('a lost connection is opened again', async (t) => {
  const { reader, watch } = await openReader(t, { lines: 1, max: 1 });
  const statement = { text: "SELECT 'there'", values: [] };
  await reader.text(statement);
  await reader.text(statement);
  await watch.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND application_name LIKE 'sluice test%'`,
  );
  await until(
    () =>
      reader.text(statement).then(
        (text) => text === 'there',
        () => false,
      ),
    'the reader answers again',
  );
});

t.test('a statement past QUERY_TIMEOUT is 503 and names the setting', async (t) => {
  const { reader } = await openReader(t, { statementTimeout: 100 });
  const statement = { text: 'SELECT pg_sleep(30)::text', values: [] };
  for (let time = 0; time < 2; time += 1) {
    const failure = await failureOf(reader.text(statement));
    t.match(failure?.message, 'QUERY_TIMEOUT');
    t.equal(failure?.status, 503);
  }
});

t.test('a pool without a free connection is 503 with Retry-After', async (t) => {
  const { reader, pool } = await openReader(t, { lines: 0, max: 1, wait: '1s' });
  const held = await pool.connect();
  const failure = await failureOf(reader.text({ text: "SELECT 'x'", values: [] }));
  t.equal(failure?.code, 'SERVICE_UNAVAILABLE');
  t.match(failure?.headers, { 'Retry-After': /^\d+$/ });
  held.release();
  t.equal(await reader.text({ text: "SELECT 'x'", values: [] }), 'x');
});

t.test('a stream fetches only requested rows, and ends with its reader', async (t) => {
  const { reader, pool } = await openReader(t, { max: 1 });
  const statement = { text: 'SELECT i::text FROM generate_series(1, 1000000) AS i', values: [] };
  let batches = 0;
  for await (const rows of reader.stream(statement, 'anybody')) {
    t.ok(rows.length <= 1_000);
    batches += 1;
    if (batches === 3) break;
  }
  const { rows } = await pool.query<{ one: number }>('SELECT 1 AS one');
  t.equal(rows[0]?.one, 1, 'the connection is reusable afterwards');
});

t.test('an aborted stream ends the statement on the server', async (t) => {
  const { reader, watch } = await openReader(t);
  const controller = new AbortController();
  const statement = { text: "SELECT 'endless', pg_sleep(60)", values: [] };
  const reading = (async () => {
    for await (const _ of reader.stream(statement, 'anybody', controller.signal))
      t.fail('nothing arrives');
  })();
  await until(async () => (await running(watch, 'endless')) === 1, 'the statement runs');
  controller.abort();
  await t.rejects(reading);
  await until(async () => (await running(watch, 'endless')) === 0, 'the statement is cancelled');
});

t.test('a quick statement does not wait behind slow ones', async (t) => {
  const { reader } = await openReader(t);
  const quick = { text: "SELECT 'quick'", values: [] };
  const long = { text: "SELECT 'long' FROM pg_sleep(0.05)", values: [] };
  await reader.text(long);
  // Where the machine pauses both may take long: then it is tried again.
  await until(async () => {
    for (let time = 0; time < 10; time += 1) await reader.text(quick);
    let done = 0;
    const reading = Array.from({ length: 20 }, async () => {
      await reader.text(long);
      done += 1;
    });
    t.equal(await reader.text(quick), 'quick');
    const before = done;
    await Promise.all(reading);
    return before < 10;
  }, 'a quick one comes before most of the long ones');
});

t.test('long reads use idle pipelined connections, except one', async (t) => {
  const { reader, watch } = await openReader(t, { lines: 3, max: 2 });
  const long = {
    text: "SELECT current_setting('application_name') AS long FROM pg_sleep(0.05)",
    values: [],
  };
  let most = 0;
  await until(async () => {
    const reading = Array.from({ length: 12 }, () => reader.text(long));
    const { rows } = await watch.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active'
         AND query LIKE '%AS long%' AND application_name LIKE '% pages'`,
    );
    most = Math.max(most, rows[0]?.count ?? 0);
    return (await Promise.all(reading)).filter((name) => name?.endsWith(' pages')).length > 1;
  }, 'the pool is full, and nobody reads quickly');
  t.ok(most <= 2, 'one stays free');
  const quick = { text: "SELECT 'quick'", values: [] };
  t.equal(await reader.text(quick), 'quick');
});

t.test('a process that stops repeatedly does not make a statement a long one', async (t) => {
  const { reader, pool } = await openReader(t, { max: 1 });
  const quick = { text: 'SELECT $1::text', values: ['here'] };
  for (let times = 0; times < 100; times += 1) await reader.text(quick);
  for (let times = 0; times < 100; times += 1) {
    const answer = reader.text(quick);
    const until = performance.now() + 20;
    while (performance.now() < until);
    await answer;
  }
  const taken = await pool.connect();
  t.equal(await reader.text(quick), 'here', 'it needs no connection of the pool');
  taken.release();
});

t.test('a stream may be read slowly, but each fetch has its time', async (t) => {
  const { reader, pool } = await openReader(t, { max: 1, statementTimeout: 2_000 });
  const text = "SELECT repeat('x', 500) FROM generate_series(1, 10000) AS i";
  const statement = { text, values: [] };
  const ended = performance.now() + 2_500;
  let rows = 0;
  for await (const batch of reader.stream(statement, 'anybody')) {
    rows += batch.length;
    while (rows <= 1_000 && performance.now() < ended) await delay(50);
  }
  t.equal(rows, 10_000);
  for (const before of [0, 2_000]) {
    const text = `SELECT CASE WHEN i > ${before} THEN pg_sleep(30)::text
        ELSE repeat('x', 1000) END
      FROM generate_series(1, 3000) AS i`;
    let read = 0;
    const late = (async () => {
      for await (const batch of reader.stream({ text, values: [] }, 'anybody'))
        read += batch.length;
    })();
    const failure = await failureOf(late);
    t.match(failure?.message, 'QUERY_TIMEOUT');
    t.equal(read > 0, before > 0);
  }
  const { rows: found } = await pool.query('SHOW statement_timeout');
  t.strictSame(found, [{ statement_timeout: '2s' }], 'the next one has its own time');
});

t.test('a stream of wide rows is fetched a few at a time', async (t) => {
  const { reader } = await openReader(t);
  const text = "SELECT repeat('x', 100000) FROM generate_series(1, 200)";
  const sizes: number[] = [];
  for await (const batch of reader.stream({ text, values: [] }, 'anybody'))
    sizes.push(batch.length);
  t.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    200,
  );
  t.ok(Math.max(...sizes.slice(1)) <= 3, `${sizes}`);
});

t.test('an aborted request ends its statement, even when every connection is in use', async (t) => {
  const { reader, pool, watch } = await openReader(t, { lines: 0, max: 1 });
  const controller = new AbortController();
  const statement = { text: "SELECT 'abandoned' || pg_sleep(60)", values: [] };
  const reading = reader.text(statement, controller.signal);
  await until(async () => (await running(watch, 'abandoned')) === 1, 'the statement runs');
  const others = pool.query<{ one: number }>('SELECT 1 AS one');
  controller.abort();
  await t.rejects(reading);
  t.strictSame((await others).rows, [{ one: 1 }], 'the waiting request has a connection');
  await until(async () => (await running(watch, 'abandoned')) === 0, 'it is cancelled');
  await t.rejects(reader.text(statement, controller.signal), { name: 'AbortError' });
});

t.test('a pipelined statement is cancelled without the following ones', async (t) => {
  const { reader, watch } = await openReader(t, { lines: 1 });
  const text = "SELECT 'of a line' || pg_sleep($1::float8)";
  // It is quick by now, so it uses the pipeline, and the observer is connected.
  for (let time = 0; time < 20; time += 1) await reader.text({ text, values: [0] });
  t.equal(await running(watch, 'of a line'), 0);
  const controller = new AbortController();
  const slow = reader.text({ text, values: [60] }, controller.signal);
  const behind = Array.from({ length: 5 }, () => reader.text({ text, values: [0.01] }));
  await until(async () => (await running(watch, 'of a line')) === 1, 'the statement runs');
  controller.abort();
  await t.rejects(slow);
  t.strictSame(await Promise.all(behind), Array(5).fill('of a line'));
  await until(async () => (await running(watch, 'of a line')) === 0, 'it is cancelled');
});

t.test('a stream whose connection is lost releases its permit', async (t) => {
  const { reader, pool, watch } = await openReader(t, { max: 1 });
  const text = "SELECT repeat('x', 1000) || 'lost' FROM generate_series(1, 10000)";
  for (const after of [1, 3]) {
    let batches = 0;
    const reading = (async () => {
      for await (const _ of reader.stream({ text, values: [] }, 'anybody')) {
        batches += 1;
        if (batches !== after) continue;
        await watch.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE '%lost%' AND pid <> pg_backend_pid()`,
        );
      }
    })();
    await t.rejects(reading);
    const { rows } = await pool.query<{ one: number }>('SELECT 1 AS one');
    t.equal(rows[0]?.one, 1);
  }
});

t.test('a stream whose client disconnected releases its connection by itself', async (t) => {
  const { reader, pool } = await openReader(t, { max: 1 });
  const statement = { text: 'SELECT i::text FROM generate_series(1, 1000000) AS i', values: [] };
  for (let time = 0; time < 3; time += 1) {
    const controller = new AbortController();
    const rows = reader.stream(statement, 'anybody', controller.signal);
    await rows.next();
    // The client requests no more rows, and does not end the stream.
    controller.abort();
    const { rows: found } = await pool.query<{ one: number }>('SELECT 1 AS one');
    t.equal(found[0]?.one, 1);
  }
});
