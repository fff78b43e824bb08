// @newest

import pg from 'pg';
import t from 'tap';
import { createDatabase } from '#tests/harness/database.ts';
import { JobSessions } from '#workers/runtime/job-sessions.ts';

t.test('jobs leave a connection of the pool for other queries', async (t) => {
  const pool = new pg.Pool({ connectionString: await createDatabase(t), max: 3 });
  t.teardown(() => pool.end());
  const sessions = new JobSessions(pool);
  const { signal } = new AbortController();
  const first = await sessions.open(signal);
  const second = await sessions.open(signal);
  const order: string[] = [];
  const gone = new AbortController();
  const third = sessions.open(signal).then((session) => {
    order.push('third');
    return session;
  });
  const nobody = sessions.open(gone.signal);
  const fourth = sessions.open(signal).then((session) => {
    order.push('fourth');
    return session;
  });
  await pool.query('SELECT 1');
  t.strictSame(order, []);
  gone.abort(new Error('interrupted'));
  await t.rejects(nobody, { message: 'interrupted' });
  await t.rejects(sessions.open(gone.signal), { message: 'interrupted' });
  first.end();
  const after = await third;
  t.strictSame(order, ['third']);
  second.end();
  const last = await fourth;
  t.strictSame(order, ['third', 'fourth']);
  after.end();
  last.end();
  (await sessions.open(signal)).end();
});

t.test('a job that does not wait gets a connection only when one is free', async (t) => {
  const pool = new pg.Pool({ connectionString: await createDatabase(t), max: 3 });
  t.teardown(() => pool.end());
  const sessions = new JobSessions(pool);
  const first = await sessions.openIfFree();
  const second = await sessions.openIfFree();
  t.ok(first !== null && second !== null);
  t.equal(await sessions.openIfFree(), null);
  first?.end();
  const third = await sessions.openIfFree();
  t.ok(third !== null);
  for (const session of [second, third]) session?.end(true);
});

t.test('a connection that cannot be opened leaves its place to the next job', async (t) => {
  const pool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none', max: 2 });
  t.teardown(() => pool.end());
  const sessions = new JobSessions(pool);
  const { signal } = new AbortController();
  for (const _ of [1, 2]) await t.rejects(sessions.open(signal), { code: 'ECONNREFUSED' });
  await t.rejects(sessions.openIfFree(), { code: 'ECONNREFUSED' });
});
