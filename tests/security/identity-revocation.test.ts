// @newest
/** Tokens that outlive what they stood for: after each event every process refuses them. */
import t from 'tap';
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
} from '#tests/edge/rest/fixture/sign-in.ts';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, {
  env: { ...QUICK_LOGIN, SESSION_REFRESH_GRACE_PERIOD: '10m' },
});
const { url, db } = cluster;
const { url: other } = await cluster.addEdge();

/** A user who has just been served by both processes. */
async function served(columns: Readonly<Record<string, unknown>> = {}) {
  const user = await createUser(cluster, columns);
  const tokens = await signIn(url, user);
  for (const edge of [url, other]) t.equal(await ask(edge, tokens.access_token), 200);
  return { user, tokens };
}

async function refusedEverywhere(token: string, what: string): Promise<void> {
  for (const edge of [url, other]) {
    await until(async () => (await ask(edge, token)) === 'INVALID_CREDENTIALS', what);
  }
}

const EVENTS: Readonly<Record<string, (user: TestUser, refreshToken: string) => Promise<unknown>>> =
  {
    'logout elsewhere': (_, token) => post(`${url}/auth/logout`, { refresh_token: token }),
    suspension: ({ id }) =>
      db.query("UPDATE system_users SET status = 'suspended' WHERE id = $1", [id]),
    archiving: ({ id }) =>
      db.query("UPDATE system_users SET status = 'archived' WHERE id = $1", [id]),
    deletion: ({ id }) => db.query('DELETE FROM system_users WHERE id = $1', [id]),
    'the end of the session': ({ id }) =>
      db.query('DELETE FROM system_sessions WHERE "user" = $1', [id]),
    'an earlier end of the session': ({ id }) =>
      db.query('UPDATE system_sessions SET expires = now() WHERE "user" = $1', [id]),
  };

t.test('after each of these events no process takes the tokens', async (t) => {
  const events = Object.entries(EVENTS).map(async ([event, cause]) => {
    const { user, tokens } = await served();
    await cause(user, tokens.refresh_token);
    await refusedEverywhere(tokens.access_token, event);
    const refresh = post(`${other}/auth/refresh`, { refresh_token: tokens.refresh_token });
    t.equal(await outcome(refresh), 'INVALID_CREDENTIALS', event);
  });
  await Promise.all(events);
});

t.test('a static token ends with its user and with itself', async (t) => {
  const end = async (token: string, change: string) => {
    const user = await createUser(cluster);
    const hash = "encode(sha256($2::bytea), 'hex')";
    await db.query(`UPDATE system_users SET token = ${hash} WHERE id = $1`, [user.id, token]);
    for (const edge of [url, other]) {
      await until(async () => (await ask(edge, token)) === 200, 'the token to count');
    }
    await db.query(`UPDATE system_users SET ${change} WHERE id = $1`, [user.id]);
    await refusedEverywhere(token, change);
    t.pass(change);
  };
  await Promise.all([end('first', "status = 'draft'"), end('second', 'token = NULL')]);
});

t.test('a refresh token used twice ends its family, and only that', async (t) => {
  const { user, tokens } = await served();
  const elsewhere = await signIn(url, user);
  const renewed = await post(`${url}/auth/refresh`, { refresh_token: tokens.refresh_token });
  const next = (await bodyOf<{ data: typeof tokens }>(renewed)).data;
  const reuse = post(`${other}/auth/refresh`, { refresh_token: tokens.refresh_token });
  t.equal(await outcome(reuse), 'INVALID_CREDENTIALS');
  const rightful = post(`${url}/auth/refresh`, { refresh_token: next.refresh_token });
  t.equal(await outcome(rightful), 'INVALID_CREDENTIALS', 'the newest of the family is dead too');
  for (const edge of [url, other]) {
    t.equal(await ask(edge, next.access_token), 'INVALID_CREDENTIALS', 'ended with the answer');
  }
  t.equal(await ask(other, elsewhere.access_token), 200, 'another login lives on');
});

