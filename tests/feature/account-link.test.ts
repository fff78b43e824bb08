// @newest
/** Links for users that an administrator hands over himself, where no mail is sent. */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { sendAs } from '#tests/harness/member.ts';

const PASSWORD = 'a password of tests';
const NOBODY = '00000000-0000-4000-8000-000000000000';

const cluster = await startCluster(t, {
  env: { EMAIL_TRANSPORT: '', PUBLIC_URL: 'https://api.harbour.example/v1/' },
});
const { db } = cluster;
const asAdmin = (method: string, path: string, body?: object) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);

async function makeUser(email: string, rest: object): Promise<string> {
  const { body } = await asAdmin('POST', '/users', { email, ...rest });
  return body.data.id;
}

function tokenOf(url: string): string {
  return new URL(url).searchParams.get('token') ?? '';
}

const send = async (path: string, body: object) => {
  const answer = await cluster.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
};

t.test('an invited user sets a password with the link, once', async (t) => {
  const id = await makeUser('invited@example.com', { status: 'invited' });
  const { status, body } = await asAdmin('POST', `/users/${id}/link`);
  t.equal(status, 200);
  t.equal(body.data.purpose, 'invitation');
  t.match(body.data.url, /^https:\/\/api\.harbour\.example\/v1\/admin\/accept-invite\?token=/);
  const token = tokenOf(body.data.url);
  const used = { token, password: PASSWORD };
  t.equal((await send('/users/invite/accept', used)).status, 204);
  t.equal((await send('/users/invite/accept', used)).status, 400, 'it is used up');
  const login = await send('/auth/login', { email: 'invited@example.com', password: PASSWORD });
  t.equal(login.status, 200);
});

t.test('an active user gets a new password', async (t) => {
  const old = 'an older password';
  const id = await makeUser('active@example.com', { status: 'active', password: old });
  const { body } = await asAdmin('POST', `/users/${id}/link`);
  t.equal(body.data.purpose, 'password-reset');
  t.match(body.data.url, /\/admin\/reset-password\?token=/);
  const used = { token: tokenOf(body.data.url), password: PASSWORD };
  t.equal((await send('/auth/password/reset', used)).status, 204);
  t.equal((await send('/auth/password/reset', used)).status, 403, 'it is used up');
  t.equal((await send('/auth/login', { email: 'active@example.com', password: old })).status, 401);
});

t.test('the activity names who has made it', async (t) => {
  const id = await makeUser('watched@example.com', { status: 'invited' });
  await db.query('DELETE FROM system_activity');
  await asAdmin('POST', `/users/${id}/link`);
  const { rows } = await db.query(
    `SELECT action, collection, item, "user" IS NOT NULL AS known FROM system_activity
     WHERE collection = 'system_users'`,
  );
  t.strictSame(rows, [{ action: 'update', collection: 'system_users', item: id, known: true }]);
});

t.test('for administrators, and users who may set a password', async (t) => {
  const id = await makeUser('suspended@example.com', { status: 'suspended' });
  t.match(await asAdmin('POST', `/users/${id}/link`), {
    status: 422,
    body: { errors: [{ message: /Only invited and active users/ }] },
  });
  await db.query("UPDATE system_users SET status = 'active', provider = 'ldap' WHERE id = $1", [
    id,
  ]);
  t.equal((await asAdmin('POST', `/users/${id}/link`)).status, 422, 'of another provider');
  t.equal((await asAdmin('POST', `/users/${NOBODY}/link`)).status, 403);
  t.equal((await asAdmin('POST', '/users/unknown/link')).status, 403);
  const policy = await asAdmin('POST', '/policies', {
    name: 'Users',
    permissions: ['create', 'read', 'update', 'delete'].map((action) => ({
      ...{ collection: 'system_users', action, fields: ['*'] },
      ...{ permissions: null, validation: null, presets: null },
    })),
  });
  const other = await makeUser('other@example.com', {
    token: 'token-of-other-user',
    policies: [{ policy: policy.body.data.id }],
  });
  t.equal((await sendAs(cluster, 'token-of-other-user', 'GET', '/users')).status, 200);
  const asked = await sendAs(cluster, 'token-of-other-user', 'POST', `/users/${other}/link`);
  t.equal(asked.status, 403, 'not even of oneself');
});

t.test('the server says whether it sends mails', async (t) => {
  const { body } = await asAdmin('GET', '/server/info');
  t.equal(body.data.mail, false);
});
