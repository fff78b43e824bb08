import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember, type GivenPermission, sendAs } from '#tests/harness/member.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);

const READ: GivenPermission = { collection: 'articles', action: 'read' };

async function titles(where = 'true'): Promise<string[]> {
  const { rows } = await cluster.db.query<{ title: string }>(
    `SELECT title FROM articles WHERE ${where} ORDER BY id`,
  );
  return rows.map(({ title }) => title);
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  await cluster.db.query(`
    CREATE TABLE stamps (id uuid PRIMARY KEY, made timestamptz NOT NULL, changed timestamptz,
      maker uuid, changer uuid, maker_role uuid, secret varchar(255), masked text, list text,
      flag boolean);
    INSERT INTO system_fields (collection, field, special) VALUES
      ('stamps', 'id', 'uuid'), ('stamps', 'made', 'date-created'),
      ('stamps', 'changed', 'date-updated'), ('stamps', 'maker', 'user-created'),
      ('stamps', 'changer', 'user-updated'), ('stamps', 'maker_role', 'role-created'),
      ('stamps', 'secret', 'hash,conceal'), ('stamps', 'masked', 'conceal'),
      ('stamps', 'list', 'cast-csv'), ('stamps', 'flag', 'cast-boolean');
    CREATE TABLE ruled (id serial PRIMARY KEY, v int, name text NOT NULL, word text);
    INSERT INTO system_fields (collection, field, validation) VALUES
      ('ruled', 'v', '{"_and":[{"v":{"_gt":10}}]}'),
      ('ruled', 'word', '{"word":{"_regex":"^(a+)+$"}}');`);
  await until(
    async () => (await admin('GET', '/items/ruled?fields=word')).status === 200,
    'the tables are known',
  );
});

t.test('without a right there is no write, in whatever form', async (t) => {
  const { send } = await createMember(cluster, [READ]);
  for (const [method, path, body] of [
    ['POST', '/items/articles', { title: 'x' }],
    ['POST', '/items/articles', [{ title: 'x' }]],
    ['PATCH', '/items/articles/1', { title: 'x' }],
    ['PATCH', '/items/articles', { keys: [1], data: { title: 'x' } }],
    ['PATCH', '/items/articles', [{ id: 1, title: 'x' }]],
    ['PATCH', '/items/articles', []],
    ['PATCH', '/items/articles', { keys: [], data: { title: 'x' } }],
    ['DELETE', '/items/articles/1', undefined],
    ['DELETE', '/items/articles', [1]],
    ['DELETE', '/items/articles', []],
  ] as const) {
    const { status, code } = await send(method, path, body);
    t.strictSame([status, code], [403, 'FORBIDDEN'], `${method} ${path} ${JSON.stringify(body)}`);
  }
  t.strictSame(await titles("title = 'x'"), []);
});

t.test('the rule of a row counts for every form of update and deletion', async (t) => {
  const rule = { permissions: { author_id: { name: { _eq: 'Author 2' } } } };
  const { send } = await createMember(cluster, [
    READ,
    { collection: 'articles', action: 'update', fields: ['title'], ...rule },
    { collection: 'articles', action: 'delete', ...rule },
  ]);
  // Articles 1, 11 and 21 are by author 2.
  for (const [method, path, body] of [
    ['PATCH', '/items/articles/2', { title: 'x' }],
    ['PATCH', '/items/articles/2', {}],
    ['PATCH', '/items/articles', [{ id: 2 }]],
    ['PATCH', '/items/articles', { keys: [1, 2], data: { title: 'x' } }],
    [
      'PATCH',
      '/items/articles',
      [
        { id: 1, title: 'x' },
        { id: 2, title: 'x' },
      ],
    ],
    ['PATCH', '/items/articles', [{ id: 1, title: 'x', views: 1 }]],
    ['PATCH', '/items/articles/1', { author_id: 3 }],
    ['PATCH', '/items/articles/999', { title: 'x' }],
    ['DELETE', '/items/articles/2', undefined],
    ['DELETE', '/items/articles', [1, 2]],
    ['DELETE', '/items/articles', { keys: [11, 999] }],
  ] as const) {
    const { status, code } = await send(method, path, body);
    t.strictSame([status, code], [403, 'FORBIDDEN'], `${method} ${path} ${JSON.stringify(body)}`);
  }
  t.strictSame(await titles("title = 'x'"), []);
  t.equal((await send('PATCH', '/items/articles/1', { title: 'one' })).body.data.title, 'one');
  const some = await send('PATCH', '/items/articles', { keys: [1, 11], data: { title: 'many' } });
  t.equal(some.body.data.length, 2);
  const each = [{ id: 11, title: 'each' }];
  t.equal((await send('PATCH', '/items/articles', each)).body.data[0].title, 'each');
  t.equal((await send('DELETE', '/items/articles/21')).status, 204);
  t.strictSame(await titles('id IN (1, 11, 21)'), ['many', 'each']);
});

