/**
 * A change of one item on a shared connection never waits for a lock. While the row is locked, the
 * change moves to the pool, and is made once.
 */
import t from 'tap';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { parsedQuery } from '#core/read/statement-cache.ts';
import { until } from '#tests/harness/until.ts';
import { BOUNDS, caller, openWriters, USER } from './fixture/writers.ts';

const world = await openWriters(t, 'always');
const { items } = world.short;
const question = parsedQuery(parseQuery({ fields: '*' }, BOUNDS));

const target = (collection: string) => ({ collection, caller: caller(true) });
const update = (collection: string, key: string, body: unknown) =>
  items.updateOne(target(collection), key, { body }, question);

/** The names of connections whose statements wait for locks. */
async function waiting(): Promise<readonly string[]> {
  const { rows } = await world.pool.query<{ name: string }>(
    `SELECT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Runs a statement in a transaction that stays open, and yields a function that ends it. */
async function hold(text: string): Promise<() => Promise<void>> {
  const holder = await world.pool.connect();
  await holder.query(`BEGIN; ${text}`);
  return async () => {
    await holder.query('COMMIT');
    holder.release();
  };
}

async function history(): Promise<number> {
  const { rows } = await world.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM system_activity',
  );
  return rows[0]?.count ?? 0;
}

t.beforeEach(() => world.reset());

const HELD: Readonly<Record<string, readonly [string, () => Promise<unknown>]>> = {
  'an update': [
    'SELECT FROM things WHERE id = 1 FOR UPDATE',
    () => update('things', '1', { n: 7 }),
  ],
  'an update without history': [
    'SELECT FROM quiet FOR UPDATE',
    () => update('quiet', USER, { name: 'new' }),
  ],
  'an update that somebody else made first': [
    'UPDATE things SET n = n + 1 WHERE id = 1',
    () => update('things', '1', { name: 'new' }),
  ],
  'a deletion': ['SELECT FROM quiet FOR KEY SHARE', () => items.deleteOne(target('quiet'), USER)],
};

for (const [name, [statement, run]] of Object.entries(HELD)) {
  t.test(`${name} of locked rows waits on the pool, and is done once`, async (t) => {
    const before = world.spare();
    const release = await hold(statement);
    const writing = run();
    await until(async () => (await waiting()).length > 0, 'it waits');
    t.strictSame(await waiting(), ['sluice test'], 'on the pool alone');
    await update('things', '2', { n: 8 });
    t.equal(world.spare(), before + 2, 'both were tried on a shared connection');
    await release();
    await writing;
    const kept = /quiet/.test(statement) ? 1 : 2;
    t.equal(await history(), kept, 'each is recorded once');
  });
}

t.test('unlocked rows are written on a shared connection', async (t) => {
  const before = world.spare();
  const transactions = world.short.transactions.count;
  await update('things', '1', { n: 7 });
  await items.deleteOne(target('quiet'), USER);
  t.equal(world.spare(), before + 2);
  t.equal(world.short.transactions.count, transactions, 'and needs no further connection');
});

t.test('a write that may wait for locks is not tried there', async (t) => {
  const before = world.spare();
  await update('things', '1', { code: 'unique' });
  await update('things', '1', { team: 2 });
  await update('things', '1', { slug: 'unique' });
  t.equal(world.spare(), before);
});

t.test('a referenced item is deleted on the pool', async (t) => {
  await world.pool.query(`CREATE TABLE leaves (id int PRIMARY KEY,
    quiet uuid REFERENCES quiet ON DELETE CASCADE); CREATE INDEX ON leaves (quiet);
    INSERT INTO leaves VALUES (1, '${USER}')`);
  await world.refresh();
  const release = await hold('SELECT FROM leaves FOR UPDATE');
  const before = world.spare();
  const deleting = items.deleteOne(target('quiet'), USER);
  await until(async () => (await waiting()).length > 0, 'it waits for what refers to it');
  t.strictSame(await waiting(), ['sluice test']);
  t.equal(world.spare(), before + 1);
  await release();
  await deleting;
  const { rows } = await world.pool.query('SELECT FROM quiet UNION ALL SELECT FROM leaves');
  t.strictSame(rows, []);
  await world.pool.query('DROP INDEX leaves_quiet_idx');
  await world.reset();
  await world.refresh();
  await items.deleteOne(target('quiet'), USER);
  t.equal(world.spare(), before + 1, 'without an index it is not looked up');
  await world.pool.query('DROP TABLE leaves');
  await world.refresh();
});

const LOCKED: Readonly<Record<string, readonly [string, () => Promise<unknown>]>> = {
  'a table': ['LOCK TABLE quiet', () => update('quiet', USER, { name: 'new' })],
  'what refers to it from a table that is not served': [
    'SELECT FROM hidden.leaves FOR UPDATE',
    () => items.deleteOne(target('quiet'), USER),
  ],
};

for (const [name, [statement, run]] of Object.entries(LOCKED)) {
  t.test(`${name} that is locked delays other requests only briefly`, async (t) => {
    await world.pool.query(`DROP SCHEMA IF EXISTS hidden CASCADE; CREATE SCHEMA hidden;
      CREATE TABLE hidden.leaves (quiet uuid REFERENCES quiet ON DELETE CASCADE);
      INSERT INTO hidden.leaves VALUES ('${USER}')`);
    await until(async () => {
      const before = world.spare();
      await update('quiet', USER, { name: 'old' });
      return world.spare() > before;
    }, 'the table is tried again after a while');
    const release = await hold(statement);
    const before = world.spare();
    const writing = run();
    await until(async () => (await waiting()).includes('sluice test'), 'it waits on the pool');
    t.strictSame(await waiting(), ['sluice test'], 'and nowhere else');
    await update('things', '2', { n: 8 });
    t.equal(world.spare(), before + 2, 'both were tried on a shared connection');
    await release();
    await writing;
    const { rows } = await world.pool.query("SELECT name FROM quiet WHERE name <> 'new'");
    t.strictSame(rows, [], 'it is done');
    await world.pool.query('DROP SCHEMA hidden CASCADE');
  });
}

t.test('hidden and missing items are rejected as usual', async (t) => {
  world.current.rights = FULL_RIGHTS;
  await t.rejects(update('things', '99', { n: 7 }), { code: 'FORBIDDEN' });
  await t.rejects(items.deleteOne(target('quiet'), USER.replace('1', '9')), { code: 'FORBIDDEN' });
  await t.rejects(update('things', '1', { n: 120 }), { code: 'FAILED_VALIDATION' });
});
