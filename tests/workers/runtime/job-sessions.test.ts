// @newest

import pg from 'pg';
import t from 'tap';
import { createDatabase } from '#tests/harness/database.ts';
import { JobSessions } from '#workers/runtime/job-sessions.ts';

t.test('jobs leave a connection of the pool to what they ask beside', async (t) => {
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
