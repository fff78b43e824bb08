import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type MemberUser, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);

async function one(text: string, values: unknown[] = []) {
  return (await cluster.db.query(text, values)).rows[0];
}

/** The first administrator with role, policy and the row between them. */
async function firstAdmin() {
  return one(`SELECT u.id AS "user", u.role, a.id AS access, a.policy FROM system_users u
    JOIN system_access a ON a.role = u.role
    WHERE u.email = 'admin@example.com'`);
}

t.before(async () => {
  cluster = await startCluster(t);
});

t.test('every column is either meant to be written or kept by the server', async (t) => {
  const kept: Record<string, string[]> = {
    access: [],
    permissions: [],
    policies: [],
    presets: [],
    roles: [],
    settings: ['project_id'],
    users: ['tfa_secret', 'auth_data', 'last_access'],
  };
  for (const [name, expected] of Object.entries(kept)) {
    const { rows } = await cluster.db.query<{ column: string }>(
      `SELECT column_name AS column FROM information_schema.columns
       WHERE table_name = $1 AND table_schema = 'public' ORDER BY ordinal_position`,
      [`system_${name}`],
    );
    t.ok(rows.length > 3, name);
    const refused: string[] = [];
    for (const { column } of rows) {
      const method = name === 'settings' ? 'PATCH' : 'POST';
      const { body } = await admin(method, `/${name}`, { [column]: null });
      const { reason = '' } = body?.errors?.[0]?.extensions ?? {};
      if (/^Only the server can write|cannot be written/.test(reason)) refused.push(column);
    }
    t.strictSame(refused.sort(), expected.sort(), name);
  }
  const { user } = await firstAdmin();
  for (const column of ['auth_data', 'last_access']) {
    const { status } = await admin('PATCH', `/users/${user}`, { [column]: null });
    t.equal(status, 403, column);
  }
});

/** Everything that the rows of administration allow, but no administrator. */
async function deputy(): Promise<MemberUser> {
  const names = ['users', 'roles', 'policies', 'access', 'permissions'] as const;
  const actions = ['create', 'read', 'update', 'delete'] as const;
  return createMember(
    cluster,
    names.flatMap((name) => actions.map((action) => ({ collection: `system_${name}`, action }))),
  );
}

t.test('only administrators create or remove administrators, by any way', async (t) => {
  const { send, id, role, policy } = await deputy();
  const head = await firstAdmin();
  const other = (await admin('POST', '/users', { email: 'other@example.com' })).body.data.id;
  const below = (await admin('POST', '/roles', { name: 'below', parent: head.role })).body.data.id;
  const strict = (await send('POST', '/policies', { name: 'strict', enforce_tfa: true })).body.data;
  for (const [method, path, body] of [
    ['PATCH', `/users/${id}`, { role: head.role }],
    ['PATCH', `/users/me`, { role: below }],
    ['PATCH', '/users', { keys: [id, other], data: { role: below } }],
    ['PATCH', '/users', [{ id: other, role: head.role }]],
    ['POST', '/users', { email: 'new@example.com', role: head.role }],
    ['PATCH', `/roles/${role}`, { parent: head.role }],
    ['POST', '/roles', { name: 'sly', parent: below }],
    ['PATCH', `/policies/${policy}`, { admin_access: true }],
    ['POST', '/policies', { name: 'sly', admin_access: true }],
    ['POST', '/access', { user: id, policy: head.policy }],
    ['POST', '/access', { role, policy: head.policy }],
    ['POST', '/access', { policy: head.policy }],
    ['PATCH', `/access/${head.access}`, { role }],
    ['PATCH', `/access/${head.access}`, { role: null }],
    ['PATCH', `/users/${head.user}`, { password: 'mine now' }],
    ['PATCH', `/users/${head.user}`, { token: 'mine now' }],
    ['PATCH', '/users', { keys: [other, head.user], data: { email: null } }],
    // Nor does anybody shut them out.
    ['PATCH', `/policies/${head.policy}`, { ip_access: ['10.9.9.9'] }],
    ['PATCH', `/policies/${head.policy}`, { enforce_tfa: true }],
    ['POST', '/access', { user: head.user, policy: strict.id }],
    ['POST', '/access', { role: head.role, policy: strict.id }],
    ['POST', '/access', { policy: strict.id }],
    ['PATCH', `/roles/${head.role}`, { parent: role, policies: [{ policy: strict.id }] }],
    ['DELETE', `/users/${head.user}`, undefined],
    ['DELETE', `/access/${head.access}`, undefined],
    ['DELETE', `/roles/${below}`, undefined],
    ['POST', '/users', { email: 'p@example.com', provider: 'ldap' }],
    ['PATCH', `/users/${other}`, { external_identifier: 'cn=head' }],
  ] as const) {
    const { status, code } = await send(method, path, body);
    t.strictSame([status, code], [403, 'FORBIDDEN'], `${method} ${path} ${JSON.stringify(body)}`);
  }
  t.equal(
    (await send('PATCH', `/users/${other}`, { role })).status,
    200,
    'other roles may be given',
  );
  t.equal((await send('POST', '/access', { user: other, policy })).status, 200);
  t.equal((await send('GET', '/policies/me/globals')).body.data.admin_access, false);
});

