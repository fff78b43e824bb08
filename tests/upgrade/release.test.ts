/**
 * Takes what an installation of each release has left in its database to this release: the rows
 * are all there, tokens and passwords work, rights mean what they meant, and history can be read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import t from 'tap';
import { migrate } from '#core/model/system/migrate.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { completeHealth } from '#tests/harness/health.ts';
import { until } from '#tests/harness/until.ts';

const ADMIN = 'token-of-the-first-admin-010';
const WRITER = 'token-of-the-writer-of-010';
const TFA_SECRET = 'KVKFKRCPNZQUYMLXOVYDSQKJKZDTSRLD';

async function load(url: string, release: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(readFileSync(join(import.meta.dirname, `${release}.sql`), 'utf8'));
  } finally {
    await client.end();
  }
}

t.test('0.1.0', async (t) => {
  const databaseUrl = await createDatabase(t);
  await load(databaseUrl, '0.1.0');
  await migrate({ DATABASE_SCHEMA: ['public'] }, databaseUrl);
  t.strictSame(await migrate({ DATABASE_SCHEMA: ['public'] }, databaseUrl), []);

  const cluster = await startCluster(t, { databaseUrl, workers: 1 });
  const ask = async (token: string | null, path: string, method = 'GET', body?: unknown) => {
    const response = await fetch(cluster.url + path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        'Content-Type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const get = async (token: string | null, path: string) => (await ask(token, path)).body.data;

  t.strictSame(await get(ADMIN, '/items/authors?fields=name,secret,articles.title&filter[id]=1'), [
    {
      name: 'Ada',
      secret: '**********',
      articles: [{ title: 'One, again' }, { title: 'Two' }, { title: 'Mine' }],
    },
  ]);
  const login = { email: 'writer@example.com', password: 'release-0.1.0-Writer' };
  t.equal((await ask(null, '/auth/login', 'POST', login)).status, 200);
  const suspended = { email: 'gone@example.com', password: 'release-0.1.0-Gone' };
  t.equal((await ask(null, '/auth/login', 'POST', suspended)).status, 401);

  await t.test('a second factor works on, and its secret is encrypted', async (t) => {
    const database = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    t.teardown(() => database.end());
    const stored = async () => {
      const { rows } = await database.query(
        "SELECT tfa_secret FROM system_users WHERE email = 'careful@example.com'",
      );
      return rows[0].tfa_secret;
    };
    const careful = { email: 'careful@example.com', password: 'release-0.1.0-Careful' };
    t.match(await ask(null, '/auth/login', 'POST', careful), {
      body: { errors: [{ extensions: { code: 'INVALID_OTP' } }] },
    });
    // Those of half minutes that follow: each works once.
    const code = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(TFA_SECRET) }).generate({
        timestamp: Date.now() + steps * 30_000,
      });
    const login = async (steps: number) =>
      (await ask(null, '/auth/login', 'POST', { ...careful, otp: code(steps) })).status;
    await until(async () => (await login(-1)) === 200, 'the plain secret is read');
    await until(async () => (await stored()) !== TFA_SECRET, 'the secret is encrypted');
    t.match(await stored(), /^\$aes-256-gcm\$[\w-]{8}\$[\w-]+$/);
    await until(async () => (await login(1)) === 200, 'the encrypted secret is read');
  });

  t.strictSame(await get(WRITER, '/items/articles?fields=title'), [{ title: 'Mine' }]);
  t.strictSame(await get(null, '/items/authors?sort=name'), [
    { name: 'Ada' },
    { name: 'Edsger' },
    { name: 'Grace' },
  ]);
  // Rules that this release cannot read, and that the one before took for "no condition".
  const update = await ask(WRITER, '/items/authors/1', 'PATCH', { name: 'Byron' });
  t.equal(update.status, 403);
  t.equal((await ask(WRITER, '/items/authors/3', 'DELETE')).status, 403);

  const broken = await ask(WRITER, '/items/articles', 'POST', { title: 'Another' });
  t.match(broken, { status: 422, body: { errors: [{ message: /validation rule.+"status"/ }] } });
  const { checks } = await completeHealth(async () => (await ask(ADMIN, '/server/health')).body);
  t.match(checks['history:size'], [{ status: 'ok', observedUnit: 'rows', threshold: 10_000_000 }]);
  const text = JSON.stringify(checks);
  for (const what of ['"permission":3,', '"permission":5,', 'validation of status', 'encrypt']) {
    t.ok(text.includes(what), `health tells of ${what}`);
  }
  t.notOk(text.includes('public.system_'), 'every table is known as one of this release');
  const mended = { meta: { validation: null } };
  t.equal((await ask(ADMIN, '/fields/articles/status', 'PATCH', mended)).status, 200);

  const made = await ask(WRITER, '/items/articles', 'POST', { title: 'Another' });
  t.match(made, { status: 200, body: { data: { title: 'Another', status: 'new' } } });

  t.match(await get(ADMIN, '/settings'), { project_name: 'Dumped', auth_login_attempts: 5 });
  t.match(await get(ADMIN, '/presets'), [{ bookmark: 'mine' }]);
  t.match(await get(ADMIN, '/comments'), [{ comment: 'well said' }]);
  t.match(await get(ADMIN, '/jobs?filter[kind][_eq]=import'), [
    { state: 'completed', result: { inserted: 2 } },
  ]);
  const revisions = await get(ADMIN, '/revisions?filter[collection]=articles&filter[item]=1');
  t.match(revisions, [{ data: { title: 'One' } }, { delta: { title: 'One, again' } }]);
  t.equal((await ask(ADMIN, `/utils/revert/${revisions[0].id}`, 'POST')).status, 204);
  t.equal((await get(ADMIN, '/items/articles/1')).title, 'One');

  const field = { field: 'pages', type: 'integer', schema: { default_value: 1 } };
  t.equal((await ask(ADMIN, '/fields/articles', 'POST', field)).status, 200);
  t.equal((await get(ADMIN, '/items/articles/1')).pages, 1);
});
