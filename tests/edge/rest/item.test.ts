// @quick

import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

/** Sends a request and yields status and parsed body. */
async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await cluster.fetch(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const get = (path: string) => send('GET', path);

/** Status and code of an answer that is an error. */
async function codeOf(answer: ReturnType<typeof send>) {
  const { status, body } = await answer;
  return [status, body?.errors?.[0]?.extensions?.code];
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  await cluster.db.query(`
    CREATE TYPE mood AS ENUM ('calm', 'glad');
    CREATE TABLE "Order Lines" ("order" int, "Line No" int, note text, PRIMARY KEY ("order", "Line No"));
    INSERT INTO "Order Lines" VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c');
    CREATE TABLE keyless (word text, n int);
    INSERT INTO keyless VALUES ('b', 1), ('a', 2);
    CREATE VIEW titles AS SELECT title FROM articles;
    CREATE TABLE kinds (id int PRIMARY KEY, big bigint, exact numeric(12,3), ratio float8,
      flag boolean, day date, at time, local timestamp, instant timestamptz, doc json, docb jsonb,
      uid uuid, feeling mood, words text[], bytes bytea, span interval, code char(3),
      doubled int GENERATED ALWAYS AS (id * 2) STORED);
    INSERT INTO kinds VALUES (1, 9007199254740993, 12.5, 0.5, true, '2024-02-29', '13:45:10.5',
      '2024-02-29 13:45:10.25', '2024-02-29 13:45:10.25+02', '{"a": [1, 2]}', '{"b": null}',
      '00000000-0000-4000-8000-000000000001', 'glad', '{x,y}', '\\x00ff', '1 day 2 hours', 'ab');
    INSERT INTO kinds (id) VALUES (2);`);
  await until(async () => (await get('/items/kinds')).status === 200, 'the new tables are known');
});

t.test('lists items in key order, a hundred by default', async (t) => {
  const { status, body } = await get('/items/tags');
  t.equal(status, 200);
  t.strictSame(
    body.data.map((item: { id: number }) => item.id),
    [1, 2, 3, 4, 5],
  );
  await cluster.db.query(`INSERT INTO keyless SELECT 'c', i FROM generate_series(1, 200) i`);
  t.equal((await get('/items/keyless')).body.data.length, 100);
  t.equal((await get('/items/keyless?limit=-1')).body.data.length, 202);
  await cluster.db.query(`DELETE FROM keyless WHERE word = 'c'`);
});

t.test('creates or updates by a unique key', async (t) => {
  await cluster.db.query(
    'CREATE TABLE stock (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, shop int, number text, name text, UNIQUE (shop, number))',
  );
  await until(async () => (await get('/items/stock')).status === 200, 'the new table is known');
  const path = '/items/stock?match=number,shop&fields=shop,number,name';
  const one = await send('PUT', path, { shop: 1, number: 'a', name: 'new' });
  t.strictSame(one, { status: 200, body: { data: { shop: 1, number: 'a', name: 'new' } } });
  const list = [
    { shop: 1, number: 'a', name: 'changed' },
    { shop: 2, number: 'a', name: 'other' },
  ];
  const strict = { prefer: 'handling=strict' };
  t.strictSame(await send('PUT', path, list, strict), { status: 200, body: { data: list } });
  const { body } = await send('PUT', '/items/stock?fields=name,id', { id: 1, name: 'by key' });
  t.strictSame(body.data, { name: 'by key', id: 1 });
  t.strictSame(await codeOf(send('PUT', '/items/stock?match=name', list)), [400, 'INVALID_QUERY']);
  t.strictSame(await codeOf(send('PUT', '/items/stock?match=', list)), [400, 'INVALID_QUERY']);
  t.strictSame(await codeOf(send('PUT', path, { shop: 1 })), [400, 'FAILED_VALIDATION']);
  t.strictSame(await codeOf(send('PUT', path, 'text')), [400, 'INVALID_PAYLOAD']);
  t.strictSame(await codeOf(send('PUT', '/items/nothing', list)), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(send('PUT', '/items/keyless', list)), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(send('PUT', '/users', list)), [404, 'ROUTE_NOT_FOUND']);
  t.equal((await get('/items/stock')).body.data.length, 2);
});

