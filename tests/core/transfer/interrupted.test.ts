import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { ServiceErrors } from '#core/base/errors/service-error.ts';
import { importing } from './importing.ts';

/** Locks that sessions of this database wait for. */
const WAITING = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE datname = current_database() AND NOT granted`;

/** A CSV file of so many rows, made as it is read. */
function rowsOfFile(count: number, row: (n: number) => string, header = 'id,name') {
  return async function* () {
    yield Buffer.from(`${header}\n`);
    for (let from = 0; from < count; from += 1_000) {
      let text = '';
      for (let n = from; n < Math.min(from + 1_000, count); n += 1) text += `${row(n + 1)}\n`;
      yield Buffer.from(text);
    }
  };
}

t.test('a cancelled import leaves the table unchanged at any point', async (t) => {
  const db = await importing(
    "CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (0, 'old')",
  );
  const file = rowsOfFile(20_000, (n) => `${n},name ${n}`);
  for (const place of ['import.parsing', 'import.staged', 'import.merging']) {
    const controller = new AbortController();
    const failpoint = async (name: string) => {
      if (name === place) controller.abort(new Error(`given up at ${place}`));
    };
    await t.rejects(db.import('item', file, 'csv', { signal: controller.signal, failpoint }), {
      message: `given up at ${place}`,
    });
    t.strictSame(await db.rows('SELECT * FROM item'), [{ id: 0, name: 'old' }], place);
  }
  const early = AbortSignal.abort(new Error('too early'));
  await t.rejects(db.import('item', file, 'csv', { signal: early }), { message: 'too early' });
  t.match(await db.import('item', file), { inserted: 20_000 }, 'the connections are still usable');
});

t.test('a running statement is cancelled, not waited for', async (t) => {
  const db = await importing(
    `CREATE TABLE item (id int PRIMARY KEY, name text);
     CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       PERFORM pg_advisory_lock(7); RETURN new; END $$;
     CREATE TRIGGER wait AFTER INSERT ON item FOR EACH STATEMENT EXECUTE FUNCTION wait()`,
  );
  const holder = await db.pool.connect();
  await holder.query('SELECT pg_advisory_lock(7)');
  for (const fill of ['', "INSERT INTO item VALUES (0, 'old')"]) {
    await holder.query(fill);
    const controller = new AbortController();
    const running = db.import('item', 'id,name\n1,a\n', 'csv', { signal: controller.signal });
    const waits = async () =>
      (await holder.query(`${WAITING} AND locktype = 'advisory'`)).rowCount ?? 0;
    while ((await waits()) === 0) await delay(10);
    controller.abort(new Error('enough'));
    await t.rejects(running, { message: 'enough' });
    t.equal(await waits(), 0, 'no statement continues in the background');
  }
  await holder.query('SELECT pg_advisory_unlock(7)');
  holder.release();
  t.strictSame(await db.rows('SELECT * FROM item WHERE id > 0'), []);
});

t.test('concurrently inserted rows are matched', async (t) => {
  const db = await importing(
    "CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (0, 'old')",
  );
  const other = await db.pool.connect();
  await other.query("BEGIN; INSERT INTO item VALUES (2, 'theirs'), (3, 'three')");
  const running = db.import('item', 'id,name\n1,one\n2,two\n3,three\n');
  const waits = async () => (await db.rows(`${WAITING} AND locktype = 'transactionid'`)).length;
  while ((await waits()) === 0) await delay(10);
  // The import has looked for these keys already, and waits to see whether they stay.
  await other.query('COMMIT');
  other.release();
  t.match(await running, { inserted: 1, updated: 1, unchanged: 1 });
  t.strictSame(await db.rows('SELECT name FROM item ORDER BY id'), [
    { name: 'old' },
    { name: 'one' },
    { name: 'two' },
    { name: 'three' },
  ]);
});

t.test('concurrent writers lose no data and are not blocked', async (t) => {
  const db = await importing(
    "CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (0, 'old')",
  );
  const file = rowsOfFile(3_000, (n) => `${n},ours`);
  let running = true;
  const writer = (async () => {
    let written = 0;
    for (let id = 1; running || written === 0; id = (id % 3_000) + 1) {
      await db.rows('INSERT INTO item VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, 'theirs']);
      written += 1;
    }
    return written;
  })();
  const result = await db.import('item', file);
  running = false;
  t.ok((await writer) > 0);
  t.equal(result.inserted + result.updated, 3_000);
  t.strictSame(
    await db.rows("SELECT count(*)::int AS n FROM item WHERE id > 0 AND name = 'ours'"),
    [{ n: 3_000 }],
  );
});

t.test('a unique value may move from an updated row to a new one', async (t) => {
  const db = await importing(
    "CREATE TABLE item (id int PRIMARY KEY, code text UNIQUE); INSERT INTO item VALUES (5, 'a')",
  );
  t.match(await db.import('item', 'id,code\n4,a\n5,b\n'), { inserted: 1, updated: 1 });
});

t.test('an empty table with a concurrent writer is merged into', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, name text)');
  const other = await db.pool.connect();
  await other.query("BEGIN; INSERT INTO item VALUES (2, 'theirs')");
  const running = db.import('item', 'id,name\n1,one\n2,two\n', 'csv', {
    failpoint: async (name) => {
      if (name === 'import.staged') await other.query('COMMIT');
    },
  });
  t.match(await running, { inserted: 1, updated: 1 });
  other.release();
});

t.test('the result commits with the rows, or neither does', async (t) => {
  const db = await importing(
    'CREATE TABLE item (id int PRIMARY KEY, name text); CREATE TABLE result (r json)',
  );
  const superseded = new Error('superseded');
  const refusing = { complete: () => Promise.reject(superseded) };
  await t.rejects(db.import('item', 'id,name\n1,a\n', 'csv', refusing), superseded);
  t.strictSame(await db.rows('SELECT * FROM item'), []);
});

t.test('a lost connection is not a fault of the file', async (t) => {
  for (const place of ['import.parsing', 'import.staged', 'import.merging']) {
    const db = await importing(
      "CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (0, 'old')",
    );
    const failpoint = async (name: string) => {
      if (name !== place) return;
      await db.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND (state = 'idle in transaction' OR query LIKE 'COPY%')`,
      );
    };
    const lost = db.import(
      'item',
      rowsOfFile(20_000, (n) => `${n},n`),
      'csv',
      { failpoint },
    );
    const error = await lost.catch((reason) => reason);
    t.type(error, Error);
    t.notOk(error instanceof ServiceErrors, `${place}: ${error}`);
    t.strictSame(await db.rows('SELECT * FROM item'), [{ id: 0, name: 'old' }]);
  }
});

t.test('memory does not grow with the file', async (t) => {
  const db = await importing('CREATE TABLE item (id int PRIMARY KEY, name text)');
  const peak = async (count: number) => {
    let most = 0;
    const file = rowsOfFile(count, (n) => `${n},${'x'.repeat(200)}${n}`);
    const progress = () => {
      const { heapUsed, external } = process.memoryUsage();
      most = Math.max(most, heapUsed + external);
    };
    await db.rows('TRUNCATE item');
    t.match(await db.import('item', file, 'csv', { progress }), { inserted: count });
    return most;
  };
  await peak(10_000);
  const small = await peak(20_000);
  const large = await peak(200_000);
  const growth = (large - small) / 1024 / 1024;
  t.ok(growth < 64, `40 MB more of a file require ${growth.toFixed(1)} MiB more`);
});
