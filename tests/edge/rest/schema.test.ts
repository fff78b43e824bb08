/** The schema as a whole over HTTP: snapshots in all forms, diffs, applying them, and who may. */
import t from 'tap';
import { parse, stringify } from 'yaml';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, { workers: 1 });
const { url: second } = await cluster.addEdge();
await createSample(cluster.db);
const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
await until(
  async () =>
    (await admin('GET', '/items/pages?fields=blocks.item:block_text.content')).status === 200,
  'the tables are known',
);
const original = (await admin('GET', '/schema/snapshot')).body.data;

/** Sends a file to be compared. */
function upload(content: string, type: string, name = 'file', query = '') {
  const form = new FormData();
  form.append('file', new Blob([content], { type }), name);
  return cluster.fetch(`/schema/diff${query}`, { method: 'POST', body: form });
}

t.test(
  'a snapshot holds what somebody made, and nothing that only this database knows',
  async (t) => {
    const { version, vendor, collections, fields, relations, systemFields } = original;
    t.strictSame([version, vendor], [1, 'postgres']);
    t.ok(collections.length === 9 && relations.length === 6 && systemFields.length > 0);
    t.notOk(JSON.stringify([collections, fields, relations]).includes('"system_'));
    t.ok(fields.every(({ meta }: { meta: object | null }) => meta === null || !('id' in meta)));
    t.match(
      fields.find(
        (one: { collection: string; field: string }) =>
          one.collection === 'articles' && one.field === 'status',
      ),
      {
        type: 'string',
        meta: null,
        schema: { data_type: 'character varying', default_value: 'draft', max_length: 20 },
      },
    );
  },
);

t.test('it comes as a file, and as a part', async (t) => {
  for (const [format, read, type] of [
    ['json', (text: string): unknown => JSON.parse(text), 'application/json; charset=utf-8'],
    ['yaml', (text: string): unknown => parse(text), 'text/yaml; charset=utf-8'],
  ] as const) {
    const response = await cluster.fetch(`/schema/snapshot?export=${format}`);
    t.equal(response.headers.get('content-type'), type);
    t.match(
      response.headers.get('content-disposition'),
      /^attachment; filename="schema \d{8}-\d{6}\./,
    );
    t.strictSame(read(await response.text()), original, format);
  }
  const some = await admin('GET', '/schema/snapshot?includeCollections=tags,articles_tags');
  t.equal(some.body.data.version, 2);
  t.equal(some.body.data.relations.length, 2);
  const others = await admin('GET', '/schema/snapshot?excludeCollections[]=tags');
  t.equal(others.body.data.collections.length, 8);
  for (const query of [
    'export=csv',
    'includeCollections=nope',
    'includeCollections=tags&excludeCollections=pages',
  ]) {
    t.equal((await admin('GET', `/schema/snapshot?${query}`)).code, 'INVALID_QUERY', query);
  }
});

t.test('what is equal has no diff, in whatever form it comes', async (t) => {
  t.equal((await admin('POST', '/schema/diff', original)).status, 204);
  for (const [content, type, name] of [
    [JSON.stringify(original), 'application/json', 'a'],
    [stringify(original), 'text/yaml', 'a'],
    [stringify(original), 'application/octet-stream', 'a.YML'],
    [JSON.stringify(original), '', 'blob'],
    [stringify(original), 'text/plain', 'blob'],
  ] as const) {
    const response = await upload(content, type, name);
    t.equal(response.status, 204, await response.text());
  }
});