t.test('selects, filters, sorts and pages', async (t) => {
  const filter = encodeURIComponent('{"views":{"_gte":100},"status":{"_in":"draft,archived"}}');
  const page = (n: number) =>
    get(`/items/articles?fields=id,views&filter=${filter}&sort=-views&limit=2&page=${n}`);
  t.strictSame((await page(1)).body.data, [
    { id: 30, views: 300 },
    { id: 29, views: 290 },
  ]);
  t.strictSame((await page(2)).body.data, [
    { id: 27, views: 270 },
    { id: 26, views: 260 },
  ]);
  const bracket = await get('/items/articles?filter[title][_eq]=Article%207&fields[]=id');
  t.strictSame(bracket.body.data, [{ id: 7 }]);
  t.strictSame((await get('/items/tags?limit=0')).body.data, []);
  t.strictSame((await get('/items/tags?offset=4&fields=id')).body.data, [{ id: 5 }]);
});

t.test('values have their wire formats', async (t) => {
  t.strictSame((await get('/items/kinds/1')).body.data, {
    id: 1,
    big: '9007199254740993',
    exact: '12.500',
    ratio: 0.5,
    flag: true,
    day: '2024-02-29',
    at: '13:45:10',
    local: '2024-02-29T13:45:10',
    instant: '2024-02-29T11:45:10.250Z',
    doc: { a: [1, 2] },
    docb: { b: null },
    uid: '00000000-0000-4000-8000-000000000001',
    feeling: 'glad',
    words: ['x', 'y'],
    bytes: { type: 'Buffer', data: [0, 255] },
    span: '1 day 02:00:00',
    code: 'ab ',
    doubled: 2,
  });
  const { data } = (await get('/items/kinds/2')).body;
  t.strictSame(
    Object.values(data).filter((value) => value !== null),
    [2, 4],
    'nulls stay nulls in every type',
  );
});

t.test('what was read can be written again', async (t) => {
  const { doubled, ...read } = (await get('/items/kinds/1')).body.data;
  const created = await send('POST', '/items/kinds', { ...read, id: 3 });
  t.equal(created.status, 200);
  t.strictSame(created.body.data, { ...read, id: 3, doubled: 6 });
  t.equal(doubled, 2);
});

