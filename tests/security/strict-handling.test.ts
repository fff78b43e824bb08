// @newest

// `Prefer: handling=strict` (RFC 7240, 4.4): what nobody knows of a request is refused, in every
// route; without it unknown parameters and members are passed over as ever.
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

interface Reply {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly extensions: { readonly code: string; readonly reason?: string };
  }[];
}

let cluster: Cluster;

const STRICT = { prefer: 'handling=strict' };

async function outcome(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ code: string; reason: string; applied: string | null }> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await cluster.fetch(path, { method, headers, ...content });
  const applied = response.headers.get('preference-applied');
  if (response.status < 300) {
    await response.arrayBuffer();
    return { code: String(response.status), reason: '', applied };
  }
  const { errors } = await bodyOf<Reply>(response);
  const { code = 'none', reason = '' } = errors?.[0]?.extensions ?? {};
  return { code, reason, applied };
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  await cluster.db.query('CREATE TABLE measures (id int PRIMARY KEY, f real, l real[], d float8)');
  const known = async () => (await cluster.fetch('/items/articles?limit=1')).status === 200;
  await until(known, 'the tables are known');
  await until(async () => (await cluster.fetch('/items/measures')).ok, 'measures');
});

t.test('parameters that a route does not know', async (t) => {
  for (const [method, path, body] of [
    ['GET', '/items/articles', undefined],
    ['GET', '/items/articles/1', undefined],
    ['SEARCH', '/items/articles', {}],
    ['POST', '/items/articles', { title: 'x' }],
    ['PATCH', '/items/articles/1', { title: 'x' }],
    ['DELETE', '/items/articles/2', undefined],
    ['GET', '/users', undefined],
    ['GET', '/users/me', undefined],
    ['GET', '/permissions', undefined],
    ['GET', '/settings', undefined],
    ['GET', '/roles/me', undefined],
    ['GET', '/permissions/me', undefined],
    ['GET', '/policies/me/globals', undefined],
    ['GET', '/collections', undefined],
    ['POST', '/collections', { collection: 'x', schema: {} }],
    ['GET', '/fields/articles', undefined],
    ['GET', '/relations', undefined],
    ['GET', '/schema/snapshot', undefined],
    ['POST', '/schema/diff', {}],
    ['GET', '/jobs', undefined],
    ['GET', '/utils/random/string', undefined],
    ['POST', '/utils/import/articles', []],
    ['POST', '/utils/sort/articles', {}],
    ['POST', '/utils/cache/clear', undefined],
    ['GET', '/auth', undefined],
    ['POST', '/auth/login', {}],
    ['GET', '/users/register/verify-email', undefined],
    ['GET', '/server/health', undefined],
  ] as const) {
    const name = `${method} ${path}`;
    const found = await outcome(method, `${path}?filtr=1`, body, STRICT);
    t.equal(found.code, 'INVALID_QUERY', name);
    t.match(found.reason, /"filtr"/, name);
    t.equal(found.applied, 'handling=strict', name);
  }
  const { rows } = await cluster.db.query("SELECT id FROM articles WHERE id = 2 OR title = 'x'");
  t.strictSame(rows, [{ id: 2 }], 'nothing was done');
});

t.test('parameters that are known are taken', async (t) => {
  for (const [path, body] of [
    ['/items/articles?fields=id&limit=1&sort=-id&meta=*&search=a&offset=0', undefined],
    ['/items/articles?filter[id][_gt]=0&deep[comments][_limit]=1&alias[c]=comments', undefined],
    ['/items/articles?aggregate[count]=*&groupBy=status&page=1', undefined],
    ['/items/articles?export=csv&export_safe', undefined],
    ['/items/articles?backlink=false&version=main', undefined],
    ['/jobs?limit=1&sort=kind&filter={}&offset=0', undefined],
    ['/utils/random/string?length=5', undefined],
    ['/schema/snapshot?includeCollections=articles', undefined],
    ['/server/health', undefined],
  ] as const) {
    const found = await until(async () => {
      const one = await outcome('GET', path, body, STRICT);
      // A check of the health that has no answer in time.
      return one.code === '503' ? null : one;
    }, path);
    t.strictSame([found.code, found.applied], ['200', 'handling=strict'], path);
  }
});

