// Users change their own e-mail address and password with their password or shortly after a login; a token alone does not.
import { createHash, randomUUID } from 'node:crypto';
import t from 'tap';
import { newSessionId } from '#core/accounts/identity/session-id.ts';
import { bodyOf } from '#tests/harness/body.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember, type GivenPermission, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import {
  createUser,
  outcome,
  PASSWORD,
  post,
  QUICK_LOGIN,
  signIn,
  type Tokens,
} from './fixture/sign-in.ts';

const cluster = await startCluster(t, { workers: 1, env: QUICK_LOGIN });
const { url, db } = cluster;
await db.query(`
  CREATE TABLE notes (id int PRIMARY KEY, title text, author uuid REFERENCES system_users);
  INSERT INTO system_relations (many_collection, many_field, one_collection) VALUES ('notes', 'author', 'system_users')`);
await cluster.served('/items/notes');
const OWN = { id: { _eq: '$CURRENT_USER' } };
const { role } = await createMember(cluster, [
  { collection: 'system_users', action: 'read', permissions: OWN },
  { collection: 'system_users', action: 'update', permissions: OWN, fields: ['email', 'title'] },
  { collection: 'notes', action: 'create' },
  { collection: 'notes', action: 'read' },
  { collection: 'notes', action: 'update' },
  { collection: 'system_revisions', action: 'read' },
]);
const REFUSED = 'INVALID_PAYLOAD';

/** Moves the login of a user into the past, as seen by its sessions. */
async function age(user: string): Promise<void> {
  const old = newSessionId(Date.now() - 16 * 60_000);
  await db.query('UPDATE system_sessions SET family = $2 WHERE "user" = $1', [user, old]);
}

/** A user who logged in longer ago than a login confirms anything. */
async function oldHand(columns: Readonly<Record<string, unknown>> = { role }) {
  const user = await createUser(cluster, columns);
  const tokens = await signIn(url, user);
  await age(user.id);
  const send = async (method: string, path: string, body: unknown) => {
    const { status, code } = await sendAs(cluster, tokens.access_token, method, path, body);
    return code ?? status;
  };
  return { user, tokens, send, me: (body: unknown) => send('PATCH', '/users/me', body) };
}

const anAddress = () => `${randomUUID()}@example.com`;

async function addressOf(id: string): Promise<string | null> {
  const { rows } = await db.query('SELECT email FROM system_users WHERE id = $1', [id]);
  return rows[0].email;
}

async function failuresOf(id: string): Promise<number> {
  const { rows } = await db.query('SELECT failures FROM system_logins WHERE "user" = $1', [id]);
  return rows[0]?.failures ?? 0;
}

t.test('the password changes the address, and no token alone', async (t) => {
  const { user, me, send, tokens } = await oldHand();
  const email = anAddress();
  t.equal(await me({ email }), REFUSED);
  t.equal(await me({ email: null }), REFUSED);
  t.equal(await me({ email, current_password: 'wrong' }), REFUSED);
  t.equal(await me({ email, current_password: null }), REFUSED);
  t.equal(await failuresOf(user.id), 2, 'what is wrong counts like a failed login');
  t.equal(await send('PATCH', `/users/${user.id}`, { email }), REFUSED);
  t.equal(await send('PATCH', `/users/${user.id.toUpperCase()}`, { email }), REFUSED);
  t.equal(await send('PATCH', '/users', { keys: [user.id], data: { email } }), REFUSED);
  t.equal(await send('PATCH', '/users', [{ id: user.id, email }]), REFUSED);
  t.equal(await addressOf(user.id), user.email);
  t.equal(await me({ title: 'x', email: user.email.toUpperCase() }), 200, 'the same address');
  t.equal(await me({ title: 'y' }), 200, 'another field');
  t.equal(await me({ email, current_password: PASSWORD }), 200);
  t.equal(await addressOf(user.id), email);
  t.equal(await failuresOf(user.id), 0, 'a right one does not count');
  const other = anAddress();
  t.equal(
    await send('PATCH', `/users/${user.id}`, { email: other, current_password: PASSWORD }),
    200,
  );
  t.equal(await addressOf(user.id), other);
  const { body } = await sendAs(cluster, tokens.access_token, 'GET', '/users/me');
  t.notOk('current_password' in body.data);
});

t.test('a login of the last minutes is enough, and stays one when it is renewed', async (t) => {
  const user = await createUser(cluster, { role });
  const { access_token, refresh_token } = await signIn(url, user);
  const change = async (token: string) => {
    const body = { email: anAddress() };
    const { code, status } = await sendAs(cluster, token, 'PATCH', '/users/me', body);
    return code ?? status;
  };
  t.equal(await change(access_token), 200);
  const renewed = async (refresh: string) => {
    const response = await post(`${url}/auth/refresh`, { refresh_token: refresh });
    return (await bodyOf<{ data: Tokens }>(response)).data;
  };
  const next = await renewed(refresh_token);
  t.equal(await change(next.access_token), 200);
  await age(user.id);
  t.equal(await change(next.access_token), REFUSED);
  t.equal(await change((await renewed(next.refresh_token)).access_token), REFUSED);
});

