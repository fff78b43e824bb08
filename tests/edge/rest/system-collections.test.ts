import {
  createDirectus,
  createPermission,
  createPolicy,
  createRole,
  createUser,
  createUsers,
  deletePermission,
  deletePolicy,
  deleteRole,
  deleteUser,
  deleteUsers,
  readMe,
  readPermissions,
  readPolicies,
  readRole,
  readSettings,
  readUser,
  readUsers,
  rest,
  staticToken,
  updateMe,
  updatePermission,
  updatePolicy,
  updateRole,
  updateSettings,
  updateUser,
  updateUsers,
} from '@directus/sdk';
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);

async function codeOf(answer: Promise<{ status: number; code: string | undefined }>) {
  const { status, code } = await answer;
  return [status, code];
}

async function storedUser(id: unknown) {
  const { rows } = await cluster.db.query('SELECT * FROM system_users WHERE id = $1', [id]);
  return rows[0];
}

t.before(async () => {
  cluster = await startCluster(t);
});

t.test('a well-known client keeps users, roles, policies, permissions and settings', async (t) => {
  const client = createDirectus(cluster.url).with(rest()).with(staticToken(ADMIN_TOKEN));
  const ask: typeof client.request = (command) => client.request(command);
  const policy = await ask(createPolicy({ name: 'Editing', ip_access: ['10.0.0.0/8'] }));
  t.match(policy, { name: 'Editing', ip_access: ['10.0.0.0/8'], admin_access: false, users: [] });
  t.equal((await ask(updatePolicy(policy.id, { icon: 'edit' }))).icon, 'edit');
  const role = await ask(createRole({ name: 'Editor' }));
  t.match(role, { children: [], policies: [], users: [], parent: null });
  t.equal((await ask(updateRole(role.id, { description: 'edits' }))).description, 'edits');
  const permission = await ask(
    createPermission({
      policy: policy.id,
      collection: 'articles',
      action: 'read',
      permissions: { id: { _lt: 6 } },
      fields: ['name'],
    }),
  );
  t.match(permission, { permissions: { id: { _lt: 6 } }, fields: ['name'], presets: null });
  const changed = await ask(updatePermission(permission.id, { fields: ['*'] }));
  t.strictSame(changed.fields, ['*']);
  t.ok((await ask(readPermissions({ limit: 1 }))).length > 10, 'no limit, and app access is shown');
  const user = await ask(
    createUser({ email: 'ed@example.com', password: 'secret', role: role.id, tags: ['a'] }),
  );
  t.match(user, { password: '**********', status: 'active', tags: ['a'], policies: [] });
  const more = await ask(createUsers([{ first_name: 'Ann' }, { first_name: 'Bob' }]));
  t.equal(more.length, 2);
  const ids = more.map(({ id }) => id);
  t.equal((await ask(updateUsers(ids, { title: 'Dr' })))[1]?.title, 'Dr');
  await cluster.db.query('INSERT INTO system_access ("user", policy, sort) VALUES ($1, $2, 1)', [
    user.id,
    policy.id,
  ]);
  const nested = await ask(
    readUser(user.id, { fields: ['id', 'role.name', 'policies.policy.name'] } as const),
  );
  t.strictSame(nested, {
    id: user.id,
    role: { name: 'Editor' },
    policies: [{ policy: { name: 'Editing' } }],
  });
  const [found] = await ask(
    readPolicies({
      filter: { id: { _eq: policy.id } },
      fields: ['users.user.email', 'roles', 'permissions.action'],
    } as const),
  );
  t.match(found, {
    users: [{ user: { email: 'ed@example.com' } }],
    permissions: [{ action: 'read' }],
  });
  const tree = await ask(readRole(role.id, { fields: ['users.email'] } as const));
  t.strictSame(tree, { users: [{ email: 'ed@example.com' }] });
  t.equal((await ask(readUsers({ limit: 2 }))).length, 2);
  t.equal((await ask(updateUser(user.id, { last_name: 'Ward' }))).last_name, 'Ward');
  t.equal((await ask(updateMe({ first_name: 'Root' }))).first_name, 'Root');
  t.equal((await ask(readMe({ fields: ['first_name'] }))).first_name, 'Root');
  t.match(await ask(updateSettings({ project_name: 'House' })), { project_name: 'House' });
  t.match(await ask(readSettings()), { project_name: 'House' });
  await ask(deletePermission(permission.id));
  await ask(deletePolicy(policy.id));
  await ask(deleteUsers(ids));
  await ask(deleteUser(user.id));
  await ask(deleteRole(role.id));
  t.equal((await cluster.db.query('SELECT FROM system_permissions')).rowCount, 0);
});