t.test('however long ago it was replaced', async (t) => {
  const { tokens } = await served();
  let current = tokens;
  for (let i = 0; i < 3; i++) {
    const body = { refresh_token: current.refresh_token };
    current = (await bodyOf<{ data: typeof tokens }>(await post(`${url}/auth/refresh`, body))).data;
  }
  t.equal(
    await outcome(post(`${url}/auth/refresh`, { refresh_token: tokens.refresh_token })),
    'INVALID_CREDENTIALS',
  );
  t.equal(
    await outcome(post(`${url}/auth/refresh`, { refresh_token: current.refresh_token })),
    'INVALID_CREDENTIALS',
  );
});

t.test('of two concurrent refreshes one wins and no session ends', async (t) => {
  // The requests wait on the session's row, so that each has found its token valid before.
  const { user, tokens } = await served();
  const client = await db.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM system_users WHERE id = $1 FOR UPDATE', [user.id]);
  const racing = [url, other].map((edge) =>
    post(`${edge}/auth/refresh`, { refresh_token: tokens.refresh_token }),
  );
  await until(async () => {
    const { rows } = await db.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%last_access%' AND datname = current_database()",
    );
    return rows.length === 2;
  }, 'both to wait');
  await client.query('COMMIT');
  client.release();
  const answers = await Promise.all(racing);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 401]);
  const winner = answers.find(({ status }) => status === 200);
  t.ok(winner);
  if (winner === undefined) return;
  const { data } = await bodyOf<{ data: typeof tokens }>(winner);
  t.equal(await outcome(post(`${url}/auth/refresh`, { refresh_token: data.refresh_token })), 200);
});

t.test('a foreign token ends no session', async (t) => {
  const { tokens } = await served();
  const bytes = Buffer.from(tokens.refresh_token, 'base64url');
  const forged = Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(32, 1)]).toString('base64url');
  t.equal(
    await outcome(post(`${url}/auth/refresh`, { refresh_token: forged })),
    'INVALID_CREDENTIALS',
  );
  t.equal(await outcome(post(`${url}/auth/logout`, { refresh_token: forged })), 204);
  t.equal(await outcome(post(`${url}/auth/refresh`, { refresh_token: tokens.refresh_token })), 200);
});

t.test('an access token cannot be made to last as a session cookie', async (t) => {
  const { tokens } = await served();
  const cookie = `sluice_session_token=${tokens.access_token}`;
  const refresh = post(`${url}/auth/refresh`, { mode: 'session' }, { cookie });
  t.equal(await outcome(refresh), 'INVALID_CREDENTIALS');
});

t.test('a login does not outrun a suspension', async (t) => {
  const user = await createUser(cluster);
  const client = await db.connect();
  await client.query('BEGIN');
  await client.query("UPDATE system_users SET status = 'suspended' WHERE id = $1", [user.id]);
  const racing = post(`${url}/auth/login`, { email: user.email, password: PASSWORD });
  await until(async () => {
    const { rows } = await db.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%last_access%' AND datname = current_database()",
    );
    return rows.length === 1;
  }, 'the login to wait');
  await client.query('COMMIT');
  client.release();
  t.equal(await outcome(racing), 'INVALID_CREDENTIALS');
  const { rows } = await db.query('SELECT FROM system_sessions WHERE "user" = $1', [user.id]);
  t.equal(rows.length, 0);
});

t.test('both cookies of a login end with it', async (t) => {
  const user = await createUser(cluster);
  const body = { email: user.email, password: PASSWORD, mode: 'session' };
  const cookie = cookiesOf(await post(`${url}/auth/login`, body));
  const next = cookiesOf(await post(`${url}/auth/refresh`, { mode: 'session' }, { cookie }));
  const by = (edge: string, cookie: string) =>
    outcome(fetch(`${edge}/auth`, { headers: { cookie } }));
  for (const value of [cookie, next])
    t.equal(await by(other, value), 200, 'within the grace period');
  await post(`${url}/auth/logout`, { mode: 'session' }, { cookie: next });
  for (const value of [cookie, next]) {
    await until(async () => (await by(other, value)) === 'INVALID_CREDENTIALS', 'it to end');
  }
});