t.test('an administrator remains after every change', async (t) => {
  const head = await firstAdmin();
  for (const [method, path, body] of [
    ['DELETE', `/users/${head.user}`, undefined],
    ['DELETE', '/users', [head.user]],
    ['PATCH', `/users/${head.user}`, { status: 'suspended' }],
    ['PATCH', `/users/me`, { role: null }],
    ['PATCH', '/users', { keys: [head.user], data: { status: 'draft' } }],
    ['PATCH', '/users', [{ id: head.user, status: 'archived' }]],
    ['DELETE', `/roles/${head.role}`, undefined],
    ['DELETE', `/policies/${head.policy}`, undefined],
    ['PATCH', `/policies/${head.policy}`, { admin_access: false }],
    ['DELETE', `/access/${head.access}`, undefined],
    ['PATCH', `/access/${head.access}`, { role: null, user: null }],
  ] as const) {
    const { status, code } = await admin(method, path, body);
    t.strictSame([status, code], [422, 'UNPROCESSABLE_ENTITY'], `${method} ${path}`);
  }
  t.equal((await admin('GET', '/users/me')).body.data.role, head.role, 'nothing was changed');
});

t.test('an administrator whom ip_access bars everywhere is none that is left', async (t) => {
  const head = await firstAdmin();
  const second = await createMember(cluster, [], { admin: true });
  const suspend = () => admin('PATCH', `/users/${head.user}`, { status: 'suspended' });
  const bar = (list: string | null) =>
    cluster.db.query('UPDATE system_policies SET ip_access = $2 WHERE id = $1', [
      second.policy,
      list,
    ]);
  for (const list of ['', ' , ', '10.0.0.x', '10.0.0.0/33', '10.0.0.9-10.0.0.1']) {
    await bar(list);
    t.match(await suspend(), { status: 422, code: 'UNPROCESSABLE_ENTITY' }, list);
    const isBarred = async () => (await second.send('GET', '/users/me')).code === 'INVALID_IP';
    await until(isBarred, `${JSON.stringify(list)} bars`);
  }
  for (const list of ['10.0.0.x,10.0.0.1', null]) {
    await bar(list);
    t.equal((await suspend()).status, 200, String(list));
    await cluster.db.query("UPDATE system_users SET status = 'active' WHERE id = $1", [head.user]);
    await until(async () => (await admin('GET', '/users/me')).status === 200, 'the first is back');
  }
  await cluster.db.query('DELETE FROM system_access WHERE role = $1', [second.role]);
});

