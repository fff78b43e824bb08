import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import type { HeldConnection } from '#core/database/held-connection.ts';
import { createPool, transaction } from '#core/database/pool.ts';
import { PoolShares, type ReadKind } from '#core/database/pool-shares.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

interface Options {
  readonly wait?: number;
  readonly isFrozen?: boolean;
  readonly now?: () => number;
}

function clockOf(isFrozen: boolean, now?: () => number) {
  if (now !== undefined) return { now };
  return isFrozen ? { now: () => 0 } : {};
}

/**
 * Six connections, of which half are three.
 * @param options.isFrozen time does not pass, so that no read becomes slow
 */
async function open(t: Teardown, { wait = 60_000, isFrozen = false, now }: Options = {}) {
  const url = await createDatabase(t);
  const config = loadConfig({ DATABASE_POOL_WAIT: '1m' });
  const pool = createPool(config, url, log, { name: 'test', max: 6, statementTimeout: 0 });
  const own = createPool(config, url, log, { name: 'own', max: 2, statementTimeout: 0 });
  const shares = new PoolShares({ pool, url, log, wait, ...clockOf(isFrozen, now) });
  t.teardown(() => Promise.all([pool.end(), own.end()]));
  const taken: HeldConnection[] = [];
  /** Requests connections; as many as allowed are granted. */
  const take = (kind: ReadKind, count: number, holder: string | null = null) =>
    Array.from({ length: count }, () => {
      shares.noteHolder(holder);
      return shares.take(kind, undefined, holder).then((held) => taken.push(held));
    });
  const settled = async (count: number) => {
    await until(() => taken.length === count, `${count} have a connection`);
    await pool.query('SELECT 1');
    if (taken.length !== count) throw new Error(`${taken.length} have one`);
  };
  return { shares, pool, own, taken, take, settled };
}

t.test('slow reads have half of the connections, and blocked ones fewer', async (t) => {
  const { taken, take, settled } = await open(t, { isFrozen: true });
  void take('blocked', 5);
  await settled(2);
  void take('slow', 5);
  await settled(3);
  void take('read', 2);
  void take('stream', 1);
  await until(() => taken.length === 6, 'quick ones have the others');
  for (const asked of [6, 7, 8]) {
    taken[asked - 6]?.giveBack(true);
    await until(() => taken.length > asked, 'the next one follows');
  }
  await until(() => {
    for (const held of taken) held.giveBack(true);
    return taken.length === 13;
  }, 'all have their turn');
  for (const held of taken) held.giveBack(true);
});

t.test('a holder leaves connections to other holders', async (t) => {
  const { shares, taken, take, settled } = await open(t, { isFrozen: true });
  void take('slow', 5, 'a');
  await settled(2);
  void take('slow', 1, 'b');
  await settled(3);
  for (const held of taken) held.giveBack(true);
  await until(() => taken.length === 5, 'the next two have theirs');
  for (const held of taken) held.giveBack(true);
  await until(() => taken.length === 6, 'the last one follows');
  for (const held of taken.splice(0)) held.giveBack(true);
  shares.limitsLongReads = true;
  void take('new', 3, 'a');
  await settled(1);
  void take('new', 1, 'b');
  await settled(2);
  await until(() => {
    for (const held of taken) held.giveBack(true);
    return taken.length === 4;
  }, 'all have their turn');
  for (const held of taken) held.giveBack(true);
});

t.test('a single holder may have all connections for long reads', async (t) => {
  const { taken, take } = await open(t, { isFrozen: true });
  void take('long', 6, 'a');
  await until(() => taken.length === 6, 'all connections are taken');
  for (const held of taken) held.giveBack(true);
});

t.test('the waiting holder with the fewest connections is next', async (t) => {
  const { shares, taken, take } = await open(t, { isFrozen: true });
  void take('read', 6, 'a');
  await until(() => taken.length === 6, 'all connections are taken');
  const order: string[] = [];
  const waiting = ['a', 'a', 'b', 'a'].map(async (holder) => {
    const held = await shares.take('read', undefined, holder);
    order.push(holder);
    held.giveBack(true);
  });
  taken[0]?.giveBack(true);
  await Promise.all(waiting);
  t.strictSame(order, ['b', 'a', 'a', 'a']);
  for (const held of taken.slice(1)) held.giveBack(true);
});

t.test('long reads get a third beside quick ones, and slow reads do not block them', async (t) => {
  const { shares, taken, take, settled } = await open(t, { isFrozen: true });
  shares.limitsLongReads = true;
  void take('slow', 3);
  await settled(1);
  void take('long', 3);
  await settled(2);
  void take('read', 2);
  await settled(4);
  shares.limitsLongReads = false;
  await until(() => taken.length === 6, 'all connections are taken');
  await until(() => {
    for (const held of taken) held.giveBack(true);
    return taken.length === 8;
  }, 'all have their turn');
  for (const held of taken) held.giveBack(true);
});

t.test('new reads have the maximum of long ones, and separate connections', async (t) => {
  const { shares, taken, take, settled } = await open(t, { isFrozen: true });
  shares.limitsLongReads = true;
  void take('long', 3);
  await settled(2);
  void take('new', 3);
  await settled(4);
  void take('read', 1);
  await settled(5);
  taken[2]?.giveBack(true);
  await until(() => taken.length === 6, 'a new one follows a new one');
  await until(() => {
    for (const held of taken) held.giveBack(true);
    return taken.length === 7;
  }, 'all have their turn');
  for (const held of taken) held.giveBack(true);
});