t.test('what has no route has none, and items are no way in', async (t) => {
  for (const [method, path] of [
    ['POST', '/activity'],
    ['PATCH', '/activity/1'],
    ['DELETE', '/revisions/1'],
    ['POST', '/settings'],
    ['POST', '/settings/owner'],
    ['DELETE', '/settings'],
    ['GET', '/sessions'],
    ['GET', '/access/1/2'],
  ] as const) {
    t.strictSame(
      await codeOf(admin(method, path, method === 'GET' ? undefined : {})),
      [404, 'ROUTE_NOT_FOUND'],
      path,
    );
  }
  for (const [method, path, body] of [
    ['GET', '/items/system_users', undefined],
    ['GET', '/items/system_sessions', undefined],
    ['POST', '/items/system_users', {}],
    ['PATCH', '/items/system_settings', {}],
    ['SEARCH', '/items/system_settings', {}],
    ['DELETE', '/items/system_roles/1', undefined],
    ['GET', '/users?fields=system_sessions.*', undefined],
    ['GET', '/users?filter[system_sessions][token][_nnull]=true', undefined],
  ] as const) {
    t.strictSame(await codeOf(admin(method, path, body)), [403, 'FORBIDDEN'], `${method} ${path}`);
  }
  t.equal((await admin('GET', '/activity')).status, 200);
  t.equal((await admin('SEARCH', '/revisions', { query: { limit: 1 } })).status, 200);
  t.equal((await admin('GET', '/presets?aggregate[count]=*')).body.data[0].count, '0');
});

t.test('settings without a row show their defaults', async (t) => {
  await cluster.db.query('DELETE FROM system_settings');
  const { body } = await admin('GET', '/settings?fields=id,project_name,auth_login_attempts');
  t.strictSame(body.data, { id: null, project_name: 'Sluice', auth_login_attempts: 25 });
  t.equal(
    (await admin('PATCH', '/settings', { project_name: 'New' })).body.data.project_name,
    'New',
  );
  const wrong = admin('PATCH', '/settings', { auth_password_policy: '(' });
  t.strictSame(await codeOf(wrong), [400, 'INVALID_PAYLOAD']);
});

t.test('credentials are stored as hashes and read as masks', async (t) => {
  const created = await admin('POST', '/users', { password: 'first', token: 'a-token-of-mine' });
  const { id, token, password } = created.body.data;
  t.strictSame([token, password], ['**********', '**********']);
  const first = await storedUser(id);
  t.match(first.password, /^\$argon2id\$/);
  t.match(first.token, /^[0-9a-f]{64}$/);
  t.equal((await sendAs(cluster, 'a-token-of-mine', 'GET', '/users/me')).body.data.id, id);
  const masks = { password: '**********', token: '**********', title: 'Dr' };
  t.equal((await admin('PATCH', `/users/${id}`, masks)).status, 200);
  const second = await storedUser(id);
  t.strictSame([second.password, second.token], [first.password, first.token]);
  t.equal((await admin('PATCH', `/users/${id}`, { token: null })).body.data.token, null);
  t.equal((await storedUser(id)).token, null);
});

t.test('addresses, passwords and statuses must pass', async (t) => {
  const errorOf = async (body: object) =>
    (await admin('POST', '/users', body)).body.errors?.[0]?.extensions;
  t.equal((await admin('POST', '/users', { email: 'Ann@Example.com' })).status, 200);
  t.match(await errorOf({ email: 'aNN@example.COM' }), {
    code: 'RECORD_NOT_UNIQUE',
    field: 'email',
  });
  t.match(await errorOf({ email: 'nobody' }), { type: 'email', field: 'email', path: [] });
  t.match(await errorOf({ email: { a: 1 } }), { type: 'email' });
  t.match(await errorOf({ status: 'happy' }), { type: 'in', field: 'status' });
  t.match(await errorOf({ tfa_secret: 'ABC' }), { code: 'INVALID_PAYLOAD' });
  await admin('PATCH', '/settings', { auth_password_policy: '/^.{8,}$/' });
  t.match(await errorOf({ password: 'short' }), { type: 'regex', field: 'password' });
  t.equal((await admin('POST', '/users', { password: 'long enough' })).status, 200);
  await admin('PATCH', '/settings', { auth_password_policy: null });
});