t.test('where rows have different fields, each row decides for itself', async (t) => {
  const { send } = await createMember(cluster, [
    READ,
    {
      collection: 'articles',
      action: 'update',
      fields: ['title'],
      permissions: { status: { _in: ['draft', 'published'] } },
    },
    {
      collection: 'articles',
      action: 'update',
      fields: ['views'],
      permissions: { status: { _eq: 'draft' } },
    },
  ]);
  // Status by id modulo 3: 0 draft, 1 published, 2 archived.
  const update = (keys: number[], data: object) => send('PATCH', '/items/articles', { keys, data });
  t.equal((await update([3], { title: 'a', views: 1 })).status, 200);
  t.equal((await update([4], { title: 'a' })).status, 200);
  t.equal((await update([4], { views: 1 })).status, 403);
  t.equal((await update([3, 4], { views: 1 })).status, 403);
  t.equal((await update([5], { title: 'a' })).status, 403);
  t.equal((await update([3, 4], { title: 'b' })).status, 200);
  t.equal((await update([3, 4], { nothing: 'b' })).status, 403, 'unknown members are no fields');
});

t.test('creating: fields first, then presets, validation and reading back', async (t) => {
  const { send, id } = await createMember(cluster, [
    { ...READ, fields: ['id', 'title', 'status', 'views', 'body'] },
    {
      collection: 'articles',
      action: 'create',
      fields: ['title', 'views'],
      presets: { status: 'early', body: '$CURRENT_USER', views: 1 },
      validation: { status: { _eq: 'late' } },
    },
    {
      collection: 'articles',
      action: 'create',
      fields: ['id'],
      presets: { status: 'late' },
      validation: { _and: [{ title: { _nempty: true } }, { views: { _lte: 5 } }] },
    },
  ]);
  t.equal((await send('POST', '/items/articles', { title: 'x', body: 'x' })).code, 'FORBIDDEN');
  t.equal((await send('POST', '/items/articles', { title: 'x', zzz: 'x' })).code, 'FORBIDDEN');
  const refused = await send('POST', '/items/articles', [
    { title: 'fine' },
    { title: '', views: 9 },
  ]);
  t.equal(refused.status, 400);
  t.strictSame(
    refused.body.errors.map((error: { extensions: object }) => error.extensions),
    [
      { code: 'FAILED_VALIDATION', index: 1, field: 'title', path: [], type: 'nempty' },
      { code: 'FAILED_VALIDATION', index: 1, field: 'views', path: [], type: 'lte', valid: 5 },
    ],
  );
  t.strictSame(await titles("title = 'fine'"), [], 'all or nothing');
  const lacking = await send('POST', '/items/articles', { views: 2 });
  t.strictSame(lacking.body.errors[0].extensions, {
    code: 'FAILED_VALIDATION',
    field: 'title',
    path: [],
    type: 'required',
  });
  const made = await send('POST', '/items/articles', { title: 'fine', views: 3 });
  const { id: key, ...rest } = made.body.data;
  t.strictSame(rest, { title: 'fine', status: 'late', views: 3, body: id });
  t.equal((await send('POST', '/items/articles?fields=author_id', { title: 'q' })).status, 204);
  t.equal((await titles("title = 'q'")).length, 1, 'it was done though it may not be read');
  t.type(key, 'number');
});

