// @newest

// What an attacker with some rights tries in order to have more: through what items refer to, by
// members that mean two things, and by texts that nobody expects.
import { createHash, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { createUser, PASSWORD, QUICK_LOGIN, signIn } from '../edge/rest/fixture/sign-in.ts';

let cluster: Cluster;
let output = '';

const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);

async function one(text: string, values: unknown[] = []) {
  return (await cluster.db.query(text, values)).rows[0];
}

t.before(async () => {
  cluster = await startCluster(t, { env: { ...QUICK_LOGIN, LOG_LEVEL: 'trace' } });
  for (const { process } of cluster.edges) {
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
  }
  await createSample(cluster.db);
  await cluster.db.query(
    'CREATE TABLE notes (id serial PRIMARY KEY, text text, owner uuid REFERENCES system_users(id))',
  );
  await until(
    async () => (await admin('GET', '/items/notes')).status === 200,
    'the tables are known',
  );
});

/** Who administers, and by what. */
async function administration() {
  const { rows } = await cluster.db.query(
    `SELECT (SELECT json_agg(x ORDER BY id) FROM (SELECT id, role, email, password, token, tfa_secret FROM system_users) x) AS users,
      (SELECT json_agg(x ORDER BY id) FROM (SELECT id, parent FROM system_roles) x) AS roles,
      (SELECT json_agg(x ORDER BY id) FROM (SELECT id, admin_access FROM system_policies) x) AS policies,
      (SELECT json_agg(x ORDER BY id) FROM (SELECT id, role, "user", policy FROM system_access) x) AS access`,
  );
  return JSON.stringify(rows[0]);
}

t.test('nobody becomes an administrator through what an item refers to', async (t) => {
  const head =
    await one(`SELECT u.id AS "user", u.role, a.policy, a.id AS access FROM system_users u
    JOIN system_access a ON a.role = u.role WHERE u.email = 'admin@example.com'`);
  const all = ['create', 'read', 'update', 'delete'] as const;
  const names = ['users', 'roles', 'policies', 'access', 'permissions', 'presets'];
  const { send, id, role, policy } = await createMember(cluster, [
    ...names.flatMap((name) => all.map((action) => ({ collection: `system_${name}`, action }))),
    ...all.map((action) => ({ collection: 'notes', action })),
  ]);
  const note = (await send('POST', '/items/notes', { text: 'x', owner: id })).body.data.id;
  const before = await administration();
  const tries: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/items/notes', { owner: { id: head.user, password: 'mine now' } }],
    ['POST', '/items/notes', { owner: { id: head.user, token: 'mine now' } }],
    ['POST', '/items/notes', { owner: { id, role: head.role } }],
    ['POST', '/items/notes', { owner: { id, role: { id: head.role, name: 'x' } } }],
    ['POST', '/items/notes', { owner: { email: 'n@example.com', role: head.role } }],
    ['POST', '/items/notes', { owner: { id, policies: [{ policy: head.policy }] } }],
    ['PATCH', `/items/notes/${note}`, { owner: { id, role: { parent: head.role, name: 'sly' } } }],
    ['PATCH', `/items/notes/${note}`, { owner: { id, role: { id: role, parent: head.role } } }],
    ['PATCH', `/items/notes/${note}`, { owner: { id, provider: 'ldap' } }],
    ['PATCH', `/items/notes/${note}`, { owner: { id, tfa_secret: null } }],
    ['PATCH', '/users/me', { role: { name: 'x', policies: [{ policy: head.policy }] } }],
    ['PATCH', '/users/me', { policies: [{ policy: head.policy }] }],
    [
      'PATCH',
      '/users/me',
      { policies: { create: [{ policy: { name: 'y', admin_access: true } }] } },
    ],
    ['PATCH', `/roles/${role}`, { policies: [{ policy: head.policy }] }],
    [
      'PATCH',
      `/roles/${role}`,
      { policies: { create: [{ policy: { id: policy, admin_access: true } }] } },
    ],
    ['PATCH', `/roles/${role}`, { parent: { id: head.role } }],
    ['PATCH', `/roles/${role}`, { users: { update: [{ id: head.user, password: 'mine now' }] } }],
    ['PATCH', `/roles/${role}`, { users: [head.user] }],
    ['PATCH', `/roles/${head.role}`, { users: { create: [{ email: 'm@example.com' }] } }],
    ['PATCH', `/roles/${head.role}`, { users: { update: [{ id }] } }],
    ['PATCH', `/roles/${head.role}`, { users: [{ id }] }],
    ['PATCH', `/roles/${head.role}`, { users: { delete: [head.user] } }],
    ['PATCH', `/roles/${head.role}`, { children: [role] }],
    ['PATCH', `/roles/${head.role}`, { policies: { create: [{ user: id, policy: head.policy }] } }],
    ['PATCH', `/policies/${head.policy}`, { users: [{ user: id }] }],
    ['PATCH', `/policies/${head.policy}`, { roles: { create: [{ role }] } }],
    ['POST', '/access', { user: { id, role: head.role }, policy }],
    ['POST', '/access', { user: { id: head.user, password: 'x' }, policy }],
    ['POST', '/access', { role, policy: { id: policy, admin_access: true } }],
    ['POST', '/access', { role, policy: { name: 'z', admin_access: true } }],
    [
      'POST',
      '/permissions',
      { policy: { id: policy, admin_access: true }, collection: 'x', action: 'read' },
    ],
    ['POST', '/presets', { user: { id, role: head.role } }],
    ['POST', '/presets', { role: { id: role, parent: head.role } }],
    ['PATCH', '/users', { query: { filter: { id: { _eq: head.user } } }, data: { password: 'x' } }],
    ['PATCH', '/users', { keys: [head.user.toUpperCase()], data: { password: 'mine now' } }],
    ['PATCH', `/users/${head.user.toUpperCase()}`, { token: 'mine now' }],
    ['POST', '/users', { id: head.user, password: 'mine now' }],
  ];
  for (const [method, path, body] of tries) {
    const { status } = await send(method, path, body);
    const shown = `${status} ${method} ${path} ${JSON.stringify(body)}`;
    t.ok(status >= 400 && status < 500, shown);
    t.equal(await administration(), before, shown);
  }
  t.equal((await send('GET', '/policies/me/globals')).body.data.admin_access, false);
});

