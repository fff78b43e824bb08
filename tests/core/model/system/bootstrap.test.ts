import { createHash } from 'node:crypto';
import argon2 from 'argon2';
import pg from 'pg';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { bootstrapAdmin } from '#core/model/system/bootstrap.ts';
import { createSystemDatabase, type Teardown } from '#tests/harness/database.ts';

const CHEAP = { ARGON2_MEMORY: '64kb', ARGON2_TIME: '1' };

async function migratedPool(t: Teardown): Promise<pg.Pool> {
  const url = await createSystemDatabase(t);
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  t.teardown(() => pool.end());
  return pool;
}

t.test('the first start creates an admin whose secrets are stored as hashes', async (t) => {
  const pool = await migratedPool(t);
  const admin = await bootstrapAdmin(loadConfig(CHEAP), pool);
  t.ok(admin);
  if (admin === null) return;
  const { rows } = await pool.query(`
    SELECT u.email, u.password, u.token, p.admin_access FROM system_users u
    JOIN system_access a ON a.role = u.role JOIN system_policies p ON p.id = a.policy`);
  t.equal(rows.length, 1);
  t.match(rows[0], { email: admin.email, admin_access: true });
  t.equal(rows[0].token, createHash('sha256').update(admin.token).digest('hex'));
  t.match(rows[0].password, /^\$argon2id\$/);
  t.equal(await argon2.verify(rows[0].password, admin.password), true);
  t.equal(await bootstrapAdmin(loadConfig(CHEAP), pool), null, 'the second start creates no admin');
});

t.test('given credentials are used', async (t) => {
  const pool = await migratedPool(t);
  const given = {
    ADMIN_EMAIL: 'op@example.org',
    ADMIN_PASSWORD: 'correct horse',
    ADMIN_TOKEN: 'a-token-of-enough-length',
  };
  t.strictSame(await bootstrapAdmin(loadConfig({ ...CHEAP, ...given }), pool), {
    email: given.ADMIN_EMAIL,
    password: given.ADMIN_PASSWORD,
    token: given.ADMIN_TOKEN,
  });
});

t.test('simultaneous starts create one admin and one row of settings', async (t) => {
  const pool = await migratedPool(t);
  const made = await Promise.all([1, 2, 3, 4].map(() => bootstrapAdmin(loadConfig(CHEAP), pool)));
  t.equal(made.filter((admin) => admin !== null).length, 1);
  const { rows } = await pool.query(`
    SELECT (SELECT count(*)::int FROM system_users) AS users,
      (SELECT count(*)::int FROM system_settings) AS settings`);
  t.strictSame(rows, [{ users: 1, settings: 1 }]);
});
