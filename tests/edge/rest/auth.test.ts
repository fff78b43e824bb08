// @quick

import { decodeJwt, decodeProtectedHeader } from 'jose';
import t from 'tap';
import { tokenOf } from '#edge/rest/credential.ts';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import {
  ask,
  cookiesOf,
  createUser,
  outcome,
  PASSWORD,
  post,
  QUICK_LOGIN,
  signIn,
  type Tokens,
} from './fixture/sign-in.ts';

const cluster = await startCluster(t, {
  env: { ...QUICK_LOGIN, SESSION_REFRESH_GRACE_PERIOD: '10m' },
});
const { url, db } = cluster;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

async function login(body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const user = await createUser(cluster);
  const response = await post(
    `${url}/auth/login`,
    { email: user.email, password: PASSWORD, ...body },
    headers,
  );
  const { data } = await bodyOf<{ data: Partial<Tokens> }>(response);
  return { user, response, data, cookie: cookiesOf(response) };
}

t.test('login in mode json', async (t) => {
  const { user, response, data } = await login({ surplus: 1 }, { origin: 'https://app.example' });
  t.equal(response.status, 200);
  t.equal(response.headers.get('cache-control'), 'no-store');
  t.strictSame(response.headers.getSetCookie(), []);
  t.strictSame(Object.keys(data).sort(), ['access_token', 'expires', 'refresh_token']);
  t.equal(data.expires, 900_000);
  t.match(data.refresh_token, /^[\w-]{64}$/);
  const token = data.access_token ?? '';
  t.strictSame(decodeProtectedHeader(token), { alg: 'HS256', typ: 'JWT' });
  const { iat = 0, exp = 0, session, ...claims } = decodeJwt(token);
  t.equal(exp - iat, 900);
  t.match(session, UUID);
  t.strictSame(claims, {
    id: user.id,
    role: null,
    app_access: false,
    admin_access: false,
    iss: 'sluice',
  });
  const { rows } = await db.query(
    `SELECT s.id, s.token, u.last_access IS NOT NULL AS seen, a.ip, a.user_agent, a.origin, a.item
     FROM system_sessions s JOIN system_users u ON u.id = s."user"
     JOIN system_activity a ON a."user" = u.id AND a.action = 'login'
       AND a.collection = 'system_users' WHERE u.id = $1`,
    [user.id],
  );
  t.match(rows, [
    {
      id: session,
      seen: true,
      ip: '127.0.0.1',
      user_agent: 'node',
      origin: 'https://app.example',
      item: user.id,
    },
  ]);
  t.notMatch(JSON.stringify(rows), data.refresh_token, 'the token itself is not stored');
  t.equal(await ask(url, token), 200);
});

t.test('the claims tell rights and missing factors', async (t) => {
  const { rows } = await db.query(`
    WITH p AS (INSERT INTO system_policies (name, app_access, enforce_tfa)
      VALUES ('app', true, true) RETURNING id), r AS (INSERT INTO system_roles (name)
      VALUES ('app') RETURNING id)
    INSERT INTO system_access (role, policy) SELECT r.id, p.id FROM r, p RETURNING role`);
  const { role } = rows[0];
  const user = await createUser(cluster, { role });
  const claims = decodeJwt((await signIn(url, user)).access_token);
  t.match(claims, { role, app_access: true, admin_access: false, enforce_tfa: true });
});

t.test('whatever is sent as a token is one', async (t) => {
  for (const token of ['unknown', 'with spaces in it']) {
    t.equal(await ask(url, token), 'INVALID_CREDENTIALS', token);
  }
});

t.test('a header of many spaces is read as fast as one of many letters', async (t) => {
  const time = (letter: string) => {
    const header = `Bearer a${letter.repeat(60_000)}b`;
    const times = Array.from({ length: 3 }, () => {
      const begin = performance.now();
      t.equal(tokenOf(header, {}), header.slice('Bearer '.length));
      return performance.now() - begin;
    });
    return Math.min(...times);
  };
  const [letters, spaces] = [time('x'), time(' ')];
  // Seconds, where each space is tried as the end of the token.
  t.ok(spaces < 50 + 20 * letters, `${spaces.toFixed(1)} ms and ${letters.toFixed(1)} ms`);
  t.equal(tokenOf('Bearer  a b  ', {}), 'a b');
});

