// @newest

import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { runTogether } from '#core/database/prepared.ts';
import { Reader } from '#core/database/reader.ts';
import { connectionFor } from '#core/database/write-connection.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });
const READ = { text: 'SELECT count(*)::text FROM things', values: [] };
const SLOW_READ = { text: "SELECT 'x' FROM pg_sleep($1)", values: ['0'] };

/**
 * A pool with two connections for writes to a table, and pipelined ones, of which one is for reads.
 */
async function open(t: Teardown, lines = 3) {
  const url = await createDatabase(t);
  const config = loadConfig({ DATABASE_POOL_WAIT: '1m' });
  const own = createPool(config, url, log, { name: 'own', max: 2, statementTimeout: 0 });
  const pool = createPool(config, url, log, { name: 'pool', max: 4, statementTimeout: 0 });
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const reader = new Reader({
    ...STREAMS,
    url,
    name: 'test',
    log,
    shares,
    pipelined: lines,
    statementTimeout: 0,
  });
  await reader.open();
  t.teardown(() => Promise.all([reader.close(), pool.end(), own.end()]));
  await own.query('CREATE TABLE things (id int PRIMARY KEY, name text)');
  for (let time = 0; time < 20; time += 1) {
    await reader.text(READ);
    await reader.text(SLOW_READ);
  }
  const add = (id: number, name = 'x', { rows = 1, waitsForLocks = false } = {}) =>
    connectionFor(
      { shares, reader },
      { table: 'things', rows, holder: null, waitsForLocks },
    )((client) =>
      runTogether(client, [
        { text: 'INSERT INTO things VALUES ($1::int, $2::text)', values: [id, name] },
        { text: 'UPDATE things SET name = name || $2::text WHERE id = $1::int', values: [id, '!'] },
      ]),
    );
  const waiting = async () => {
    const { rows } = await own.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  const names = async () => {
    const { rows } = await own.query<{ name: string }>('SELECT name FROM things ORDER BY id');
    return rows.map(({ name }) => name);
  };
  /** Has writes wait until the returned function is called. */
  const lock = async () => {
    const holder = await own.connect();
    await holder.query('BEGIN; LOCK things IN EXCLUSIVE MODE');
    return async () => {
      await holder.query('COMMIT');
      holder.release();
    };
  };
  return { own, reader, add, waiting, names, lock };
}

const POOL = ['sluice pool', 'sluice pool'];
const LINES = ['sluice test pages', 'sluice test pages'];

t.test('writes use connections that reads do not need', async (t) => {
  const { reader, add, waiting, names, lock } = await open(t);
  const unlock = await lock();
  const adding = Array.from({ length: 8 }, (_, id) => add(id));
  await until(async () => (await waiting()).length === 4, 'they wait for the lock');
  t.strictSame(await waiting(), [...POOL, ...LINES]);
  t.equal(await reader.text(READ), '0', 'a connection stays free for reads');
  await unlock();
  await Promise.all(adding);
  t.strictSame(await names(), Array(8).fill('x!'));
});

t.test('writes queue behind each other while they return quickly', async (t) => {
  const { reader } = await open(t);
  const borrow = (count: number) =>
    Array.from({ length: count }, () => reader.borrow()).filter((lent) => lent !== null);
  // After a pause of the machine they seem stuck: then the test is repeated.
  await until(async () => {
    await delay(50);
    const first = borrow(9);
    for (const lent of first) lent.giveBack();
    const many = borrow(9);
    for (const lent of many) lent.giveBack();
    const clients = new Set(many.map(({ client }) => client));
    return first.length === 2 && many.length === 8 && clients.size === 2;
  }, 'at first one on each, then four');
  const reading = reader.text(READ);
  t.strictSame(borrow(1), [], 'no write uses a connection with reads');
  await reading;
  const [again] = borrow(1);
  again?.giveBack();
  t.ok(again);
  await reader.close();
  t.strictSame(borrow(1), []);
});

t.test('each queued write is a separate transaction', async (t) => {
  const { reader, add, names } = await open(t);
  await add(3);
  reader.borrow()?.giveBack();
  const ids = [0, 1, 2, 3, 4, 3, 5, 6, 7];
  const settled = await Promise.allSettled(ids.map((id) => add(id, 'y')));
  t.strictSame(
    settled.map(({ status }) => status),
    ids.map((id) => (id === 3 ? 'rejected' : 'fulfilled')),
  );
  t.strictSame(await names(), ['y!', 'y!', 'y!', 'x!', 'y!', 'y!', 'y!', 'y!']);
  reader.borrow()?.giveBack();
  await Promise.all([8, 9, 10, 11, 12, 13, 14, 15].map((id) => add(id)));
  t.equal((await names()).length, 16, 'the connections are still usable');
});

t.test('no connection is lent while there are reads', async (t) => {
  const { reader, add, waiting, names, lock } = await open(t);
  const unlock = await lock();
  const reading = reader.text({ ...SLOW_READ, values: ['3'] });
  const adding = Array.from({ length: 5 }, (_, id) => add(id));
  await until(async () => (await waiting()).length === 2, 'they wait for the lock');
  t.equal(await reading, 'x');
  t.strictSame(await waiting(), POOL);
  await unlock();
  await Promise.all(adding);
  t.equal((await names()).length, 5);
});

t.test('no write is queued behind a stuck one', async (t) => {
  const { reader, add, waiting, names, lock } = await open(t);
  const unlock = await lock();
  const stuck = Array.from({ length: 4 }, (_, id) => add(id));
  await until(async () => (await waiting()).length === 4, 'they wait for the lock');
  await until(() => reader.borrow() === null, 'that has become too long');
  const late = add(4);
  await unlock();
  await Promise.all([...stuck, late]);
  t.equal((await names()).length, 5);
});

t.test('a write of many rows waits for the pool', async (t) => {
  const { reader, add, waiting, names, lock } = await open(t);
  const unlock = await lock();
  const adding = Array.from({ length: 5 }, (_, id) => add(id, 'x', { rows: 101 }));
  await until(async () => (await waiting()).length === 2, 'they wait for the lock');
  const short = add(5);
  await until(async () => (await waiting()).length === 3, 'one that is short is lent another');
  t.equal(await reader.text(READ), '0');
  await unlock();
  await Promise.all([...adding, short]);
  t.equal((await names()).length, 6);
});

t.test('a write that may wait for locks uses the pool', async (t) => {
  const { add, waiting, names, lock } = await open(t);
  const unlock = await lock();
  const adding = Array.from({ length: 5 }, (_, id) => add(id, 'x', { waitsForLocks: true }));
  await until(async () => (await waiting()).length === 2, 'they wait for the lock');
  await unlock();
  await Promise.all(adding);
  t.equal((await names()).length, 5);
});

t.test('a lost connection fails the write that it was lent to', async (t) => {
  const { own, reader, add, waiting, names, lock } = await open(t, 2);
  const unlock = await lock();
  const adding = [0, 1].map((id) => add(id));
  const lent = add(2);
  await until(async () => (await waiting()).length === 3, 'they wait for the lock');
  // Where bytes were on their way to a backend that ends, its last words may be lost with them.
  const ended = t.rejects(lent, { code: /^(57P01|ECONNRESET)$/ });
  await own.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database()
      AND application_name = 'sluice test pages' AND wait_event_type = 'Lock'`);
  await ended;
  t.equal(await reader.text(READ), '0', 'reads continue');
  await unlock();
  await Promise.all(adding);
  const again = await until(() => reader.borrow(), 'a new connection is lent');
  await again.client.query("INSERT INTO things VALUES (3, 'again')");
  again.giveBack();
  t.strictSame(await names(), ['x!', 'x!', 'again']);
});

t.test('no connection is lent while a cancellation may still hit it', async (t) => {
  const { own, reader } = await open(t, 2);
  const long = { ...SLOW_READ, values: ['60'] };
  const [kept, other] = [new AbortController(), new AbortController()];
  const reading = [kept, other].map(({ signal }) => t.rejects(reader.text(long, signal)));
  const running = async () => {
    const { rows } = await own.query(`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database()
      AND application_name = 'sluice test pages' AND wait_event = 'PgSleep'`);
    return rows.length;
  };
  await until(async () => (await running()) === 2, 'both are read from');
  const cancelled = performance.now();
  kept.abort();
  other.abort();
  await Promise.all(reading);
  const lent = reader.borrow();
  if (performance.now() - cancelled < 1_000) t.equal(lent, null);
  lent?.giveBack();
  const later = await until(() => reader.borrow(), 'it is lent again');
  t.same((await later.client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
  later.giveBack();
});