t.test(
  'of a member that is sent twice the one that is judged is the one that is written',
  async (t) => {
    const head = await one(`SELECT role FROM system_users WHERE email = 'admin@example.com'`);
    const { id, role } = await createMember(cluster, []);
    const token = randomUUID();
    await cluster.db.query('UPDATE system_users SET token = $2 WHERE id = $1', [
      id,
      createHash('sha256').update(token).digest('hex'),
    ]);
    const policy = (await one('SELECT policy FROM system_access WHERE role = $1', [role])).policy;
    await cluster.db.query(
      `INSERT INTO system_permissions (policy, collection, action, fields) VALUES
      ($1, 'system_users', 'update', 'first_name,role'), ($1, 'notes', 'create', 'text')`,
      [policy],
    );
    const raw = (method: string, path: string, body: string) =>
      fetch(`${cluster.url}${path}`, {
        method,
        body,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      });
    await until(
      async () => (await raw('POST', '/items/notes', '{}')).status === 204,
      'the rights are known',
    );
    for (const [method, path, body] of [
      ['PATCH', `/users/${id}`, `{"role":"${role}","role":"${head.role}"}`],
      ['PATCH', `/users/${id}`, `{"role":"${role}","r\\u006fle":"${head.role}"}`],
      ['POST', '/items/notes', '{"text":"x","owner":null}'],
      ['POST', '/items/notes', '{"text":"x","\\u006fwner":null}'],
      ['POST', '/items/notes', '{"text":"x","Owner":null}'],
      ['POST', '/items/notes', '{"text":"x","owner ":null}'],
      ['POST', '/items/notes', `{"text":"x","${'k'.repeat(100_000)}":1}`],
    ] as const) {
      const { status } = await raw(method, path, body);
      t.equal(status, 403, body.slice(0, 80));
    }
    t.equal((await one('SELECT role FROM system_users WHERE id = $1', [id])).role, role);
  },
);

t.test('secrets of users are compared with nothing, from wherever they are reached', async (t) => {
  const { send, id } = await createMember(cluster, [
    { collection: 'notes', action: 'read' },
    { collection: 'system_users', action: 'read' },
    { collection: 'system_roles', action: 'read' },
    { collection: 'system_access', action: 'read' },
    { collection: 'system_presets', action: 'read' },
  ]);
  const paths = [
    ['/users', []],
    ['/items/notes', ['owner']],
    ['/roles', ['users']],
    ['/access', ['user']],
    ['/access', ['role', 'users']],
    ['/presets', ['user']],
  ] as const;
  for (const [path, hops] of paths) {
    for (const field of ['password', 'token', 'tfa_secret', 'auth_data']) {
      for (const operator of ['_eq', '_starts_with', '_gt', '_in', '_ncontains', '_between']) {
        const operand = /in$|between/.test(operator) ? ['a', 'b'] : 'a';
        const leaf = { [field]: { [operator]: operand } };
        const filter = [...hops].reverse().reduce<object>((inner, hop) => ({ [hop]: inner }), leaf);
        const { status } = await send('SEARCH', path, { query: { filter } });
        t.ok(status === 400 || status === 403, `${status} ${path} ${JSON.stringify(filter)}`);
      }
    }
  }
  for (const text of ['password', 'token', 'tfa_secret', 'auth_data', 'role.users.password']) {
    const filter = { first_name: { _eq: `$CURRENT_USER.${text}` } };
    const { status } = await send('SEARCH', '/users', { query: { filter } });
    t.ok(status === 400 || status === 403, text);
  }
  t.equal((await send('GET', `/users/${id}?fields=token`)).body.data.token, '**********');
});