t.test('login in mode cookie', async (t) => {
  const { response, data, cookie } = await login({ mode: 'cookie' });
  t.strictSame(Object.keys(data).sort(), ['access_token', 'expires']);
  const [set = '', ...others] = response.headers.getSetCookie();
  t.strictSame(others, []);
  t.match(set, /^sluice_refresh_token=[\w-]{64}; /);
  t.match(set, /Max-Age=604800/);
  for (const part of ['Path=/', 'HttpOnly', 'SameSite=Lax']) t.match(set, part);
  t.notMatch(set, /Secure|Domain/);
  const refreshed = await post(`${url}/auth/refresh`, {}, { cookie });
  t.equal(refreshed.status, 200, 'without a mode the cookie counts');
  t.strictSame(Object.keys((await bodyOf<{ data: object }>(refreshed)).data).sort(), [
    'access_token',
    'expires',
  ]);
  const newCookie = cookiesOf(refreshed);
  t.not(newCookie, cookie);
  const out = await post(`${url}/auth/logout`, { mode: 'cookie' }, { cookie: newCookie });
  t.equal(out.status, 204);
  t.match(out.headers.getSetCookie(), [/^sluice_refresh_token=; .*Max-Age=0/]);
  t.equal(
    await outcome(post(`${url}/auth/refresh`, {}, { cookie: newCookie })),
    'INVALID_CREDENTIALS',
  );
});

t.test('login in mode session', async (t) => {
  const { response, data, cookie } = await login({ mode: 'session' });
  t.strictSame(data, { expires: 86_400_000 });
  t.match(response.headers.getSetCookie(), [
    /^sluice_session_token=ey[^;]+; Max-Age=86400; .*HttpOnly; SameSite=Lax/,
  ]);
  const by = (cookie: string, init: RequestInit = {}) =>
    fetch(`${url}/users/me/tfa/disable`, {
      method: 'POST',
      ...init,
      headers: { cookie, 'content-type': 'application/json', ...init.headers },
    });
  t.equal(
    await outcome(by(cookie, { body: '{"otp":"1"}' })),
    'INVALID_PAYLOAD',
    'the cookie signs in',
  );
  const refreshed = await post(`${url}/auth/refresh`, { mode: 'session' }, { cookie });
  t.strictSame(await bodyOf(refreshed), { data: { expires: 86_400_000 } });
  const next = cookiesOf(refreshed);
  const idOf = (cookie: string) => decodeJwt(cookie.split('=')[1] ?? '').session;
  t.not(idOf(next), idOf(cookie));
  const again = await post(`${url}/auth/refresh`, { mode: 'session' }, { cookie });
  t.equal(idOf(cookiesOf(again)), idOf(next), 'within the grace period it leads to the same');
  t.equal(await outcome(fetch(`${url}/auth`, { headers: { cookie } })), 200);
  await db.query('UPDATE system_sessions SET expires = now() WHERE id = $1', [idOf(cookie)]);
  const late = await until(async () => {
    const answer = await fetch(`${url}/auth`, { headers: { cookie } });
    return answer.ok ? null : answer;
  }, 'the old cookie to end');
  t.equal(await outcome(late), 'INVALID_CREDENTIALS');
  t.match(late.headers.getSetCookie(), [/^sluice_session_token=; .*Max-Age=0/], 'it is taken back');
  t.equal(await outcome(fetch(`${url}/auth`, { headers: { cookie: next } })), 200);
  const reuse = await post(`${url}/auth/refresh`, { mode: 'session' }, { cookie });
  t.equal(await outcome(reuse), 'INVALID_CREDENTIALS');
  t.equal(
    await outcome(fetch(`${url}/auth`, { headers: { cookie: next } })),
    'INVALID_CREDENTIALS',
    'a replaced cookie after its grace period ends the family',
  );
});

t.test('a session cookie never keeps anybody from coming or going', async (t) => {
  const cookie = 'sluice_session_token=stale';
  const user = await createUser(cluster);
  const body = { email: user.email, password: PASSWORD };
  t.equal(await outcome(post(`${url}/auth/login`, body, { cookie })), 200);
  t.equal(await outcome(post(`${url}/auth/logout`, { mode: 'session' }, { cookie })), 204);
});

t.test('logout ends the session in each mode', async (t) => {
  const json = (await login({})).data;
  t.equal(await outcome(post(`${url}/auth/logout`, { refresh_token: json.refresh_token })), 204);
  t.equal(await ask(url, json.access_token ?? ''), 'INVALID_CREDENTIALS');
  const { cookie } = await login({ mode: 'session' });
  const out = await post(`${url}/auth/logout`, { mode: 'session' }, { cookie });
  t.equal(out.status, 204);
  t.match(out.headers.getSetCookie(), [/^sluice_session_token=; /]);
  t.equal(await outcome(fetch(`${url}/auth`, { headers: { cookie } })), 'INVALID_CREDENTIALS');
});