t.test('of two removals of the last two administrators one fails', async (t) => {
  const head = await firstAdmin();
  for (let round = 0; round < 5; round += 1) {
    const second = await createMember(cluster, [], { admin: true });
    const own = await one('SELECT id FROM system_access WHERE role = $1', [second.role]);
    const ways = [
      ['DELETE', `/users/${second.id}`, undefined],
      ['PATCH', `/policies/${second.policy}`, { admin_access: false }],
      ['DELETE', `/access/${own.id}`, undefined],
      ['DELETE', `/roles/${second.role}`, undefined],
      ['PATCH', `/users/${second.id}`, { status: 'suspended' }],
    ] as const;
    const [method, path, body] = ways[round] ?? ways[0];
    const answers = await Promise.all([
      admin('PATCH', `/users/${head.user}`, { status: 'suspended' }),
      second.send(method, path, body),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    t.equal(statuses.filter((status) => status === 422 || status === 401).length, 1, `${statuses}`);
    const { rows } = await cluster.db.query(
      `SELECT FROM system_users u JOIN system_access a ON a.role = u.role
       JOIN system_policies p ON p.id = a.policy AND p.admin_access WHERE u.status = 'active'`,
    );
    t.equal(rows.length, 1, 'one is left');
    await cluster.db.query("UPDATE system_users SET status = 'active' WHERE id = $1", [head.user]);
    await until(async () => (await admin('GET', '/users/me')).status === 200, 'the first is back');
    await cluster.db.query('DELETE FROM system_access WHERE role = $1', [second.role]);
  }
});

t.test('who registers does not become an administrator', async (t) => {
  const head = await firstAdmin();
  for (const role of [head.role, head.role.toUpperCase(), `{${head.role}}`]) {
    const { status } = await admin('PATCH', '/settings', { public_registration_role: role });
    t.equal(status, 422, role);
  }
});

t.test('registration never creates administrators, by any way', async (t) => {
  const head = await firstAdmin();
  const made = async (path: string, body: object): Promise<string> =>
    (await admin('POST', path, body)).body.data.id;
  const policy = await made('/policies', { name: 'plain' });
  const above = await made('/roles', { name: 'above' });
  const role = await made('/roles', { name: 'registered', parent: above });
  const access = await made('/access', { role, policy });
  const other = await made('/roles', { name: 'other' });
  const user = await made('/users', { email: 'somebody@example.com' });
  // A revision that would make the policy one of administrators again.
  await admin('PATCH', `/policies/${policy}`, { admin_access: true });
  await admin('PATCH', `/policies/${policy}`, { admin_access: false });
  const { revision } = await one(
    `SELECT id AS revision FROM system_revisions
     WHERE collection = 'system_policies' AND item = $1 AND delta ->> 'admin_access' = 'true'`,
    [policy],
  );
  const settings = { public_registration: true, public_registration_role: role };
  t.equal((await admin('PATCH', '/settings', settings)).status, 200);
  const mighty = { name: 'mighty', admin_access: true };
  const grant = { policy: head.policy };
  for (const [method, path, body] of [
    ['PATCH', `/policies/${policy}`, { admin_access: true }],
    ['PATCH', '/policies', { keys: [policy], data: { admin_access: true } }],
    ['PATCH', '/policies', [{ id: policy, admin_access: true }]],
    ['POST', '/policies', { ...mighty, roles: [{ role }] }],
    ['PATCH', `/policies/${head.policy}`, { roles: { create: [{ role }] } }],
    ['POST', `/utils/revert/${revision}`, undefined],
    ['POST', '/access', { role, ...grant }],
    [
      'POST',
      '/access',
      [
        { role: other, policy },
        { role: above, ...grant },
      ],
    ],
    ['POST', '/access', { role, policy: mighty }],
    ['POST', '/access', { role, policy: { id: policy, admin_access: true } }],
    ['PATCH', `/access/${access}`, grant],
    ['PATCH', `/access/${access}`, { policy: { id: policy, admin_access: true } }],
    ['PATCH', `/roles/${role}`, { parent: head.role }],
    ['PATCH', `/roles/${above}`, { parent: head.role }],
    ['PATCH', `/roles/${above}`, { parent: { name: 'top', policies: [grant] } }],
    ['PATCH', `/roles/${role}`, { policies: { create: [grant] } }],
    ['PATCH', `/roles/${role}`, { policies: { create: [{ policy: mighty }] } }],
    ['PATCH', `/roles/${head.role}`, { children: { update: [{ id: role }] } }],
    ['POST', '/roles', { name: 'top', policies: [grant], children: [above] }],
    ['POST', '/users', { email: 'n@example.com', role: { id: role, parent: head.role } }],
    ['PATCH', `/users/${user}`, { role: { id: role, policies: { create: [grant] } } }],
    ['PATCH', `/users/${user}`, { policies: [{ policy: { id: policy, admin_access: true } }] }],
    ['PATCH', '/settings', { public_registration_role: head.role }],
    ['PATCH', '/settings', { public_registration_role: { name: 'new', parent: head.role } }],
    ['PATCH', '/settings', { public_registration_role: { id: role, policies: [grant] } }],
    ['PATCH', '/settings', { public_registration_role: { id: above, parent: head.role } }],
  ] as const) {
    const { status, body: answer } = await admin(method, path, body);
    const door = `${method} ${path} ${JSON.stringify(body)}`;
    t.equal(status, 422, door);
    t.match(answer.errors?.[0]?.message, /role for registration/, door);
  }
  // What does not concern that role goes on.
  t.equal((await admin('POST', '/access', { role: other, ...grant })).status, 200);
  t.equal((await admin('PATCH', `/roles/${other}`, { description: 'x' })).status, 200);
  t.equal((await admin('PATCH', `/policies/${policy}`, { app_access: true })).status, 200);

  // Of two changes that would do it together, one is refused.
  for (let round = 0; round < 4; round += 1) {
    await admin('PATCH', '/settings', { public_registration_role: null });
    const fresh = await made('/roles', { name: `round ${round}` });
    const answers = await Promise.all([
      admin('PATCH', '/settings', { public_registration_role: fresh }),
      round % 2 === 0
        ? admin('POST', '/access', { role: fresh, ...grant })
        : admin('PATCH', `/roles/${fresh}`, { parent: head.role }),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    t.strictSame(statuses, [200, 422], `round ${round}`);
  }
  await admin('PATCH', '/settings', {
    public_registration: false,
    public_registration_role: null,
  });
});
