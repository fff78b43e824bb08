/** Ending sessions by a session that has ended meanwhile. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { OwnSessions } from '#core/accounts/identity/own-sessions.ts';
import { install } from '../../model/catalog/installation.ts';

const { pool } = await install(t);

t.test('a session that was ended while it waited ends no other', async (t) => {
  const user = randomUUID();
  await pool.query(`INSERT INTO system_users (id, email, status) VALUES ($1, 'a@b.co', 'active')`, [
    user,
  ]);
  const begin = async () => {
    const id = randomUUID();
    await pool.query(
      `INSERT INTO system_sessions (id, family, token, "user", expires)
       VALUES ($1, $2, $3, $4, now() + interval '1 day')`,
      [id, randomUUID(), randomUUID(), user],
    );
    return id;
  };
  const [first, second] = [await begin(), await begin()];
  const sessions = new OwnSessions({ pool, schema: 'public', confirm: async () => undefined });
  const by = (session: string) => ({ ...ANONYMOUS, user, session });
  const count = async () => (await sessions.list(by(first))).length;
  t.equal(await count(), 2);
  await sessions.endOthers(by(first));
  t.equal(await count(), 1);
  // Both asked at the same moment: the second one got the lock later, and is gone by then.
  await t.rejects(sessions.endOthers(by(second)), { code: 'INVALID_CREDENTIALS' });
  const [left] = await sessions.list(by(first));
  await t.rejects(sessions.end(by(second), left?.id ?? ''), { code: 'INVALID_CREDENTIALS' });
  t.match(await sessions.list(by(first)), [{ current: true }]);
});