t.test('unknown members of queries', async (t) => {
  for (const query of [
    { filtr: {} },
    { filters: {} },
    { deep: { _filter: { id: 1 } } },
    { deep: { comments: { _filtr: {} } } },
    { deep: { comments: { article_id: { _limits: 1 } } } },
  ]) {
    const name = JSON.stringify(query);
    const found = await outcome('SEARCH', '/items/articles', { query }, STRICT);
    t.equal(found.code, 'INVALID_QUERY', name);
    t.equal((await outcome('SEARCH', '/items/articles', { query })).code, '200', name);
    if (!('deep' in query)) continue;
    const path = `/items/articles?deep=${encodeURIComponent(JSON.stringify(query.deep))}`;
    t.equal((await outcome('GET', path)).code, '200', 'whose statement is known then');
    t.equal((await outcome('GET', path, undefined, STRICT)).code, 'INVALID_QUERY', name);
  }
  for (const path of ['/permissions', '/users', '/collections']) {
    const found = await outcome('SEARCH', path, { query: { filtr: {} } }, STRICT);
    t.equal(found.code, 'INVALID_QUERY', path);
  }
});

t.test('unknown members of the options of an export', async (t) => {
  for (const [body, code] of [
    [{ format: 'csv', query: { filtr: {} } }, 'INVALID_QUERY'],
    [{ format: 'csv', query: { deep: { comments: { _filtr: {} } } } }, 'INVALID_QUERY'],
    [{ format: 'csv', file: { titel: 'x' } }, 'INVALID_PAYLOAD'],
    [{ format: 'csv', formats: ['csv'] }, 'INVALID_PAYLOAD'],
  ] as const) {
    const name = JSON.stringify(body);
    const found = await outcome('POST', '/utils/export/articles', body, STRICT);
    t.strictSame([found.code, found.applied], [code, 'handling=strict'], name);
    t.equal((await outcome('POST', '/utils/export/articles', body)).code, '204', name);
  }
  const known = { query: { filter: { id: 1 } }, file: { title: 'x', folder: null } };
  const good = { format: 'csv', export_safe: true, ...known };
  t.equal((await outcome('POST', '/utils/export/articles', good, STRICT)).code, '204');
});