t.test('composite keys are joined with commas, names are percent-encoded', async (t) => {
  const one = await get('/items/Order%20Lines/1,2');
  t.strictSame(one.body.data, { order: 1, 'Line No': 2, note: 'b' });
  const changed = await send('PATCH', '/items/Order%20Lines/1,2', { note: 'B' });
  t.equal(changed.body.data.note, 'B');
  const both = await send('PATCH', '/items/Order%20Lines', {
    keys: [
      [1, 1],
      [2, 1],
    ],
    data: { note: 'same' },
  });
  t.equal(both.body.data.length, 2);
  t.equal((await send('DELETE', '/items/Order%20Lines/2,1')).status, 204);
  t.strictSame(await codeOf(get('/items/Order%20Lines/2,1')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/Order%20Lines/1')), [403, 'FORBIDDEN']);
});

t.test('views and tables without a key are lists and nothing else', async (t) => {
  t.equal((await get('/items/titles?limit=3')).body.data.length, 3);
  t.strictSame((await get('/items/keyless')).body.data, [
    { word: 'a', n: 2 },
    { word: 'b', n: 1 },
  ]);
  t.strictSame(await codeOf(get('/items/keyless/1')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(send('POST', '/items/keyless', { n: 1 })), [403, 'FORBIDDEN']);
});

t.test('creates one and many', async (t) => {
  const one = await send('POST', '/items/tags?fields=name', { name: 'new' });
  t.strictSame([one.status, one.body], [200, { data: { name: 'new' } }]);
  const many = await send('POST', '/items/tags', [{ name: 'm1' }, {}, { id: 500, name: 'm2' }]);
  t.equal(many.status, 200);
  t.strictSame(
    many.body.data.map((item: { name: string | null }) => item.name),
    ['m1', null, 'm2'],
  );
  const next = await send('POST', '/items/tags', { name: 'after' });
  t.equal(next.body.data.id, 501, 'the sequence has moved past the key that was given');
  t.strictSame(await codeOf(send('POST', '/items/tags', { id: 1, name: 'dup' })), [
    400,
    'RECORD_NOT_UNIQUE',
  ]);
  t.strictSame((await send('POST', '/items/tags', [])).body, { data: [] });
});

t.test('a list of items is created as a whole or not at all', async (t) => {
  const before = (await get('/items/tags?limit=-1')).body.data.length;
  t.strictSame(await codeOf(send('POST', '/items/tags', [{ name: 'x' }, { id: 1 }])), [
    400,
    'RECORD_NOT_UNIQUE',
  ]);
  t.equal((await get('/items/tags?limit=-1')).body.data.length, before);
});

t.test('updates one, some alike, and each on its own', async (t) => {
  const one = await send('PATCH', '/items/tags/1', { id: 99, name: 'one' });
  t.strictSame(one.body.data.name, 'one');
  t.equal(one.body.data.id, 1, 'the key in the body is passed over');
  const same = await send('PATCH', '/items/tags', { keys: [2, 3], data: { name: 'same' } });
  t.strictSame(
    same.body.data.map((item: { id: number; name: string }) => [item.id, item.name]),
    [
      [2, 'same'],
      [3, 'same'],
    ],
  );
  const each = await send('PATCH', '/items/tags?fields=name', [
    { id: 4, name: 'four' },
    { id: 5, name: 'five' },
    { id: 4, name: 'last' },
  ]);
  t.strictSame(each.body.data, [{ name: 'last' }, { name: 'five' }]);
  t.strictSame(await codeOf(send('PATCH', '/items/tags', [{ name: 'no key' }])), [
    400,
    'INVALID_PAYLOAD',
  ]);
  t.strictSame((await send('PATCH', '/items/tags/1', { nope: 1 })).status, 200);
});

t.test('one missing key denies the whole batch', async (t) => {
  const before = (await get('/items/tags?limit=-1')).body;
  for (const answer of [
    send('PATCH', '/items/tags', { keys: [1, 9999], data: { name: 'x' } }),
    send('PATCH', '/items/tags', [
      { id: 1, name: 'x' },
      { id: 9999, name: 'x' },
    ]),
    send('DELETE', '/items/tags', [1, 9999]),
    send('DELETE', '/items/tags', { keys: ['abc'] }),
    send('PATCH', '/items/tags/9999', { name: 'x' }),
    send('DELETE', '/items/tags/9999'),
  ]) {
    t.strictSame(await codeOf(answer), [403, 'FORBIDDEN']);
  }
  t.strictSame((await get('/items/tags?limit=-1')).body, before);
});

t.test('deletes one and many', async (t) => {
  const { body } = await send('POST', '/items/tags', [{}, {}, {}]);
  const [first, ...rest] = body.data.map((item: { id: number }) => item.id);
  t.equal((await send('DELETE', `/items/tags/${first}`)).status, 204);
  t.equal((await send('DELETE', '/items/tags', rest)).status, 204);
  t.strictSame(await codeOf(get(`/items/tags/${first}`)), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(send('DELETE', '/items/authors/2')), [400, 'INVALID_FOREIGN_KEY']);
});

t.test('a missing collection is forbidden, an unreadable field is named', async (t) => {
  t.strictSame(await codeOf(get('/items/nope')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/system_users')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(send('POST', '/items/system_users', {})), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/tags/abc')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/tags/99999999999')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/kinds/1?fields=nope')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/tags?filter[nope][_eq]=1')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/tags?sort=nope')), [403, 'FORBIDDEN']);
  t.strictSame(await codeOf(get('/items/tags?filter[id][_foo]=1')), [400, 'INVALID_QUERY']);
  t.strictSame(await codeOf(get('/items/tags?filter[id][_eq]=x')), [400, 'INVALID_QUERY']);
  t.strictSame(await codeOf(get('/items/kinds?filter[uid][_eq]=x')), [400, 'INVALID_QUERY']);
  t.strictSame(await codeOf(get('/items/kinds?filter[day][_gt]=x')), [400, 'INVALID_QUERY']);
  t.strictSame(await codeOf(get('/items/tags?filter={bad')), [400, 'INVALID_QUERY']);
});