t.test('a part "file" without a name of a file is one', async (t) => {
  const send = (parts: readonly (readonly [string, string])[]) => {
    const form = new FormData();
    for (const [name, text] of parts) form.append(name, text);
    return cluster.fetch('/schema/diff', { method: 'POST', body: form });
  };
  // More than a text part may have elsewhere.
  const json = JSON.stringify(original) + ' '.repeat(70_000);
  for (const text of [json, stringify(original)]) {
    t.equal(
      (
        await send([
          ['mode', 'x'],
          ['file', text],
          ['late', 'y'],
        ])
      ).status,
      204,
    );
  }
  t.equal((await send([['file', '{']])).status, 400);
  t.equal((await send([['other', json]])).status, 400);
  t.equal((await send([['other', '{}']])).status, 400, 'no file');
  t.equal((await send([['file', ' '.repeat(17 * 2 ** 20)]])).status, 413);
});

t.test('what is no snapshot, or comes from elsewhere, is refused', async (t) => {
  for (const body of [
    {},
    [],
    null,
    { ...original, fields: 'x' },
    { ...original, collections: [{}] },
  ]) {
    t.equal((await admin('POST', '/schema/diff', body)).code, 'INVALID_PAYLOAD');
  }
  for (const other of [{ vendor: 'mysql' }, { sluice: '0.0.1' }, { version: 9 }]) {
    const body = { ...original, ...other };
    t.equal((await admin('POST', '/schema/diff', body)).code, 'INVALID_PAYLOAD');
    t.equal((await admin('POST', '/schema/diff?force', body)).status, 204);
  }
  t.equal((await admin('POST', '/schema/diff?mode=other', original)).code, 'INVALID_QUERY');
  t.equal((await upload('{', 'application/json')).status, 400);
  t.equal((await upload('a: [', 'text/yaml')).status, 400);
  t.equal((await upload('a: &a [x]\n__proto__: {}\n', 'text/yaml')).status, 400);
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefgh'].map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[n]}`)}]`).join('\n')}`;
  t.equal((await upload(bomb, 'text/yaml')).status, 400, 'a text that unfolds into millions');
  t.equal((await upload('x', 'text/csv')).status, 415);
  const system = { collection: 'system_users', meta: null, schema: {} };
  const body = { ...original, collections: [...original.collections, system] };
  t.equal((await admin('POST', '/schema/diff', body)).code, 'INVALID_PAYLOAD');
});

t.test('only administrators', async (t) => {
  const member = await createMember(cluster, [{ collection: 'articles', action: 'read' }], {
    app: true,
  });
  for (const [method, path] of [
    ['GET', '/schema/snapshot'],
    ['POST', '/schema/diff'],
    ['POST', '/schema/apply'],
    ['POST', '/schema/apply?dryRun'],
  ] as const) {
    t.equal((await member.send(method, path, method === 'GET' ? undefined : {})).code, 'FORBIDDEN');
  }
});