t.test('unknown members of payloads, at every place', async (t) => {
  const title = `strict ${randomUUID()}`;
  const policy = { name: title };
  for (const [method, path, body] of [
    ['POST', '/items/articles', { title, titel: 1 }],
    ['POST', '/items/articles', [{ title }, { title, titel: 1 }]],
    ['POST', '/items/articles', { title, author_id: { name: title, nom: 1 } }],
    ['POST', '/items/articles', { title, comments: [{ body: title, boddy: 1 }] }],
    ['POST', '/items/articles', { title, comments: { create: [{ body: title, boddy: 1 }] } }],
    ['PATCH', '/items/articles/1', { title, titel: 1 }],
    ['PATCH', '/items/articles/1', { titel: 1 }],
    ['PATCH', '/items/articles/1', { author_id: { id: 1, nom: 1 } }],
    ['PATCH', '/items/articles', { keys: [1], data: { title, titel: 1 } }],
    ['PATCH', '/items/articles', { query: { filter: { id: 1 } }, data: { title, titel: 1 } }],
    ['PATCH', '/items/articles', [{ id: 1, title, titel: 1 }]],
    ['POST', '/policies', { ...policy, nam: 1 }],
    ['POST', '/policies', { ...policy, permissions: [{ collection: 'a', action: 'read', x: 1 }] }],
    ['PATCH', '/users/me', { titel: 'x' }],
    ['PATCH', '/settings', { project_nam: 'x' }],
    ['PATCH', '/users/me/track/page', { last_page: '/x', page: 1 }],
    ['POST', '/auth/login', { email: 'a@b.co', password: 'x', emial: 1 }],
    ['POST', '/auth/refresh', { refresh_token: 'x', modes: 'json' }],
    ['POST', '/auth/password/request', { email: 'a@b.co', url: 'x' }],
    ['POST', '/users/register', { email: 'a@b.co', password: 'long enough', role: 'x' }],
    ['POST', '/utils/hash/generate', { string: 'x', strings: 1 }],
    ['POST', '/schema/apply', { hash: 'x', diff: {}, forced: true }],
    ['POST', '/collections', { collection: 'strict', schema: {}, feilds: [] }],
    ['POST', '/fields/articles', { field: 'strict', type: 'string', schema: { lenght: 3 } }],
    ['PATCH', '/fields/articles/title', { meta: { nots: 'x' } }],
  ] as const) {
    const name = `${method} ${path} ${JSON.stringify(body)}`;
    const found = await outcome(method, path, body, STRICT);
    t.equal(found.code, 'INVALID_PAYLOAD', name);
    t.equal(found.applied, 'handling=strict', name);
  }
  const { rows } = await cluster.db.query(
    `SELECT title AS x FROM articles WHERE title = $1
     UNION ALL SELECT name FROM system_policies WHERE name = $1`,
    [title],
  );
  t.strictSame(rows, [], 'nothing was written');
  const lenient = await outcome('POST', '/items/articles', { title, titel: 1 });
  t.strictSame([lenient.code, lenient.applied], ['200', null], 'passed over without it');
  const good = { title, author_id: { name: title }, comments: [{ body: title }] };
  t.equal((await outcome('POST', '/items/articles', good, STRICT)).code, '200');
});

t.test('numbers that a column of type real gives back as others', async (t) => {
  const exact = { id: 1, f: 12.345, l: [0.1, '1.50', null], d: 669500000 };
  t.equal((await outcome('POST', '/items/measures', exact, STRICT)).code, '200');
  for (const [method, path, body] of [
    ['POST', '/items/measures', { id: 2, f: 669500000 }],
    [
      'POST',
      '/items/measures',
      [
        { id: 4, f: 1 },
        { id: 3, f: '16777217' },
      ],
    ],
    ['PATCH', '/items/measures/1', { f: 123456.789 }],
    ['PATCH', '/items/measures', { keys: [1], data: { l: [1, 123456.789] } }],
  ] as const) {
    const name = `${method} ${JSON.stringify(body)}`;
    const found = await outcome(method, path, body, STRICT);
    t.equal(found.code, 'FAILED_VALIDATION', name);
    t.match(found.reason, /real would change this number/, name);
    t.equal((await outcome(method, path, body)).code, '200', `${name} is rounded without it`);
  }
});

t.test('a caller without permission learns nothing of the catalog', async (t) => {
  const member = await createMember(cluster, [
    { collection: 'articles', action: 'create', fields: ['title'] },
  ]);
  const tell = async (body: object) => {
    const headers = { ...STRICT, authorization: `Bearer ${member.token}` };
    const { code, reason } = await outcome('POST', '/items/articles', body, headers);
    return `${code} ${reason.replaceAll(/status|titel/g, 'name')}`;
  };
  const refused = await tell({ title: 'x', titel: 1 });
  t.match(refused, /^FORBIDDEN/);
  t.equal(refused, await tell({ title: 'x', status: 1 }));
});

t.test('the preference in its spellings', async (t) => {
  for (const [prefer, expected] of [
    ['handling=strict', 'INVALID_QUERY'],
    ['Handling = "strict"', 'INVALID_QUERY'],
    ['return=minimal, handling=strict; x=1', 'INVALID_QUERY'],
    ['handling=strict, handling=lenient', 'INVALID_QUERY'],
    ['handling=lenient, handling=strict', '200'],
    ['handling=lenient', '200'],
    ['handling=stricter', '200'],
    ['strict', '200'],
  ] as const) {
    const found = await outcome('GET', '/items/articles?x=1', undefined, { prefer });
    t.equal(found.code, expected, prefer);
  }
});