t.test('writes to one table leave connections to other work', async (t) => {
  const { shares, pool } = await open(t);
  const clients: { release(): void }[] = [];
  const write = (table: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      void shares
        .writesTo(table)
        .connect()
        .then((client) => clients.push(client));
    }
  };
  write('a', 8);
  await until(() => clients.length === 4, 'four of six');
  t.notOk(shares.hasRoomFor('a'));
  t.ok(shares.hasRoomFor('b'));
  write('b', 2);
  await until(() => clients.length === 5, 'all writes together leave one');
  t.strictSame((await pool.query('SELECT 1 AS one')).rows, [{ one: 1 }], 'for logins');
  for (let done = 0; done < 10; done += 1) {
    await until(() => clients.length > done, 'the next one follows');
    clients[done]?.release();
  }
});

t.test('the writes of a holder leave a connection for the table to other holders', async (t) => {
  const { shares } = await open(t, { isFrozen: true });
  const order: string[] = [];
  const clients: { release(): void }[] = [];
  const write = async (holder: string) => {
    const client = await shares.writesTo('a', holder).connect();
    order.push(holder);
    clients.push(client);
  };
  const one = write('b');
  await one;
  clients.pop()?.release();
  const greedy = Promise.all(Array.from({ length: 6 }, () => write('a')));
  await until(() => clients.length === 3, 'three of the four for a table');
  await write('b');
  t.strictSame(order, ['b', 'a', 'a', 'a', 'b']);
  const release = setInterval(() => clients.shift()?.release(), 5);
  await greedy;
  await until(() => clients.length === 0, 'all had their turn');
  clearInterval(release);
});

t.test('the waiting holder with the least recent use is next', async (t) => {
  let now = 0;
  const { shares } = await open(t, { now: () => now });
  const order: string[] = [];
  const clients: { release(): void }[] = [];
  const write = async (holder: string) => {
    const client = await shares.writesTo('a', holder).connect();
    order.push(holder);
    clients.push(client);
  };
  await Promise.all([write('a'), write('b')]);
  now += 500;
  for (const client of clients.splice(0)) client.release();
  const first = Promise.all(['c', 'd', 'e', 'f'].map(write));
  await first;
  order.length = 0;
  const rest = Promise.all(['a', 'b', 'new'].map(write));
  clients.shift()?.release();
  await until(() => order.length === 1, 'one follows');
  t.strictSame(order, ['new']);
  const release = setInterval(() => clients.shift()?.release(), 5);
  await rest;
  await until(() => clients.length === 0, 'all had their turn');
  clearInterval(release);
});

t.test('reads make room for other waiting work', async (t) => {
  const { taken, pool, take } = await open(t);
  const reads = take('read', 30);
  await until(() => taken.length === 6, 'reads have all that nobody else wants');
  const logins = Promise.all([1, 2].map(() => pool.connect()));
  await until(() => pool.waitingCount === 2, 'others wait');
  for (const held of taken.splice(0, 3)) held.giveBack(true);
  for (const client of await logins) client.release();
  const giveBack = setInterval(() => taken.splice(0, 1)[0]?.giveBack(true), 5);
  await Promise.all(reads);
  await until(() => taken.length === 0, 'all reads had their turn');
  clearInterval(giveBack);
});

t.test('a work that waits too long is rejected, and an aborted one stops waiting', async (t) => {
  const { shares, take, taken } = await open(t, { wait: 200 });
  await Promise.all(take('read', 6));
  await t.rejects(shares.take('read', undefined), /timeout exceeded/);
  const controller = new AbortController();
  const waiting = shares.take('read', controller.signal);
  controller.abort();
  await t.rejects(waiting, { name: 'AbortError' });
  for (const held of taken) held.giveBack(true);
  const again = await Promise.all([1, 2, 3, 4, 5, 6].map(() => shares.take('read', undefined)));
  for (const held of again) held.giveBack(true);
});

t.test('writes that wait for a lock are cancelled when others need connections', async (t) => {
  const { shares, own, pool } = await open(t);
  await own.query('CREATE TABLE a (id int); CREATE TABLE b (id int); CREATE TABLE c (id int)');
  const holder = await own.connect();
  await holder.query('BEGIN; LOCK a, b');
  const insert = (table: string) =>
    transaction(shares.writesTo(table), (client) =>
      client.query(`INSERT INTO ${table} VALUES (1)`),
    );
  const blocked = Promise.allSettled(['a', 'a', 'a', 'a', 'b'].map(insert));
  const waiting = async () => {
    const { rows } = await own.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  await until(async () => (await waiting()) === 5, 'they wait for the locks');
  const login = await pool.connect();
  await Promise.all([1, 2, 3].map(() => insert('c')));
  await until(async () => (await waiting()) <= 3, 'they have half of the connections at most');
  login.release();
  await holder.query('COMMIT');
  holder.release();
  const answers = await blocked;
  const refused = answers.filter((answer) => answer.status === 'rejected');
  t.ok(refused.length > 0);
  for (const { reason } of refused)
    t.match(reason, { code: 'SERVICE_UNAVAILABLE', message: /lock/ });
  const { rows } = await own.query('SELECT FROM a UNION ALL SELECT FROM b');
  t.equal(rows.length, answers.length - refused.length, 'all accepted ones are written');
});
