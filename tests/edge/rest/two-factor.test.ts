// @newest

import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import {
  ask,
  createUser,
  outcome,
  PASSWORD,
  post,
  QUICK_LOGIN,
  signIn,
} from './fixture/sign-in.ts';

const cluster = await startCluster(t, { env: QUICK_LOGIN });
const { url, db } = cluster;

/** A user who is signed in, and posts to the routes of the second factor. */
async function member(columns: Readonly<Record<string, unknown>> = {}) {
  const user = await createUser(cluster, columns);
  const { access_token } = await signIn(url, user);
  const authorization = `Bearer ${access_token}`;
  const tfa = (action: string, body: unknown) =>
    post(`${url}/users/me/tfa/${action}`, body, { authorization });
  return { user, authorization, tfa };
}

/** The code of a moment so many half minutes from now. */
function code(secret: string, steps = 0): string {
  const timestamp = Date.now() + steps * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

t.test('a second factor is made, taken into use, asked for and given up', async (t) => {
  const { user, tfa } = await member();
  t.equal(await outcome(tfa('generate', {})), 'INVALID_PAYLOAD');
  t.equal(await outcome(tfa('generate', { password: 'wrong' })), 'INVALID_CREDENTIALS');
  const generated = await tfa('generate', { password: PASSWORD });
  t.equal(generated.status, 200);
  t.equal(generated.headers.get('cache-control'), 'no-store');
  const { data } = await bodyOf<{ data: { secret: string; otpauth_url: string } }>(generated);
  t.strictSame(Object.keys(data).sort(), ['otpauth_url', 'secret']);
  t.match(data.secret, /^[A-Z2-7]{32}$/);
  const link = new URL(data.otpauth_url);
  t.equal(link.protocol, 'otpauth:');
  t.equal(link.searchParams.get('secret'), data.secret);
  t.match(decodeURIComponent(link.pathname), user.email);
  const login = (otp?: string) =>
    outcome(post(`${url}/auth/login`, { email: user.email, password: PASSWORD, otp }));
  t.equal(await login(), 200, 'it is not in use yet');

  const { secret } = data;
  t.equal(await outcome(tfa('enable', { secret })), 'INVALID_PAYLOAD');
  t.equal(await outcome(tfa('enable', { secret, otp: 'wrong' })), 'INVALID_PAYLOAD');
  t.equal(
    await outcome(tfa('enable', { secret: 'ABCD', otp: code('ABCD') })),
    'INVALID_PAYLOAD',
    'weak',
  );
  const own = new Secret({ size: 20 }).base32;
  t.equal(await outcome(tfa('enable', { secret: own, otp: code(own) })), 'INVALID_PAYLOAD', 'own');
  const other = await member();
  const theirs = await other.tfa('generate', { password: PASSWORD });
  const { secret: foreign } = (await bodyOf<{ data: { secret: string } }>(theirs)).data;
  t.equal(
    await outcome(tfa('enable', { secret: foreign, otp: code(foreign) })),
    'INVALID_PAYLOAD',
    'generated for somebody else',
  );
  const age = (time: string) =>
    db.query(
      `UPDATE system_logins SET tfa_generated_on = tfa_generated_on - $2::interval WHERE "user" = $1`,
      [user.id, time],
    );
  await age('11 minutes');
  t.equal(await outcome(tfa('enable', { secret, otp: code(secret) })), 'INVALID_PAYLOAD', 'late');
  await age('-11 minutes');
  const thief = await signIn(url, user);
  t.equal(await ask(url, thief.access_token), 200);
  // Half a minute may end at any time: what came too late is made anew.
  const first = await until(async () => {
    const otp = code(secret, -1);
    return (await outcome(tfa('enable', { secret, otp }))) === 204 && otp;
  }, 'it is enabled');
  const { rows: stored } = await db.query('SELECT tfa_secret FROM system_users WHERE id = $1', [
    user.id,
  ]);
  t.match(stored[0].tfa_secret, /^\$aes-256-gcm\$/);
  t.notMatch(stored[0].tfa_secret, secret, 'it is stored encrypted');
  t.equal(
    await ask(url, thief.access_token),
    'INVALID_CREDENTIALS',
    'logins without it have ended',
  );
  const { refresh_token } = thief;
  t.equal(await outcome(post(`${url}/auth/refresh`, { refresh_token })), 'INVALID_CREDENTIALS');
  t.equal(await outcome(tfa('enable', { secret, otp: code(secret) })), 'INVALID_PAYLOAD', 'twice');
  t.equal(await outcome(tfa('generate', { password: PASSWORD })), 'INVALID_PAYLOAD');

  t.equal(await login(), 'INVALID_OTP');
  t.equal(await login(first), 'INVALID_OTP', 'that code was used to enable');
  const second = code(secret);
  t.equal(await login(second), 200);
  t.equal(await login(second), 'INVALID_OTP', 'a code works once');
  t.equal(await outcome(tfa('disable', { otp: second })), 'INVALID_PAYLOAD', 'anywhere');
  t.equal(await outcome(tfa('disable', {})), 'INVALID_PAYLOAD');
  t.equal(await outcome(tfa('disable', { otp: code(secret, 1) })), 204);
  t.equal(await login(), 200);
  const { rows } = await db.query(
    `SELECT action FROM system_activity WHERE "user" = $1 AND item = $2 AND action = 'update'`,
    [user.id, user.id],
  );
  t.equal(rows.length, 2, 'both changes are noted');
});

t.test('only an admin removes a lost second factor', async (t) => {
  const tfa_secret = new Secret({ size: 20 }).base32;
  const { id, email } = await createUser(cluster, { tfa_secret });
  const { authorization } = await member();
  const disable = (key: string, headers: Record<string, string>) =>
    outcome(post(`${url}/users/${key}/tfa/disable`, {}, headers));
  t.equal(await disable(id, { authorization }), 'FORBIDDEN');
  t.equal(await disable(id, {}), 'FORBIDDEN');
  const admin = (key: string) =>
    cluster.fetch(`/users/${key}/tfa/disable`, { method: 'POST' }).then(outcome);
  t.equal(await admin('no key'), 'FORBIDDEN');
  t.equal(await admin('00000000-0000-4000-8000-000000000000'), 'FORBIDDEN');
  t.equal(await admin(id), 204);
  t.equal(await outcome(post(`${url}/auth/login`, { email, password: PASSWORD })), 200);
});

t.test('anonymous callers have no second factor', async (t) => {
  const routes = {
    generate: { password: 'x' },
    enable: { secret: 'x', otp: '1' },
    disable: { otp: '1' },
  };
  for (const [action, body] of Object.entries(routes)) {
    t.equal(
      await outcome(post(`${url}/users/me/tfa/${action}`, body)),
      'INVALID_CREDENTIALS',
      action,
    );
  }
});

t.test('a policy that requires a second factor refuses users without one', async (t) => {
  const role = '7d0f1c8e-0000-4000-8000-000000000029';
  await db.query(`
    WITH r AS (INSERT INTO system_roles (id, name) VALUES ('${role}', 'careful')),
      p AS (INSERT INTO system_policies (name, app_access, admin_access, enforce_tfa)
        VALUES ('careful', true, true, true) RETURNING id)
    INSERT INTO system_access (role, policy) SELECT '${role}', id FROM p`);
  const { user, authorization, tfa } = await member({ role });
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  for (const [method, path, body] of [
    ['GET', '/users'],
    ['GET', `/users/${user.id}`],
    ['SEARCH', '/items/anything', {}],
    ['GET', '/permissions/me'],
    ['GET', '/roles/me'],
    ['POST', '/users', { email: 'a@example.com' }],
    ['POST', '/users/me/tfa/disable', { otp: '123456' }],
    ['PATCH', '/users/me', { role: { name: 'mine' } }],
    ['PATCH', '/users/me', { policies: [] }],
    ['PATCH', '/users/me', { token: 'a-token-that-needs-no-factor' }],
    ['PATCH', '/users/me', { password: 'another password' }],
    ['PATCH', '/users/me', { email: 'other@example.com' }],
    ['PATCH', '/users/me', { role: null }],
    ['PATCH', '/users/me', { tfa_secret: null }],
    ['GET', '/jobs'],
    ['GET', '/schema/snapshot'],
    ['POST', '/utils/hash/generate', { string: 'x' }],
    ['GET', '/no-such-route'],
  ] as const) {
    t.equal(await outcome(ask(method, path, body)), 'FORBIDDEN', `${method} ${path}`);
  }
  await until(async () => (await outcome(ask('GET', '/server/health'))) === 200, 'the health');
  const self = await bodyOf<{ data: { email: string; role: unknown } }>(
    await ask('GET', '/users/me?fields=email,role.*,role.users.*'),
  );
  t.equal(self.data.email, user.email);
  t.equal(self.data.role, role, 'the own row, and nothing beyond it');
  t.equal(await outcome(ask('PATCH', '/users/me', { first_name: 'Ada' })), 200);

  const token = 'a-static-token-of-somebody-careful';
  const { id } = await createUser(cluster, {
    role,
    token: createHash('sha256').update(token).digest('hex'),
  });
  const exempt = await fetch(`${url}/users/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  t.equal(exempt.status, 200, 'static tokens are exempt');

  const thief = await signIn(url, user);
  const generated = await tfa('generate', { password: PASSWORD });
  const { secret } = (await bodyOf<{ data: { secret: string } }>(generated)).data;
  await until(
    async () => (await outcome(tfa('enable', { secret, otp: code(secret) }))) === 204,
    'it is enabled',
  );
  t.equal((await ask('GET', '/users')).status, 200, 'the way is free');
  const authorized = { headers: { authorization: `Bearer ${thief.access_token}` } };
  t.equal(
    await outcome(fetch(`${url}/users`, authorized)),
    'INVALID_CREDENTIALS',
    'a session of the password alone ends',
  );
  t.equal(await outcome(ask('POST', '/auth/logout', {})), 'INVALID_PAYLOAD', 'reached, no cookie');
});