t.test('roles, policies and permissions must make sense', async (t) => {
  const make = async (path: string, body: object) => (await admin('POST', path, body)).body.data.id;
  const top = await make('/roles', { name: 'top' });
  const low = await make('/roles', { name: 'low', parent: top });
  const refused = [400, 'INVALID_PAYLOAD'];
  t.strictSame(await codeOf(admin('PATCH', `/roles/${top}`, { parent: low })), refused);
  t.strictSame(await codeOf(admin('PATCH', `/roles/${top}`, { parent: top })), refused);
  const user = await make('/users', { role: top });
  t.equal((await admin('DELETE', `/roles/${top}`)).status, 204);
  t.match(await storedUser(user), { role: null, status: 'suspended' });
  t.equal((await admin('GET', `/roles/${low}`)).body.data.parent, null);
  for (const ip_access of ['*', '10.0.0.*', ['10.0.0.0/33'], '10.0.0.9-10.0.0.1', '::1-10.0.0.1']) {
    const answer = admin('POST', '/policies', { name: 'p', ip_access });
    t.strictSame(await codeOf(answer), refused, String(ip_access));
  }
  for (const ip_access of [[], '', ' ', ',', [' ']]) {
    const answer = await admin('POST', '/policies', { name: 'p', ip_access });
    t.equal(answer.code, 'INVALID_PAYLOAD', JSON.stringify(ip_access));
    t.match(answer.body.errors[0].extensions, { field: 'ip_access', reason: /only null/ });
  }
  const fine = ['10.0.0.1', '10.0.0.1-10.0.0.9', 'fd00::/8'];
  const policy = await make('/policies', { name: 'p', ip_access: fine });
  const emptied = admin('PATCH', `/policies/${policy}`, { ip_access: [] });
  t.strictSame(await codeOf(emptied), refused, 'the last address taken off');
  const permit = (body: object) =>
    admin('POST', '/permissions', { policy, collection: 'a', action: 'read', ...body });
  t.strictSame(await codeOf(permit({ action: 'fly' })), refused);
  t.strictSame(await codeOf(permit({ collection: 'directus_users' })), refused);
  t.strictSame(await codeOf(permit({ presets: [] })), refused);
  t.strictSame(await codeOf(permit({ fields: ['a,b'] })), refused);
  const unreadable = await permit({ permissions: { a: { _and: { b: 1 } } } });
  t.equal(unreadable.code, 'INVALID_PAYLOAD');
  t.match(unreadable.body.errors[0].extensions.reason, /permissions\.a\._and/);
  t.equal((await permit({ collection: 'unknown' })).status, 200);
  const nobody = permit({ policy: '00000000-0000-4000-8000-000000000000' });
  t.strictSame(await codeOf(nobody), [400, 'INVALID_FOREIGN_KEY']);
});

t.test('a policy is written with its permissions', async (t) => {
  const read = { collection: 'system_files', action: 'read', fields: ['*'] };
  const made = await admin('POST', '/policies', { name: 'p', permissions: [read] });
  const policy = made.body.data.id;
  const rows = async () =>
    (
      await cluster.db.query<{ id: number; action: string }>(
        'SELECT id, action FROM system_permissions WHERE policy = $1 ORDER BY id',
        [policy],
      )
    ).rows;
  const [first] = await rows();
  const permissions = { create: [{ ...read, action: 'update' }], delete: [first?.id] };
  const changed = await admin('PATCH', `/policies/${policy}`, { permissions });
  t.equal(changed.status, 200, 'a permission cannot be without a policy, and goes');
  t.match(await rows(), [{ action: 'update' }]);
  t.equal((await admin('PATCH', `/policies/${policy}`, { permissions: [] })).status, 200);
  t.strictSame(await rows(), []);
});