t.test('payloads that do not fit are refused by name', async (t) => {
  const post = (path: string, body: unknown) => send('POST', path, body);
  const required = await post('/items/articles', { body: 'no title' });
  t.match(required.body.errors[0].extensions, {
    code: 'FAILED_VALIDATION',
    field: 'title',
    type: 'required',
  });
  const nulled = await post('/items/articles', { title: null });
  t.match(nulled.body.errors[0].extensions, { field: 'title', type: 'nnull' });
  t.strictSame(await codeOf(post('/items/articles', { title: 'x', views: 'many' })), [
    400,
    'INVALID_PAYLOAD',
  ]);
  t.strictSame(await codeOf(post('/items/articles', { title: 'x', views: 3e9 })), [
    400,
    'VALUE_OUT_OF_RANGE',
  ]);
  t.strictSame(await codeOf(post('/items/articles', { title: 'x', status: 'x'.repeat(21) })), [
    400,
    'VALUE_TOO_LONG',
  ]);
  t.strictSame(await codeOf(post('/items/articles', { title: 'x', author_id: 999 })), [
    400,
    'INVALID_FOREIGN_KEY',
  ]);
  t.strictSame(await codeOf(post('/items/kinds', { id: 9, doubled: 1 })), [400, 'INVALID_PAYLOAD']);
  t.strictSame(await codeOf(post('/items/tags', 'text')), [400, 'INVALID_PAYLOAD']);
  t.strictSame(await codeOf(post('/items/tags', null)), [400, 'INVALID_PAYLOAD']);
});

t.test('anonymous callers see nothing, a wrong token is not anonymous', async (t) => {
  const anonymous = await fetch(`${cluster.url}/items/tags`);
  t.equal(anonymous.status, 403);
  const wrong = { authorization: 'Bearer not-the-token' };
  t.strictSame(await codeOf(send('GET', '/items/tags', undefined, wrong)), [
    401,
    'INVALID_CREDENTIALS',
  ]);
  t.strictSame(await codeOf(get('/items/tags?access_token=both')), [400, 'INVALID_PAYLOAD']);
});

t.test('SEARCH asks like GET, with values as texts or as they are', async (t) => {
  const asked = await send('SEARCH', '/items/tags', {
    query: { filter: '{"id":{"_lt":3}}', fields: ['id'], limit: 1 },
  });
  t.strictSame(asked.body, { data: [{ id: 1 }] });
  const keys = await send('SEARCH', '/items/tags', { keys: [2, 1], query: { fields: 'id' } });
  t.strictSame(keys.body, { data: [{ id: 1 }, { id: 2 }] });
  t.strictSame(await codeOf(send('SEARCH', '/items/tags', { other: 1 })), [400, 'INVALID_PAYLOAD']);
});

t.test('a table that was dropped by SQL is forgotten, a new one found', async (t) => {
  await cluster.db.query('CREATE TABLE fleeting (id int PRIMARY KEY)');
  await until(async () => (await get('/items/fleeting')).status === 200, 'the table is found');
  await cluster.db.query('ALTER TABLE fleeting ADD COLUMN more int DEFAULT 7');
  await cluster.db.query('INSERT INTO fleeting VALUES (1)');
  await until(async () => (await get('/items/fleeting/1')).body.data.more === 7, 'the column');
  await cluster.db.query('DROP TABLE fleeting');
  t.strictSame(await codeOf(get('/items/fleeting')), [403, 'FORBIDDEN']);
});

t.test('entity tags spare the body', async (t) => {
  const first = await cluster.fetch('/items/tags/1');
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^W\/"/);
  await first.text();
  const again = await cluster.fetch('/items/tags/1', { headers: { 'if-none-match': tag } });
  t.equal(again.status, 304);
});
