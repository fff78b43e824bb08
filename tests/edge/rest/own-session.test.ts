// @newest
/** The sessions of one's own user: what is told of them, and that they end everywhere at once. */
import t from 'tap';
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
  type TestUser,
  type Tokens,
} from './fixture/sign-in.ts';

const cluster = await startCluster(t, {
  env: { ...QUICK_LOGIN, SESSION_REFRESH_GRACE_PERIOD: '10m' },
});
const { url, db } = cluster;
const { url: other } = await cluster.addEdge();

interface Session {
  readonly id: string;
  readonly created_on: string;
  readonly renewed_on: string;
  readonly current: boolean;
}

function call(method: string, token: string, id = '') {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${url}/users/me/sessions${id && `/${id}`}`, { method, headers });
}

async function sessionsOf(token: string): Promise<readonly Session[]> {
  return (await bodyOf<{ data: Session[] }>(await call('GET', token))).data;
}

async function cookieOf({ email }: TestUser): Promise<string> {
  const body = { email, password: PASSWORD, mode: 'session' };
  return cookiesOf(await post(`${url}/auth/login`, body));
}

const renewed = (cookie: string) =>
  post(`${url}/auth/refresh`, { mode: 'session' }, { cookie, origin: url });

t.test('each login is one session, and no token is told', async (t) => {
  const user = await createUser(cluster);
  const begin = Date.now();
  const tokens = await signIn(url, user);
  const cookie = await cookieOf(user);
  const next = cookiesOf(await renewed(cookie));
  const refreshed = await post(`${url}/auth/refresh`, { refresh_token: tokens.refresh_token });
  const { data } = await bodyOf<{ data: Tokens }>(refreshed);
  const answer = await call('GET', data.access_token);
  t.equal(answer.headers.get('cache-control'), 'no-store');
  const text = await answer.text();
  const found: { data: Session[] } = JSON.parse(text);
  const own = found.data.filter(({ current }) => current);
  t.equal(found.data.length, 2, 'a renewal is no other session');
  t.match(own, [{ ip: '127.0.0.1', user_agent: 'node', origin: null }]);
  for (const { created_on, renewed_on } of found.data) {
    t.ok(Date.parse(created_on) >= begin - 1 && Date.parse(renewed_on) >= Date.parse(created_on));
  }
  t.match(Object.keys(own[0] ?? {}).sort(), [
    ...['created_on', 'current', 'expires', 'id', 'ip', 'origin', 'renewed_on', 'user_agent'],
  ]);
  const { rows } = await db.query(
    'SELECT token, next_token FROM system_sessions WHERE "user" = $1',
    [user.id],
  );
  const secrets = [
    ...rows.flatMap((row) => [row.token, row.next_token]),
    ...[data.access_token, data.refresh_token, tokens.refresh_token],
    ...[cookie, next].map((text) => text.split('=')[1]),
  ].filter(Boolean);
  t.ok(secrets.length >= 8);
  for (const secret of secrets) t.notOk(text.includes(secret), 'no token is in the answer');
});

t.test('an ended session is refused by every edge with the answer', async (t) => {
  const user = await createUser(cluster);
  const [own, lost] = [await signIn(url, user), await signIn(other, user)];
  for (const edge of [url, other]) t.equal(await ask(edge, lost.access_token), 200);
  const gone = (await sessionsOf(own.access_token)).find(({ current }) => !current);
  t.equal(await outcome(call('DELETE', own.access_token, gone?.id)), 204);
  for (const edge of [url, other]) {
    t.equal(await ask(edge, lost.access_token), 'INVALID_CREDENTIALS');
  }
  const refresh = post(`${other}/auth/refresh`, { refresh_token: lost.refresh_token });
  t.equal(await outcome(refresh), 'INVALID_CREDENTIALS');
  t.equal(await ask(other, own.access_token), 200, 'the own one goes on');
  t.equal(await outcome(call('DELETE', own.access_token, gone?.id)), 'FORBIDDEN', 'it is gone');
});

t.test('all others end, and the own one does not', async (t) => {
  const user = await createUser(cluster);
  const own = await signIn(url, user);
  const lost = [await signIn(url, user), await signIn(other, user)];
  const stranger = await signIn(url, await createUser(cluster));
  t.equal(await outcome(call('DELETE', own.access_token)), 204);
  for (const { access_token } of lost) {
    t.equal(await ask(other, access_token), 'INVALID_CREDENTIALS');
  }
  t.match(await sessionsOf(own.access_token), [{ current: true }]);
  t.equal(await ask(other, stranger.access_token), 200, 'other users are left alone');
  t.equal(await outcome(call('DELETE', own.access_token)), 204, 'and none is left to end');
});

t.test('sessions of other users are neither seen nor ended', async (t) => {
  const [victim, attacker] = [await createUser(cluster), await createUser(cluster)];
  const theirs = await signIn(url, victim);
  const own = await signIn(url, attacker);
  const [target] = await sessionsOf(theirs.access_token);
  t.match(await sessionsOf(own.access_token), [{ current: true }]);
  const refusal = async (id = '') => (await call('DELETE', own.access_token, id)).text();
  const message = async (id = '') => JSON.parse(await refusal(id)).errors[0].message;
  const unknown = await message('0198c5f0-0000-7000-8000-000000000000');
  t.equal(await message(target?.id), unknown, 'like one that does not exist');
  t.equal(await message('x'), unknown);
  t.equal(await ask(other, theirs.access_token), 200);
  for (const method of ['GET', 'DELETE']) {
    const visitor = fetch(`${url}/users/me/sessions`, { method });
    t.equal(await outcome(visitor), 'INVALID_CREDENTIALS', method);
  }
});

t.test('a renewal at the same time leaves no session behind', async (t) => {
  const user = await createUser(cluster);
  const cookie = await cookieOf(user);
  const own = await signIn(url, user);
  const target = (await sessionsOf(own.access_token)).find(({ current }) => !current);
  const waiting = async (count: number) => {
    const { rows } = await db.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rows.length === count;
  };
  const client = await db.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM system_users WHERE id = $1 FOR UPDATE', [user.id]);
  const renewal = renewed(cookie);
  await until(() => waiting(1), 'the renewal to wait');
  const end = call('DELETE', own.access_token, target?.id);
  await until(() => waiting(2), 'the end to wait');
  await client.query('COMMIT');
  client.release();
  const next = cookiesOf(await renewal);
  t.equal(await outcome(end), 204);
  t.equal(
    await outcome(fetch(`${other}/auth`, { headers: { cookie: next } })),
    'INVALID_CREDENTIALS',
  );
  t.match(await sessionsOf(own.access_token), [{ current: true }]);
});

t.test('GraphQL and static tokens', async (t) => {
  const user = await createUser(cluster);
  const token = `static-${user.id}`;
  const hash = "encode(sha256($2::bytea), 'hex')";
  await db.query(`UPDATE system_users SET token = ${hash} WHERE id = $1`, [user.id, token]);
  const logins = [await signIn(url, user), await signIn(url, user), await signIn(url, user)];
  const graphql = async (query: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return bodyOf(await post(`${url}/graphql/system`, { query }, headers));
  };
  const read = '{ users_me_sessions { id current ip } }';
  const found = await graphql(read);
  const session = { current: false, ip: '127.0.0.1' };
  t.match(found, { data: { users_me_sessions: [session, session, session] } });
  const [first] = await sessionsOf(logins[0]?.access_token ?? '');
  t.match(await graphql(`mutation { users_me_sessions_end(id: "${first?.id}") }`), {
    data: { users_me_sessions_end: true },
  });
  t.match(await graphql('mutation { users_me_sessions_end_others }'), {
    data: { users_me_sessions_end_others: true },
  });
  t.strictSame(await graphql(read), { data: { users_me_sessions: [] } });
});