t.test('unexpected texts are refused without a failure', async (t) => {
  const { send } = await createMember(cluster, [
    { collection: 'system_users', action: 'update' },
    { collection: 'notes', action: 'create' },
  ]);
  const user = await createUser(cluster);
  const { access_token: token } = await signIn(cluster.url, user);
  const post = (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${cluster.url}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    });
  t.ok((await post('PATCH', '/users/me/track/page', { last_page: 'a\0b' })).status < 500, 'NUL');
  t.ok((await post('PATCH', '/users/me/track/page', { last_page: '\ud800' })).status < 500);
  t.ok((await send('POST', '/items/notes', { text: 'a\0b' })).status < 500);
  t.ok(
    (await send('PATCH', '/users/me', { tags: ['\0'], theme_light_overrides: { a: '\0' } }))
      .status < 500,
  );
  const long = new Secret({ size: 600 });
  const code = (secret: Secret) => new TOTP({ secret }).generate();
  const tooLong = { secret: long.base32, otp: code(long) };
  t.ok((await post('POST', '/users/me/tfa/enable', tooLong)).status < 500, 'a secret too long');
  const generated = await post('POST', '/users/me/tfa/generate', { password: PASSWORD });
  const secret = Secret.fromBase32(
    (await bodyOf<{ data: { secret: string } }>(generated)).data.secret,
  );
  const enabled = await post(
    'POST',
    '/users/me/tfa/enable',
    { secret: secret.base32, otp: code(secret) },
    { origin: `https://${'a'.repeat(500)}.example`, 'user-agent': 'x'.repeat(3_000) },
  );
  t.equal(enabled.status, 204, 'headers too long to be noted');
  for (const email of ['a\0@example.com', '\ud800@example.com', `${'a'.repeat(300)}@example.com`]) {
    for (const [path, body] of [
      ['/auth/login', { email, password: 'x' }],
      ['/auth/password/request', { email }],
      ['/users/register', { email, password: 'x' }],
      ['/users/invite', { email, role: randomUUID() }],
    ] as const) {
      const { status } = await post('POST', path, body);
      t.ok(status < 500 || status === 503, `${status} ${path}`);
    }
  }
  for (const filter of ['{"kind":{"_eq":"\\u0000"}}', '{"state":{"_in":["\\u0000"]}}']) {
    const path = `/jobs?filter=${encodeURIComponent(filter)}`;
    t.ok((await admin('GET', path)).status < 500, path);
  }
});

t.test('a refusal repeats no secret, and no log contains one', async (t) => {
  const user = await createUser(cluster);
  const tokens = await signIn(cluster.url, user);
  const marks = ['canaryone', 'canarytwo', 'canarythree', 'canaryfour', 'canaryfive'];
  const [one, two, three, four, five] = marks;
  const ask = (path: string, init: RequestInit = {}) => fetch(`${cluster.url}${path}`, init);
  const json = (body: object) => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const answers = [
    await ask(`/items/notes?access_token=${one}`),
    await ask('/items/notes', { headers: { authorization: `Bearer ${two}` } }),
    await ask('/items/notes', { headers: { cookie: `sluice_session_token=${three}` } }),
    await ask('/auth/login', json({ email: user.email, password: four })),
    await ask('/auth/login', json({ email: four, password: four })),
    await ask('/auth/refresh', json({ refresh_token: five, mode: 'json' })),
    await ask('/auth/logout', json({ refresh_token: five })),
    await ask('/auth/password/reset', json({ token: five, password: four })),
    await ask('/users/invite/accept', json({ token: five, password: four })),
    await ask(`/users/register/verify-email?token=${five}`),
    await ask('/users/register', json({ email: 'x@example.com', password: four })),
    await ask(`/users/me?access_token=${tokens.access_token}`),
    await ask('/auth/refresh', json({ refresh_token: tokens.refresh_token })),
  ];
  for (const answer of answers.slice(0, -2)) {
    const text = await answer.text();
    for (const mark of marks) t.notMatch(text, mark, `${answer.status} ${answer.url}`);
  }
  const { body } = await admin('PATCH', `/users/${user.id}`, {
    token: 'canarystatic',
    password: 'canarynew',
  });
  t.notMatch(JSON.stringify(body), /canary/);
  const { rows } = await cluster.db.query<{ text: string }>(
    `SELECT t::text AS text FROM system_activity AS t UNION ALL SELECT t::text FROM system_revisions AS t
     UNION ALL SELECT t::text FROM system_users AS t UNION ALL SELECT t::text FROM system_sessions AS t
     UNION ALL SELECT t::text FROM system_jobs AS t`,
  );
  const kept = rows.map(({ text }) => text).join('\n');
  t.ok(rows.length > 5);
  for (const mark of [
    ...marks,
    'canarystatic',
    'canarynew',
    tokens.refresh_token,
    tokens.access_token,
    PASSWORD,
  ]) {
    t.notOk(kept.includes(mark), 'stored nowhere');
    t.notOk(output.includes(mark), 'logged nowhere');
  }
  const revised = rows.filter(({ text }) => text.includes('password'));
  for (const { text } of revised) t.notMatch(text, /argon2/, 'no revision keeps a hash');
});