t.test('a session cookie contains its login time too', async (t) => {
  const user = await createUser(cluster, { role });
  const { email } = user;
  const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const login = { email, password: PASSWORD, mode: 'session' };
  const first = cookieOf(await post(`${url}/auth/login`, login));
  const refreshed = await post(`${url}/auth/refresh`, { mode: 'session' }, { cookie: first });
  const cookie = cookieOf(refreshed);
  t.not(cookie, first);
  const change = () =>
    outcome(
      fetch(`${url}/users/me`, {
        method: 'PATCH',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ email: anAddress() }),
      }),
    );
  t.equal(await change(), 200);
  await age(user.id);
  t.equal(await change(), REFUSED);
});

t.test('a static token always needs the password', async (t) => {
  const token = randomUUID();
  const { id } = await createUser(cluster, {
    role,
    token: createHash('sha256').update(token).digest('hex'),
  });
  const change = async (body: object) => {
    const { code, status } = await sendAs(cluster, token, 'PATCH', '/users/me', body);
    return code ?? status;
  };
  await until(async () => (await change({ title: 'known' })) === 200, 'the token is known');
  t.equal(await change({ email: anAddress() }), REFUSED);
  t.equal(await change({ email: anAddress(), current_password: PASSWORD }), 200);
  await db.query('UPDATE system_users SET email = NULL WHERE id = $1', [id]);
  t.equal(await change({ email: anAddress() }), REFUSED, 'a first address is a change as well');
  t.equal(await change({ email: anAddress(), current_password: PASSWORD }), 200);
});

t.test('other doors', async (t) => {
  const { user, send, tokens } = await oldHand();
  const author = { id: user.id, email: anAddress() };
  t.equal(await send('POST', '/items/notes', { id: 1, author }), REFUSED);
  t.equal(await send('POST', '/items/notes', { id: 1, author: user.id }), 200);
  t.equal(await send('PATCH', '/items/notes/1', { author }), REFUSED);
  t.equal(await send('PUT', '/items/notes', [{ id: 1, author }]), REFUSED);
  const form = new FormData();
  form.set('file', new Blob([JSON.stringify([{ id: 2, author }])]), 'a.json');
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const imported = await fetch(`${url}/utils/import/notes`, {
    method: 'POST',
    headers,
    body: form,
  });
  t.match(await imported.text(), /current_password/);
  const graph = async (query: string) => {
    const sent = await post(`${url}/graphql/system`, { query }, headers);
    const { errors = [] } = await bodyOf<{ errors?: { extensions: { code: string } }[] }>(sent);
    return errors[0]?.extensions.code ?? 200;
  };
  const email = anAddress();
  const mutation = (more: string) =>
    graph(`mutation { update_users_me(data: {email: "${email}"}${more}) { id } }`);
  t.equal(await mutation(''), REFUSED);
  t.equal(
    await graph(
      `mutation { update_users_item(id: "${user.id}", data: {email: "${email}"}) { id } }`,
    ),
    REFUSED,
  );
  t.equal(await mutation(', current_password: "wrong"'), REFUSED);
  t.equal(await addressOf(user.id), user.email);
  t.equal(await mutation(`, current_password: "${PASSWORD}"`), 200);
  t.equal(await addressOf(user.id), email);
  const before = await db.query(
    'SELECT id FROM system_revisions WHERE item = $1 ORDER BY id LIMIT 1',
    [user.id],
  );
  await send('PATCH', '/users/me', { email: anAddress(), current_password: PASSWORD });
  t.equal(await send('POST', `/utils/revert/${before.rows[0].id}`, {}), REFUSED);
});

t.test('too many wrong ones block the right one, however many come at once', async (t) => {
  const { user, me } = await oldHand();
  const wrong = { email: anAddress(), current_password: 'wrong' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => me(wrong)));
  t.strictSame(new Set(answers), new Set([REFUSED]));
  t.equal(await failuresOf(user.id), 10, 'as many as one address may try in a minute');
  t.equal(await me({ ...wrong, current_password: PASSWORD }), REFUSED);
  t.equal(await addressOf(user.id), user.email);
});

t.test('administrators change the addresses of others, and their own like everybody', async (t) => {
  const admin = await createMember(cluster, [], { admin: true });
  const { id } = await createUser(cluster, { role });
  const email = anAddress();
  t.equal((await admin.send('PATCH', `/users/${id}`, { email })).status, 200);
  t.equal(await addressOf(id), email);
  const both = { keys: [id, admin.id], data: { email: null } };
  t.equal((await admin.send('PATCH', '/users', both)).code, REFUSED);
  t.equal((await admin.send('PATCH', '/users/me', { email })).code, REFUSED);
  const password = 'a password set with a token';
  t.equal((await admin.send('PATCH', '/users/me', { password })).status, 200, 'access is regained');
});