t.test('callers without read permission see no written data', async (t) => {
  const { send } = await createMember(cluster, [
    { collection: 'tags', action: 'create' },
    { collection: 'tags', action: 'update' },
    { collection: 'articles', action: 'update' },
    { ...READ, permissions: { title: { _neq: 'gone' } } },
  ]);
  const made = await send('POST', '/items/tags', { name: 'quiet' });
  t.strictSame([made.status, made.body], [204, null]);
  t.equal((await send('POST', '/items/tags', [{ name: 'a' }, { name: 'b' }])).status, 204);
  t.equal((await send('PATCH', '/items/tags/1', { name: 'c' })).status, 204);
  const away = await send('PATCH', '/items/articles/7', { title: 'gone' });
  t.strictSame([away.status, away.body], [204, null], 'it no longer matches what may be read');
  t.equal((await send('GET', '/items/tags')).status, 403);
});

t.test('updates validate the payload with its presets', async (t) => {
  const { send } = await createMember(cluster, [
    READ,
    {
      collection: 'articles',
      action: 'update',
      fields: ['title', 'views'],
      presets: { body: 'preset' },
      validation: { _and: [{ views: { _between: [1, 5] } }, { status: { _eq: 'never' } }] },
    },
  ]);
  const fine = await send('PATCH', '/items/articles/10?fields=title,body', { title: 'ok' });
  t.strictSame(fine.body.data, { title: 'ok', body: 'preset' });
  const refused = await send('PATCH', '/items/articles/10', { views: 6 });
  t.strictSame(refused.body.errors[0].extensions, {
    code: 'FAILED_VALIDATION',
    field: 'views',
    path: [],
    type: 'lte',
    valid: 5,
  });
});

t.test('the rules of fields hold for administrators too, in bounded time', async (t) => {
  const low = await admin('POST', '/items/ruled', { name: 'x', v: 3 });
  t.strictSame(low.body.errors[0].extensions, {
    code: 'FAILED_VALIDATION',
    field: 'v',
    path: [],
    type: 'gt',
    valid: 10,
  });
  t.equal((await admin('POST', '/items/ruled', { name: 'x' })).status, 200, 'nothing was sent');
  t.equal((await admin('POST', '/items/ruled', { name: 'x', v: '11', word: 'aaa' })).status, 200);
  const hostile = Array.from({ length: 20 }, () => ({ name: 'x', word: `${'a'.repeat(60)}!` }));
  const answer = await admin('POST', '/items/ruled', hostile);
  t.equal(answer.body.errors[0].extensions.type, 'regex');
});

t.test('special flags make and mask values', async (t) => {
  const { send, id, role } = await createMember(cluster, [
    { collection: 'stamps', action: 'create' },
    { collection: 'stamps', action: 'read' },
    { collection: 'stamps', action: 'update' },
  ]);
  const { body } = await send('POST', '/items/stamps', {
    secret: 'open sesame',
    masked: 'behind',
    list: ['a', 'b'],
    flag: true,
    maker: null,
  });
  const { id: key, made, ...rest } = body.data;
  t.match(key, /^[0-9a-f-]{36}$/);
  t.match(made, /^2\d{3}-/);
  t.strictSame(rest, {
    changed: null,
    maker: id,
    changer: null,
    maker_role: role,
    secret: '**********',
    masked: '**********',
    list: ['a', 'b'],
    flag: true,
  });
  const stored = async () =>
    (await cluster.db.query('SELECT secret, masked, changer, changed FROM stamps')).rows[0];
  const first = await stored();
  t.match(first.secret, /^\$argon2id\$/);
  t.equal(first.masked, 'behind');
  const { body: updated } = await send('PATCH', `/items/stamps/${key}`, {
    secret: '**********',
    masked: '**********',
    flag: false,
  });
  t.equal(updated.data.changer, id);
  t.equal(updated.data.made, made);
  const second = await stored();
  t.equal(second.secret, first.secret, 'a mask written back changes nothing');
  t.equal(second.masked, 'behind');
  t.ok(second.changed);
  await send('PATCH', `/items/stamps/${key}`, { secret: null });
  t.equal((await stored()).secret, null);
});

t.test('two writers of the same rows in another order both succeed', async (t) => {
  const keys = Array.from({ length: 20 }, (_, i) => i + 1).filter((id) => id !== 21);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) => {
      const order = i % 2 === 0 ? keys : [...keys].reverse();
      return admin('PATCH', '/items/articles', { keys: order, data: { views: i } });
    }),
  );
  t.strictSame(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  );
});
