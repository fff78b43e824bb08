// @newest

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import Cursor from 'pg-cursor';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { translateFailure } from '#core/database/failure.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import { expectCopyAnswer } from '#core/database/watchdog.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { until } from '#tests/harness/until.ts';

/** Longer (s) than a connection may be silent before it is looked at, twice over. */
const LONG = 9;
const LOST = { message: /no data arrives any more/ };

async function surroundings(t: Teardown, statementTimeout = 0) {
  const url = await createDatabase(t);
  const proxy = await startProxy(t, url);
  const log = pino({ level: 'silent' });
  const pool = createPool(loadConfig({}), proxy.url, log, { name: 'test', statementTimeout });
  const shares = new PoolShares({ pool, url: proxy.url, log, wait: 60_000 });
  const reader = new Reader({
    ...{ url: proxy.url, name: 'test', log, shares, pipelined: 1, statementTimeout },
    streams: { max: 1, perHolder: 1, wait: 1_000 },
    streamMaxTime: 60_000,
  });
  const direct = new pg.Pool({ connectionString: url });
  t.teardown(async () => {
    await reader.close();
    await pool.end();
    await direct.end();
  });
  await direct.query('CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (1)');
  return { proxy, pool, reader, direct };
}

t.jobs = 6;

for (const direction of ['both', 'toServer', 'toClient'] as const) {
  t.test(`a lost answer, ${direction}, fails the waiting statement`, async (t) => {
    const { proxy, pool, reader, direct } = await surroundings(t);
    await reader.open();
    const text = { text: 'SELECT id::text FROM item', values: [] };
    // Until it is known to be quick, even on a busy machine.
    for (let time = 0; time < 20; time += 1) await reader.text(text);
    const idle = await pool.connect();
    const writer = await pool.connect();
    await writer.query('BEGIN; UPDATE item SET id = 2');
    idle.release();
    proxy.freeze(direction);
    await Promise.all([
      t.rejects(writer.query('SELECT 1'), LOST),
      t.rejects(pool.query('SELECT 1'), LOST),
      t.rejects(reader.text(text), LOST),
    ]);
    writer.release(true);
    t.match(await pool.query('SELECT 1 AS one'), { rows: [{ one: 1 }] });
    t.equal(await until(() => reader.text(text).catch(() => null), 'an answer'), '1');
    t.equal((await direct.query('UPDATE item SET id = 3')).rowCount, 1, 'no lock is left');
  });
}

t.test('an idle connection is replaced before a request waits for it', async (t) => {
  const { proxy, pool, reader } = await surroundings(t);
  await reader.open();
  await pool.query('SELECT 1');
  proxy.freeze();
  await until(() => pool.totalCount === 0 && proxy.alive === 1, 'new connections');
  t.match(await pool.query('SELECT 1 AS one'), { rows: [{ one: 1 }] });
});

t.test('slow but live work is not interrupted', async (t) => {
  const { pool, direct } = await surroundings(t, 120_000);
  const holder = await direct.connect();
  await holder.query('BEGIN; LOCK TABLE item');
  const sleep = async () => t.ok(await pool.query(`SELECT pg_sleep(${LONG})`), 'a statement');
  const wait = async () => {
    const waiting = pool.query('SELECT FROM item');
    await delay(LONG * 1_000);
    await holder.query('COMMIT');
    holder.release();
    t.equal((await waiting).rowCount, 1, 'a wait for a lock');
  };
  const think = async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await delay(LONG * 1_000);
    t.ok(await client.query('COMMIT'), 'a transaction');
    client.release();
  };
  const read = async () => {
    const client = await pool.connect();
    const cursor = client.query(new Cursor('SELECT generate_series(1, 1000)'));
    t.equal((await cursor.read(1)).length, 1);
    await delay(LONG * 1_000);
    t.equal((await cursor.read(10)).length, 10, 'a cursor');
    await cursor.close();
    client.release();
  };
  const copy = async () => {
    await direct.query('CREATE TABLE copied (id int)');
    const client = await pool.connect();
    const stream = client.query(copyFrom('COPY copied FROM STDIN'));
    stream.write('1\n');
    await delay(LONG * 1_000);
    stream.end('2\n');
    await once(stream, 'finish');
    t.equal(stream.rowCount, 2, 'a COPY');
    client.release();
  };
  await Promise.all([sleep(), wait(), think(), read(), copy()]);
});

t.test('a COPY without any answer fails', async (t) => {
  const { proxy, pool, direct } = await surroundings(t);
  await direct.query('CREATE TABLE copied (id int)');
  const begin = async () => {
    const client = await pool.connect();
    const stream = client.query(copyFrom('COPY copied FROM STDIN'));
    stream.write('1\n');
    return { client, stream };
  };
  const [endless, ended] = await Promise.all([begin(), begin()]);
  await until(async () => {
    const { rowCount } = await direct.query(
      'SELECT FROM pg_stat_progress_copy WHERE datname = current_database()',
    );
    return rowCount === 2;
  }, 'both to copy');
  proxy.freeze();
  const writing = setInterval(() => endless.stream.write('3\n'), 100);
  endless.stream.once('error', () => clearInterval(writing));
  ended.stream.end('2\n');
  const answered = expectCopyAnswer(ended.client);
  const failures = await Promise.all([
    once(endless.stream, 'error').then(([error]) => error),
    once(ended.stream, 'error').then(([error]) => error),
  ]);
  answered();
  for (const error of failures) {
    t.match(error, LOST);
    t.match(translateFailure(error), { code: 'SERVICE_UNAVAILABLE' });
  }
  endless.client.release(true);
  ended.client.release(true);
  await until(async () => {
    const { rowCount } = await direct.query(
      'SELECT FROM pg_stat_progress_copy WHERE datname = current_database()',
    );
    return rowCount === 0;
  }, 'the server to know');
});
