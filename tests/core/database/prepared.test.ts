import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createPool, type Pool, withConnection } from '#core/database/pool.ts';
import { runTogether } from '#core/database/prepared.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';

async function openPool(t: Teardown): Promise<Pool> {
  const url = await createDatabase(t);
  const log = pino({ level: 'silent' });
  const pool = createPool(loadConfig({}), url, log, { name: 'test', max: 1, statementTimeout: 0 });
  t.teardown(() => pool.end());
  await pool.query('CREATE TABLE numbers (n int PRIMARY KEY, later int UNIQUE DEFERRABLE)');
  return pool;
}

const insert = (n: number) => ({ text: 'INSERT INTO numbers (n) VALUES ($1)', values: [n] });
const list = { text: 'SELECT n FROM numbers ORDER BY n', values: [] };

t.test('an answered script leaves no driver timer running', async (t) => {
  const client = new pg.Client({
    connectionString: await createDatabase(t),
    pipeline: true,
    query_timeout: 60_000,
  });
  await client.connect();
  t.teardown(() => client.end());
  const clocks = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = clocks();
  const asking = runTogether(client, [{ text: 'SELECT 1', values: [] }]);
  t.equal(clocks(), before + 1);
  t.strictSame(await asking, [[['1']]]);
  t.equal(clocks(), before, 'it would end the connection');
});

t.test('statements that run together', async (t) => {
  const pool = await openPool(t);
  const run = (...statements: { text: string; values: unknown[] }[]) =>
    withConnection(pool, (client) => runTogether(client, statements));

  await t.test('yield the texts of their rows on each run', async (t) => {
    const statement = {
      text: 'SELECT $1::int + 1, $2::text[], $3::jsonb, $4::text, $5::timestamptz = to_timestamp(0)',
      values: [1, ['a"b', null], { x: 1 }, null, new Date(0)],
    };
    for (let time = 0; time < 4; time += 1) {
      t.strictSame(await run(statement, { text: '', values: [] }, list), [
        [['2', '{"a\\"b",NULL}', '{"x": 1}', null, 't']],
        [],
        [],
      ]);
    }
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM pg_prepared_statements');
    t.strictSame(rows, [{ count: 3 }], 'and stay prepared');
  });

  await t.test('are planned again for each long list', async (t) => {
    const among = (count: number) => ({
      text: 'SELECT 1 + n FROM numbers WHERE n = ANY($1::int4[])',
      values: [Array.from({ length: count }, (_, index) => index)],
    });
    for (let time = 0; time < 8; time += 1) await run(among(101));
    const kept = async () => {
      const sent = `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement LIKE 'SELECT 1 +%'`;
      return (await pool.query(sent)).rows;
    };
    t.strictSame(await kept(), [{ count: 0 }]);
    for (let time = 0; time < 3; time += 1) await run(among(100));
    t.strictSame(await kept(), [{ count: 1 }], 'and stay prepared for short ones');
  });

  await t.test('see the effects of the previous ones', async (t) => {
    t.strictSame(await run(insert(1), list), [[], [['1']]]);
  });

  await t.test('take effect all or not at all', async (t) => {
    for (let time = 0; time < 3; time += 1) {
      await t.rejects(run(insert(2), insert(1), list), { code: '23505' });
      t.strictSame(await run(list), [[['1']]]);
    }
    const late = { text: 'INSERT INTO numbers VALUES ($1, $2)', values: [3, 7] };
    const deferred = { text: 'SET CONSTRAINTS ALL DEFERRED', values: [] };
    await run(deferred, late);
    const same = { ...late, values: [4, 7] };
    await t.rejects(run(deferred, same, list), { code: '23505' }, 'also at the very end');
    t.strictSame(await run(list), [[['1'], ['3']]]);
  });

  await t.test('neither lose nor accumulate new statements that failed', async (t) => {
    const [{ count: before }] = (
      await pool.query('SELECT count(*)::int AS count FROM pg_prepared_statements')
    ).rows;
    const divide = (by: number) => ({ text: 'SELECT 6 / $1::int', values: [by] });
    const behind = { text: 'SELECT 7', values: [] };
    for (let time = 0; time < 5; time += 1) {
      await t.rejects(run(divide(0), behind), { code: '22012' });
    }
    t.strictSame(await run(divide(2), behind), [[['3']], [['7']]]);
    t.strictSame(await run(divide(3), behind), [[['2']], [['7']]]);
    const [{ count: after }] = (
      await pool.query('SELECT count(*)::int AS count FROM pg_prepared_statements')
    ).rows;
    t.equal(after, before + 2);
  });

  await t.test('are prepared again when PostgreSQL has dropped them', async (t) => {
    const known = { text: 'SELECT 8', values: [] };
    for (let time = 0; time < 3; time += 1) await run(known);
    await pool.query('DEALLOCATE ALL');
    await t.rejects(run(known), { code: '26000' });
    t.strictSame(await run(known), [[['8']]]);
  });

  await t.test('end with their connection', async (t) => {
    const gone = { text: 'SELECT pg_terminate_backend(pg_backend_pid())', values: [] };
    await t.rejects(run(gone, list), { code: '57P01' });
    t.strictSame(await run(list), [[['1'], ['3']]], 'the next connection is another one');
  });

  await t.test('leave only the latest ones prepared, for any number of statements', async (t) => {
    const numbered = (n: number) => ({
      text: `SELECT ${n}, n FROM numbers WHERE n = 1`,
      values: [],
    });
    for (let n = 0; n < 520; n += 1) {
      await run(numbered(n));
      t.strictSame(await run(numbered(n)), [[[String(n), '1']]]);
    }
    const { rows } = await pool.query(`SELECT count(*)::int AS count,
        count(*) FILTER (WHERE statement LIKE 'SELECT 519,%')::int AS last
      FROM pg_prepared_statements`);
    t.strictSame(rows, [{ count: 500, last: 1 }]);
    t.strictSame(await run(numbered(0), numbered(519)), [[['0', '1']], [['519', '1']]]);
  });
});
