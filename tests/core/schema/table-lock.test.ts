import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type Client, transaction } from '#core/database/pool.ts';
import type { TableLock } from '#core/schema/schema-change-context.ts';
import { lockTables } from '#core/schema/table-lock.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const url = await createDatabase(t);
const pool = new pg.Pool({ connectionString: url, max: 10 });
t.teardown(() => pool.end());
await pool.query(`
  CREATE TABLE book (id int PRIMARY KEY);
  INSERT INTO book VALUES (1);
  CREATE TABLE shelf (id int PRIMARY KEY);
  CREATE TABLE part (id int) PARTITION BY RANGE (id);
  CREATE TABLE part_one PARTITION OF part FOR VALUES FROM (0) TO (9)`);

const book: TableLock = { schema: 'public', name: 'book' };
const shelf: TableLock = { schema: 'public', name: 'shelf' };
const LONG = { limit: 60_000, signal: new AbortController().signal };
const SHORT = { ...LONG, limit: 40 };

/** A session that holds what its statement locks until it is asked to end. */
async function holder(statement: string) {
  const client = await pool.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query(statement);
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  let ended = false;
  const end = async () => {
    if (ended) return;
    ended = true;
    await client.query('ROLLBACK');
    client.release();
  };
  t.teardown(end);
  return { pid, end };
}

const lock = (tables: readonly TableLock[], options = LONG) =>
  transaction(pool, async (client: Client) => {
    await lockTables(client, tables, options);
    const { rows } = await client.query<{ relation: string; mode: string }>(
      `SELECT relation::regclass::text AS relation, mode FROM pg_locks
       WHERE pid = pg_backend_pid() AND locktype = 'relation' AND granted
         AND relation::regclass::text IN ('book', 'shelf', 'part', 'part_one') ORDER BY 1, 2`,
    );
    return rows.map(({ relation, mode }) => `${relation} ${mode}`);
  });

t.test('all tables are locked as they are to be', async (t) => {
  t.strictSame(await lock([{ ...book, mode: 'SHARE ROW EXCLUSIVE' }, shelf]), [
    'book ShareRowExclusiveLock',
    'shelf AccessExclusiveLock',
  ]);
  t.strictSame(await lock([{ schema: 'public', name: 'part' }]), [
    'part AccessExclusiveLock',
    'part_one AccessExclusiveLock',
  ]);
});

t.test('readers are no hindrance to a lock that leaves them alone', async (t) => {
  const reader = await holder('SELECT FROM book');
  const weak = { ...book, mode: 'SHARE ROW EXCLUSIVE' } as const;
  t.strictSame(await lock([weak], SHORT), ['book ShareRowExclusiveLock']);
  await reader.end();
  const writer = await holder('INSERT INTO book VALUES (2)');
  await t.rejects(lock([weak], SHORT), { code: 'SERVICE_UNAVAILABLE' });
  await writer.end();
});

t.test('nobody waits behind a change that waits for a long reader', async (t) => {
  const reader = await holder('SELECT FROM book');
  let held = false;
  const locking = lock([book, shelf]).then(() => {
    held = true;
  });
  const queueing: boolean[] = [];
  for (let look = 0; look < 100; look += 1) {
    // A reader that had to queue would never come back while the long one is there.
    if (look % 4 === 0) await pool.query('SELECT FROM book, shelf');
    const { rowCount } = await pool.query(
      `SELECT FROM pg_locks WHERE NOT granted AND relation IN ('book'::regclass, 'shelf'::regclass)`,
    );
    queueing.push(rowCount !== 0);
    await delay(10);
  }
  t.notOk(held);
  // It may try once, before it can tell a long reader from a short one.
  const attempts = queueing.filter((is, look) => is && queueing[look - 1] !== true).length;
  t.ok(attempts <= 1, 'it does not queue behind one that it knows to be long');
  t.ok(queueing.filter((is) => is).length < 50, 'nor for long');
  await reader.end();
  await locking;
  t.ok(held, 'it goes through when the long one ends');
});

t.test('a reader that never ends is named, partitions included', async (t) => {
  const reader = await holder('SELECT FROM book');
  const error = await lock([book, shelf], SHORT).catch((reason: unknown) => reason);
  t.ok(error instanceof ServiceError);
  if (!(error instanceof ServiceError)) return;
  t.equal(error.code, 'SERVICE_UNAVAILABLE');
  t.match(error.details.reason?.sentence, new RegExp(`\\b${reader.pid}\\b`));
  t.match(error.details.reason?.sentence, /public\.book/);
  await reader.end();
  const inPart = await holder('SELECT FROM part_one');
  await t.rejects(lock([{ schema: 'public', name: 'part' }], SHORT), {
    message: new RegExp(`\\b${inPart.pid}\\b`),
  });
  await inPart.end();
});

t.test('it gets in among readers who come one after another without a gap', async (t) => {
  let reading = true;
  let reads = 0;
  const readers = Array.from({ length: 4 }, async () => {
    while (reading) {
      await pool.query('SELECT pg_sleep(0.01) FROM book');
      reads += 1;
    }
  });
  await until(() => reads > 10, 'readers');
  await lock([book]);
  const before = reads;
  await until(() => reads > before + 10, 'readers afterwards');
  t.ok(reads > before, 'and they go on');
  reading = false;
  await Promise.all(readers);
});

t.test('it is given up when it is not wanted any more', async (t) => {
  const reader = await holder('SELECT FROM book');
  const controller = new AbortController();
  const locking = lock([book], { ...LONG, signal: controller.signal });
  controller.abort(new Error('not wanted'));
  await t.rejects(locking, { message: /not wanted|aborted/ });
  await reader.end();
});