/** A user with app access and these permissions, who logged in long ago. */
async function appUser(permissions: readonly GivenPermission[] = []) {
  const { role: own } = await createMember(cluster, permissions, { app: true });
  return oldHand({ role: own });
}

t.test('with app access users change what is about themselves alone', async (t) => {
  const { user, me, send, tokens } = await appUser();
  const changes = { first_name: 'Ada', last_name: 'King', language: 'de-DE', appearance: 'dark' };
  const own = {
    ...changes,
    text_direction: 'ltr',
    theme_dark: 'x',
    theme_dark_overrides: { a: 1 },
  };
  t.equal(await me({ ...own, avatar: null, theme_light: null, theme_light_overrides: null }), 200);
  t.equal(await send('PATCH', `/users/${user.id}`, { first_name: 'Augusta' }), 200);
  t.equal(await send('PATCH', '/users', { keys: [user.id], data: { last_name: 'Byron' } }), 200);
  const { rows } = await db.query('SELECT * FROM system_users WHERE id = $1', [user.id]);
  t.match(rows[0], { ...own, first_name: 'Augusta', last_name: 'Byron' });
  const password = 'another password';
  t.equal(await me({ password }), REFUSED);
  t.equal(await me({ password, current_password: 'wrong' }), REFUSED);
  t.equal(await send('PATCH', `/users/${user.id.toUpperCase()}`, { password }), REFUSED);
  t.equal(await send('PATCH', '/users', [{ id: user.id, password }]), REFUSED);
  t.equal(await me({ password: '**********' }), 200, 'a mask is no change');
  const other = await signIn(url, user);
  t.equal(await me({ password, current_password: PASSWORD }), 200);
  await signIn(url, user, password);
  const kept = (token: string) =>
    outcome(fetch(`${url}/users/me`, { headers: { authorization: `Bearer ${token}` } }));
  t.equal(await kept(tokens.access_token), 200);
  t.equal(await kept(other.access_token), 'INVALID_CREDENTIALS', 'other sessions end');
});

t.test('app access changes nothing that decides who somebody is or what he may do', async (t) => {
  const { user, me, send } = await appUser();
  const stranger = await createUser(cluster);
  const before = await db.query('SELECT * FROM system_users ORDER BY id');
  const confirmed = { current_password: PASSWORD };
  for (const item of [
    { role: null },
    { role: { name: 'mine' } },
    { status: 'archived' },
    { policies: [] },
    { policies: { create: [{ policy: { name: 'p', admin_access: true } }] } },
    { email: anAddress(), ...confirmed },
    { email: user.email },
    { token: 'a-token-of-mine' },
    { provider: 'other' },
    { external_identifier: 'x' },
    { auth_data: {} },
    { title: 'Dr' },
    { avatar: randomUUID() },
    { first_name: 'x', role: null },
  ]) {
    t.equal(await me(item), 'FORBIDDEN', JSON.stringify(item));
  }
  t.equal(await me({ tfa_secret: null }), 'FORBIDDEN');
  t.equal(await me({ avatar: { title: 'new' } }), REFUSED, 'files are unknown to the caller');
  for (const key of [stranger.id, randomUUID()]) {
    t.equal(await send('PATCH', `/users/${key}`, { first_name: 'x' }), 'FORBIDDEN');
    t.equal(
      await send('PATCH', '/users', { keys: [user.id, key], data: { last_name: 'x' } }),
      'FORBIDDEN',
    );
    t.equal(await send('PATCH', '/users', [{ id: key, password: 'x' }]), 'FORBIDDEN');
  }
  const everybody = { query: { filter: {}, limit: -1 }, data: { language: 'xx' } };
  t.equal(await send('PATCH', '/users', everybody), 200, 'those that the caller may read');
  t.equal(await send('POST', '/users', { first_name: 'x' }), 'FORBIDDEN');
  t.equal(await send('DELETE', `/users/${user.id}`, undefined), 'FORBIDDEN');
  const after = await db.query('SELECT * FROM system_users ORDER BY id');
  const shown = after.rows.map((row) => (row.id === user.id ? { ...row, language: null } : row));
  t.strictSame(shown, before.rows);
});

t.test('permissions on users add to app access', async (t) => {
  const update = { collection: 'system_users', action: 'update', permissions: OWN } as const;
  const { me } = await appUser([
    { ...update, fields: ['title'], validation: { title: { _neq: 'Sir' } } },
  ]);
  t.equal(await me({ title: 'Dr', first_name: 'Ada' }), 200);
  t.equal(await me({ title: 'Sir' }), 'FAILED_VALIDATION');
  t.equal(await me({ title: 'Dr', description: 'x' }), 'FORBIDDEN');
});