t.test('each asks after itself', async (t) => {
  const anonymous = async (path: string) => {
    const response = await fetch(`${cluster.url}${path}`);
    const body = JSON.parse(await response.text());
    return [response.status, body.errors?.[0]?.extensions.code ?? body.data];
  };
  t.strictSame(await anonymous('/users/me'), [401, 'INVALID_CREDENTIALS']);
  t.strictSame(await anonymous('/roles/me'), [403, 'FORBIDDEN']);
  t.strictSame(await anonymous('/policies/me/globals'), [200, { app_access: false }]);
  const plain = await createMember(cluster, []);
  t.strictSame((await plain.send('GET', '/users/me')).body, { data: { id: plain.id } });
  t.strictSame((await plain.send('GET', '/roles/me')).body, { data: [{ id: plain.role }] });
  t.strictSame(await codeOf(plain.send('GET', '/users')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(plain.send('PATCH', '/users/me', { title: 'x' })), [403, 'FORBIDDEN']);
  t.equal((await plain.send('PATCH', '/users/me/track/page', { last_page: '/here' })).status, 204);
  t.equal((await storedUser(plain.id)).last_page, '/here');
  t.strictSame((await plain.send('GET', '/policies/me/globals')).body.data, {
    app_access: false,
    admin_access: false,
    enforce_tfa: false,
  });
  const app = await createMember(
    cluster,
    [
      {
        collection: 'system_users',
        action: 'update',
        permissions: { id: { _eq: '$CURRENT_USER' } },
        fields: ['title'],
      },
    ],
    { app: true },
  );
  const me = (await app.send('GET', '/users/me')).body.data;
  t.equal(me.id, app.id);
  t.notOk('token' in me, 'a field that app access does not show');
  t.equal((await app.send('GET', '/users')).body.data.length, 1, 'only the own row');
  t.strictSame((await app.send('PATCH', '/users/me?fields=title', { title: 'Dr' })).body.data, {
    title: 'Dr',
  });
  t.strictSame(await codeOf(app.send('PATCH', '/users/me', { role: null })), [403, 'FORBIDDEN']);
  t.equal((await app.send('GET', '/roles/me')).body.data[0].name, `role ${app.role}`);
  const preset = { collection: 'articles', user: app.id };
  t.equal((await app.send('POST', '/presets', preset)).body.data.user, app.id);
  const linked = { ...preset, user: plain.id };
  t.equal((await app.send('POST', '/presets', linked)).status, 403, 'a user that may not be read');
  for (const user of [null, undefined]) {
    t.equal((await app.send('POST', '/presets', { ...preset, user })).status, 400, `${user}`);
  }
  const own = await admin('GET', `/permissions?filter[policy][_eq]=${app.policy}`);
  t.equal(own.body.data.length, 1);
});

t.test('new credentials end the sessions that the old ones began', async (t) => {
  const { body } = await admin('POST', '/users', { email: 'two@example.com', password: 'one' });
  const { id } = body.data;
  const begin = () =>
    cluster.db.query(
      `INSERT INTO system_sessions (token, "user", expires)
       VALUES (gen_random_uuid()::text, $1, now() + interval '1 day')`,
      [id],
    );
  const open = async () =>
    (await cluster.db.query('SELECT FROM system_sessions WHERE "user" = $1', [id])).rowCount;
  for (const change of [
    { password: 'two' },
    { email: 'three@example.com' },
    { status: 'archived' },
  ]) {
    await begin();
    t.equal(await open(), 1);
    t.equal((await admin('PATCH', `/users/${id}`, change)).status, 200);
    t.equal(await open(), 0, JSON.stringify(change));
  }
  await begin();
  await admin('PATCH', `/users/${id}`, { title: 'x' });
  t.equal(await open(), 1);
  await cluster.db.query(
    `INSERT INTO system_files (storage, filename_download, uploaded_by)
    VALUES ('local', 'a', $1)`,
    [id],
  );
  t.equal((await admin('DELETE', `/users/${id}`)).status, 204);
  t.equal(await open(), 0);
});

t.test('rights given by the API count at once', async (t) => {
  const { send, policy } = await createMember(cluster, []);
  await admin('POST', '/permissions', {
    policy,
    collection: 'system_roles',
    action: 'read',
    fields: ['name'],
  });
  await until(async () => (await send('GET', '/roles')).status === 200, 'the right is known');
  t.strictSame(Object.keys((await send('GET', '/roles')).body.data[0]), ['name']);
});