t.test('a diff is tried, applied, and known to every edge', async (t) => {
  const snapshot = structuredClone(original);
  const gone = (entry: { collection: string }) => entry.collection !== 'comments';
  snapshot.collections = snapshot.collections.filter(gone);
  snapshot.fields = snapshot.fields.filter(
    (field: { collection: string; field: string }) =>
      gone(field) && !(field.collection === 'articles' && field.field === 'comments'),
  );
  snapshot.relations = snapshot.relations.filter(gone);
  snapshot.collections.push({ collection: 'events', meta: { note: 'made' }, schema: {} });
  snapshot.fields.push(
    {
      collection: 'events',
      field: 'id',
      type: 'uuid',
      schema: { is_primary_key: true, default_value: 'gen_random_uuid()' },
    },
    {
      collection: 'events',
      field: 'author',
      type: 'integer',
      schema: {},
      meta: { interface: 'm2o' },
    },
  );
  snapshot.relations.push({
    collection: 'events',
    field: 'author',
    related_collection: 'authors',
    schema: { foreign_key_column: 'id', on_delete: 'CASCADE' },
    meta: { one_field: 'events' },
  });
  const title = snapshot.fields.find((field: { field: string }) => field.field === 'title');
  title.schema.comment = 'The title';
  const found = await admin('POST', '/schema/diff', snapshot);
  t.equal(found.status, 200);
  const { hash, diff } = found.body.data;
  t.match(hash, /^[0-9a-f]{64}$/);
  t.match(diff.collections, [
    { collection: 'comments', diff: [{ kind: 'D', lhs: { collection: 'comments' } }] },
    { collection: 'events', diff: [{ kind: 'N', rhs: { schema: { name: 'events' } } }] },
  ]);
  t.strictSame(diff.fields.find((entry: { field: string }) => entry.field === 'title').diff, [
    { kind: 'E', path: ['schema', 'comment'], lhs: null, rhs: 'The title' },
  ]);
  const merged = await admin('POST', '/schema/diff?mode=merge', snapshot);
  t.notMatch(JSON.stringify(merged.body), /"kind":"D"/);

  const tried = await admin('POST', '/schema/apply?dryRun', { hash, diff });
  t.ok(
    tried.body.data.sql.some((text: string) => text.startsWith('CREATE TABLE "public"."events"')),
  );
  t.ok(tried.body.data.sql.some((text: string) => text === 'DROP TABLE "public"."comments"'));
  t.strictSame((await admin('GET', '/schema/snapshot')).body.data, original, 'nothing is done');

  t.equal((await admin('POST', '/schema/apply', { hash, diff })).status, 204);
  for (const edge of [cluster.url, second]) {
    const response = await fetch(`${edge}/items/events?fields=author.events`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    t.equal(response.status, 200, edge);
  }
  t.equal((await admin('GET', '/items/comments')).code, 'FORBIDDEN');
  t.equal(
    (await admin('POST', '/schema/diff', snapshot)).status,
    204,
    'there is no difference left',
  );

  t.equal((await admin('POST', '/schema/apply', { hash, diff })).code, 'INVALID_PAYLOAD', 'stale');
  const empty = { collections: [], fields: [], systemFields: [], relations: [] };
  t.equal((await admin('POST', '/schema/apply', { hash, diff: empty })).status, 204);
  t.strictSame((await admin('POST', '/schema/apply?dryRun', { hash, diff: empty })).body, {
    data: { sql: [] },
  });
  for (const body of [
    {},
    { hash },
    { hash, diff: { other: [] } },
    { hash, diff: { fields: [{}] } },
  ]) {
    t.equal((await admin('POST', '/schema/apply', body)).code, 'INVALID_PAYLOAD');
  }
});

t.test('what cannot be applied leaves everything as it was', async (t) => {
  const before = (await admin('GET', '/schema/snapshot')).body.data;
  const snapshot = structuredClone(before);
  snapshot.collections.push({ collection: 'fresh', meta: null, schema: {} });
  snapshot.fields.push({
    collection: 'fresh',
    field: 'id',
    type: 'integer',
    schema: { is_primary_key: true },
  });
  const email = snapshot.fields.find((field: { field: string }) => field.field === 'name');
  email.schema.data_type = 'integer';
  email.type = 'integer';
  const { hash, diff } = (await admin('POST', '/schema/diff', snapshot)).body.data;
  const refused = await admin('POST', '/schema/apply', { hash, diff });
  t.strictSame([refused.status, refused.code], [422, 'UNPROCESSABLE_ENTITY']);
  t.strictSame((await admin('GET', '/schema/snapshot')).body.data, before);
});

const RIGHTS = '/schema/snapshot?with=policies,roles,permissions';

t.test('policies, roles and permissions come along when they are asked for', async (t) => {
  const member = await createMember(cluster, [
    { collection: 'tags', action: 'read', permissions: { id: { _lte: 2 } }, fields: ['id'] },
    { collection: 'tags', action: 'update', validation: { name: { _nnull: true } } },
  ]);
  const wanted = (await admin('GET', RIGHTS)).body.data;
  t.equal((await admin('GET', '/schema/snapshot')).body.data.roles, undefined);
  t.equal((await admin('GET', '/schema/snapshot?with=users')).code, 'INVALID_QUERY');
  t.equal((await admin('POST', '/schema/diff', wanted)).status, 204, 'nothing differs');
  const seen = async () => (await member.send('GET', '/items/tags')).body.data?.length;
  t.equal(await seen(), 2);

  // Everything about the member is changed, and another policy is made.
  const other = { name: 'Other', app_access: true };
  const { id: added } = (await admin('POST', '/policies', other)).body.data;
  await cluster.db.query(
    `UPDATE system_permissions SET permissions = NULL, fields = '*'
       WHERE policy = '${member.policy}' AND action = 'read';
     DELETE FROM system_permissions WHERE policy = '${member.policy}' AND action = 'update';
     INSERT INTO system_permissions (policy, collection, action, fields)
       VALUES ('${member.policy}', 'pages', 'delete', '*');
     UPDATE system_policies SET name = 'changed', app_access = true WHERE id = '${member.policy}';
     UPDATE system_roles SET icon = 'star' WHERE id = '${member.role}';
     INSERT INTO system_access (role, policy) VALUES ('${member.role}', '${added}')`,
  );
  await until(async () => (await seen()) > 2, 'the edge knows');
  const { hash, diff } = (await admin('POST', '/schema/diff', wanted)).body.data;
  t.match(diff, {
    collections: [],
    fields: [],
    policies: [{ policy: member.policy }],
    roles: [{ role: member.role }],
    permissions: { length: 3 },
  });
  const merged = (await admin('POST', '/schema/diff?mode=merge', wanted)).body.data.diff;
  t.match(merged, { permissions: { length: 2 } }, 'what is more stays');
  const dry = await admin('POST', '/schema/apply?dryRun', { hash, diff });
  t.match(dry.body.data.sql.join('\n'), /INSERT INTO "public"."system_policies"/);
  const history = async () => {
    const { rows } = await cluster.db.query(
      `SELECT a.action, substr(a.collection, 8) AS of, a.item, r.delta, r.data
       FROM system_activity AS a LEFT JOIN system_revisions AS r ON r.activity = a.id
       WHERE a.collection IN ('system_policies', 'system_roles', 'system_access',
           'system_permissions')
         AND a."user" = (SELECT id FROM system_users WHERE email = 'admin@example.com')
         AND a.ip = '127.0.0.1' AND a.user_agent = 'node' ORDER BY a.id`,
    );
    return rows;
  };
  const before = (await history()).length;
  t.equal((await admin('POST', '/schema/apply', { hash, diff })).status, 204);
  const recorded = (await history()).slice(before);
  t.match(recorded, [
    { action: 'update', of: 'policies', item: member.policy, delta: { app_access: false } },
    { action: 'update', of: 'roles', item: member.role, delta: { icon: /^[a-z_]+$/ } },
    { action: 'delete', of: 'access' },
    { action: 'delete', of: 'access' },
    { action: 'create', of: 'access', data: { role: member.role, policy: member.policy } },
    ...recorded.slice(5),
  ]);
  t.strictSame(Object.keys(recorded[0].delta).sort(), ['app_access', 'name']);
  t.strictSame(
    recorded
      .slice(5)
      .map(({ action, of }) => `${action} ${of}`)
      .sort(),
    [
      ...['create permissions', 'create permissions'],
      ...['delete permissions', 'delete permissions'],
    ],
  );
  t.match(
    recorded.find(({ delta }) => delta?.action === 'read'),
    { delta: { collection: 'tags', fields: 'id' }, data: { policy: member.policy } },
  );
  t.equal(await seen(), 2, 'what was confirmed holds for every request after it');
  const after = (await admin('GET', RIGHTS)).body.data;
  t.match(
    after.policies.map(({ id }: { id: string }) => id),
    [...wanted.policies.map(({ id }: { id: string }) => id), added].sort(),
    'another policy stays',
  );
  t.equal((await admin('POST', '/schema/apply', { hash, diff })).status, 204, 'again');
  t.equal((await history()).length, before + recorded.length, 'nothing has changed');
  t.equal((await admin('POST', '/schema/diff', wanted)).status, 204, 'nothing differs any more');
  t.strictSame(after.permissions, wanted.permissions);
  t.strictSame(after.roles, wanted.roles);

  // Where nothing of it is there yet, all of it is made.
  await cluster.db.query(
    `DELETE FROM system_users WHERE id = '${member.id}';
     DELETE FROM system_roles WHERE id = '${member.role}';
     DELETE FROM system_policies WHERE id = '${member.policy}'`,
  );
  const fresh = (await admin('POST', '/schema/diff', wanted)).body.data;
  const made = (await history()).length;
  t.equal((await admin('POST', '/schema/apply', fresh)).status, 204);
  t.match((await history()).slice(made), [
    { action: 'create', of: 'policies', item: member.policy, data: { id: member.policy } },
    { action: 'create', of: 'roles', item: member.role, data: { id: member.role } },
    { action: 'create', of: 'access' },
    { action: 'create', of: 'permissions' },
    { action: 'create', of: 'permissions' },
  ]);
  t.equal((await admin('POST', '/schema/diff', wanted)).status, 204);
});

t.test('rights that cannot hold are refused, and an administrator remains', async (t) => {
  const before = (await admin('GET', RIGHTS)).body.data;
  const refused = async (change: (snapshot: typeof before) => void) => {
    const snapshot = structuredClone(before);
    change(snapshot);
    const found = await admin('POST', '/schema/diff', snapshot);
    const answer =
      found.status === 200 ? await admin('POST', '/schema/apply', found.body.data) : found;
    t.strictSame((await admin('GET', RIGHTS)).body.data, before);
    return answer;
  };
  const lost = await refused(({ policies }) => {
    for (const policy of policies) policy.admin_access = false;
  });
  t.match(lost, { status: 422, code: 'UNPROCESSABLE_ENTITY' });
  const barred = await refused(({ policies }) => {
    for (const policy of policies) policy.ip_access = '';
  });
  t.match(barred, { status: 422, code: 'UNPROCESSABLE_ENTITY' });
  const [registered] = before.roles.filter(
    ({ policies }: { policies: string[] }) =>
      !before.policies.some(
        ({ id, admin_access }: { id: string; admin_access: boolean }) =>
          admin_access && policies.includes(id),
      ),
  );
  await cluster.db.query(
    `INSERT INTO system_settings (id, public_registration_role) VALUES (1, $1)
     ON CONFLICT (id) DO UPDATE SET public_registration_role = $1`,
    [registered.id],
  );
  const registering = await refused(({ roles, policies }) => {
    const [all] = policies.filter(({ admin_access }: { admin_access: boolean }) => admin_access);
    for (const role of roles) if (role.id === registered.id) role.policies.push(all.id);
  });
  t.match(registering, { status: 422, code: 'UNPROCESSABLE_ENTITY' });
  t.match(registering.body.errors[0].message, /registration/);
  await cluster.db.query('UPDATE system_settings SET public_registration_role = NULL');
  const circle = await refused(({ roles }) => {
    for (const role of roles) role.parent = role.id;
  });
  t.match(circle, { status: 422, code: 'UNPROCESSABLE_ENTITY' });
  const unreadable = await refused(({ permissions }) => {
    permissions[0].rules[0].permissions = { _or: [] };
  });
  t.match(unreadable, { status: 400, code: 'INVALID_PAYLOAD' });
  const nowhere = await refused(({ permissions }) => {
    permissions.push({ ...permissions[0], policy: '00000000-0000-4000-8000-000000000001' });
  });
  t.match(nowhere, { status: 400 });
  const twice = await refused(({ roles }) => roles.push(roles[0]));
  t.match(twice, { status: 400, code: 'INVALID_PAYLOAD' });
  const user = await refused(({ roles }) => {
    roles[0].users = ['me'];
  });
  t.match(user, { status: 400, code: 'INVALID_PAYLOAD' });
});