t.test('refresh in mode json rotates the token', async (t) => {
  const { data, user } = await login({});
  const response = await post(`${url}/auth/refresh`, { refresh_token: data.refresh_token });
  t.equal(response.headers.get('cache-control'), 'no-store');
  const next = (await bodyOf<{ data: Tokens }>(response)).data;
  t.equal(next.expires, 900_000);
  t.not(next.refresh_token, data.refresh_token);
  const { session } = decodeJwt(data.access_token ?? '');
  t.equal(decodeJwt(next.access_token).session, session, 'the session stays');
  const { rows } = await db.query('SELECT id FROM system_sessions WHERE "user" = $1', [user.id]);
  t.strictSame(rows, [{ id: session }]);
});

t.test('what cannot be used is named', async (t) => {
  const refused = (path: string, body: unknown) => outcome(post(`${url}/auth/${path}`, body));
  t.equal(await refused('login', { email: 'notmail', password: 'x' }), 'INVALID_PAYLOAD');
  t.equal(await refused('login', { email: 'no@example.com' }), 'INVALID_PAYLOAD');
  t.equal(await refused('login', { email: 'no@example.com', password: '' }), 'INVALID_PAYLOAD');
  t.equal(await refused('login', [1]), 'INVALID_PAYLOAD');
  t.equal(await refused('login', { email: 'a@b\0.c', password: 'x' }), 'INVALID_PAYLOAD');
  t.equal(
    await refused('login', { email: 'a@b', password: 'x', mode: 'other' }),
    'INVALID_PAYLOAD',
  );
  t.equal(
    await refused('login', { email: 'no@example.com', password: 'bad' }),
    'INVALID_CREDENTIALS',
  );
  t.equal(
    await refused('login', { email: 'no@example.com', password: 'é'.repeat(9_000) }),
    'INVALID_CREDENTIALS',
  );
  t.equal(await refused('refresh', { mode: 'json' }), 'INVALID_PAYLOAD');
  t.equal(await refused('refresh', {}), 'INVALID_PAYLOAD');
  t.equal(await refused('refresh', { mode: 'session' }), 'INVALID_PAYLOAD');
  t.equal(await refused('logout', {}), 'INVALID_PAYLOAD');
  t.equal(await refused('refresh', { refresh_token: 'nobody knows' }), 'INVALID_CREDENTIALS');
  t.equal(await refused('logout', { refresh_token: 'nobody knows' }), 204);
  t.equal(await outcome(post(`${url}/auth/login/github`, {})), 'ROUTE_NOT_FOUND');
});

t.test('an address is found whatever its case', async (t) => {
  const user = await createUser(cluster);
  t.equal(
    await outcome(
      post(`${url}/auth/login`, { email: user.email.toUpperCase(), password: PASSWORD }),
    ),
    200,
  );
});

t.test('providers are listed', async (t) => {
  t.strictSame(await bodyOf(await fetch(`${url}/auth`)), { data: [], disableDefault: false });
  t.strictSame(await bodyOf(await fetch(`${url}/auth?sessionOnly`)), {
    data: [],
    disableDefault: false,
  });
});

t.test('tokens travel by header, query and cookie, in this order', async (t) => {
  const { data, cookie } = await login({ mode: 'session' }).then(async (by) => ({
    ...by,
    data: await signIn(url, by.user),
  }));
  const get = (query: string, headers: Record<string, string> = {}) =>
    outcome(fetch(`${url}/jobs${query}`, { headers }));
  const { access_token: good } = data;
  t.equal(await get(''), 'FORBIDDEN', 'anonymous');
  t.equal(await get(`?access_token=${good}`), 200);
  t.equal(await get('', { authorization: `bearer ${good}` }), 200);
  t.equal(await get('', { cookie }), 200);
  t.equal(
    await get(`?access_token=${good}`, { authorization: `Bearer ${good}` }),
    'INVALID_PAYLOAD',
  );
  t.equal(await get('?access_token=wrong', { cookie }), 'INVALID_CREDENTIALS', 'beats the cookie');
  t.equal(await get('', { cookie, authorization: 'Bearer wrong' }), 'INVALID_CREDENTIALS');
  t.equal(
    await get('', { cookie: 'sluice_session_token=wrong', authorization: `Bearer ${good}` }),
    200,
  );
});
