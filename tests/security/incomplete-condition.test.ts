// A condition that is incomplete or unknown is refused; it never widens what is shown, changed or
// deleted. Where one got into the database by another way, it holds for no row.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import t from 'tap';
import { passesEmailFilter } from '#core/accounts/identity/email-filter.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { RuleAudit } from '#core/services/unreadable-rules.ts';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { completeHealth } from '#tests/harness/health.ts';
import { createMember } from '#tests/harness/member.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { install } from '../core/model/catalog/installation.ts';

interface Refusal {
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

let cluster: Cluster;

async function codeOf(response: Response): Promise<string> {
  if (response.status < 300) return String(response.status);
  const { errors } = await bodyOf<Refusal>(response);
  return errors?.[0]?.extensions.code ?? 'none';
}

async function send(method: string, path: string, body: unknown, headers = {}): Promise<string> {
  const text = JSON.stringify(body);
  return codeOf(await cluster.fetch(path, { method, body: text, headers }));
}

async function count(): Promise<number> {
  const { rows } = await cluster.db.query<{ n: number }>('SELECT count(*)::int AS n FROM articles');
  return rows[0]?.n ?? 0;
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  const known = async () => (await cluster.fetch('/items/articles?limit=1')).status === 200;
  await until(known, 'the tables are known');
});

/** Conditions that lack something, have too much, or are none that is known. */
const BROKEN: readonly object[] = [
  { id: { _between: [999] } },
  { id: { _between: [1, 2, 3] } },
  { id: { _between: [] } },
  { id: { _between: {} } },
  { id: { _between: 5 } },
  { id: { _between: '1' } },
  { id: { _between: [1, null] } },
  { id: { _between: ['', 2] } },
  { id: { _between: ['$CURRENT_ROLES', 2] } },
  { id: { _between: '$CURRENT_ROLES' } },
  { id: { _nbetween: [1] } },
  { id: { _nbetween: { low: 1, high: 2 } } },
  { id: { _in: [] } },
  { id: { _in: {} } },
  { id: { _in: null } },
  { id: { _in: 5 } },
  { id: { _in: '' } },
  { id: { _in: { a: 1 } } },
  { id: { _in: [[1]] } },
  { id: { _nin: [{}] } },
  { id: { _null: 'x' } },
  { id: { _null: null } },
  { id: { _null: [] } },
  { id: { _nnull: {} } },
  { title: { _empty: 'yes' } },
  { title: { _nempty: 2 } },
  { id: { _eq: {} } },
  { id: { _eq: [1] } },
  { id: { _neq: [] } },
  { id: [1] },
  { id: { _lt: null } },
  { id: { _gte: '' } },
  { id: { _gt: [1] } },
  { title: { _contains: null } },
  { title: { _contains: '' } },
  { title: { _starts_with: {} } },
  { title: { _ends_with: [] } },
  { title: { _ieq: null } },
  { id: {} },
  { id: { _and: [] } },
  { id: { _and: [{ _gt: 0 }, {}] } },
  { id: { _and: [{ _gt: 0 }, { _and: [] }] } },
  { id: { _gt: 0, _and: [] } },
  { id: { _or: [{ _gt: 0 }, {}] } },
  { id: { _or: [] } },
  { id: { _foo: 1 } },
  { id: { eq: 1 } },
  { title: { _json: {} } },
  { author_id: {} },
  { author_id: { _and: [{}] } },
  { author_id: { _and: [{ name: { _nnull: true } }, {}] } },
  { author_id: { name: { _nnull: true }, _and: [] } },
  { author_id: { _or: [{ _and: [{ name: { _nnull: true } }, {}] }] } },
  { author_id: { name: { _and: [{ _nnull: true }, {}] } } },
  { comments: { _and: [{ id: { _gt: 0 } }, {}] } },
  { author_id: { name: {} } },
  { comments: {} },
  { comments: { _some: {} } },
  { comments: { _none: {} } },
  { comments: { _none: { _and: [] } } },
  { comments: { _some: { body: {} } } },
  { comments: { _some: [] } },
  { comments: { _some: { _and: [{ id: { _gt: 0 } }, {}] } } },
  { comments: { _none: { id: { _gt: 0 }, _and: [{}] } } },
  { _or: [] },
  { _or: {} },
  { _or: [{}] },
  { _or: [{ id: { _eq: 1 } }, {}] },
  { _or: [{ id: { _eq: 1 } }, { _and: [] }] },
  { _or: [{ id: { _eq: 1 } }, { _or: [] }] },
  { _or: { id: { _eq: 1 } } },
  { _or: null },
  { _and: {} },
  { _and: '' },
  { _and: { id: { _eq: 1 } } },
  { _and: [{ _or: [] }] },
  { _and: [null] },
  { _some: { id: 1 } },
  { _eq: 1 },
  { _foo: { _eq: 1 } },
  { _not: [{ id: 1 }] },
];

/** Refused wherever a field is looked for that is not there. */
const UNKNOWN: readonly object[] = [
  { constructor: { _eq: 1 } },
  { prototype: 1 },
  { toString: { _null: true } },
  { titel: { _eq: 1 } },
  { author_id: { titel: { _eq: 1 } } },
];

const REFUSED = /^(INVALID_QUERY|FORBIDDEN)$/;
const ALL = 'no condition is no condition';

t.test('in every request that asks', async (t) => {
  for (const filter of [...BROKEN, ...UNKNOWN]) {
    const name = JSON.stringify(filter);
    const text = encodeURIComponent(name);
    const expected = UNKNOWN.includes(filter) ? 'FORBIDDEN' : REFUSED;
    t.match(await codeOf(await cluster.fetch(`/items/articles?filter=${text}`)), expected, name);
    t.match(await send('SEARCH', '/items/articles', { query: { filter } }), expected, name);
  }
  const inPlaces = [{ id: { _between: [9] } }, { _or: [] }, { id: {} }, { id: { _null: 'x' } }];
  for (const filter of inPlaces) {
    const name = JSON.stringify(filter);
    for (const query of [
      { fields: 'comments.id', deep: { comments: { _filter: filter } } },
      { fields: 'comments.article_id.id', deep: { comments: { article_id: { _filter: filter } } } },
      { filter: { author_id: filter } },
      { filter: { comments: { _some: filter } } },
      { filter: { comments: { _none: { article_id: filter } } } },
      { filter, aggregate: { count: '*' } },
      { filter, export: 'csv' },
    ]) {
      const place = JSON.stringify(query);
      t.match(await send('SEARCH', '/items/articles', { query }), 'INVALID_QUERY', place);
      const text = Object.entries(query).map(([key, value]) => {
        const given = typeof value === 'string' ? value : JSON.stringify(value);
        return `${key}=${encodeURIComponent(given)}`;
      });
      const path = `/items/articles?${text.join('&')}`;
      t.match(await codeOf(await cluster.fetch(path)), 'INVALID_QUERY', place);
    }
    for (const path of ['/users', '/permissions', '/items/articles/1']) {
      const query = `filter=${encodeURIComponent(JSON.stringify({ ...filter }))}`;
      t.match(await codeOf(await cluster.fetch(`${path}?${query}`)), 'INVALID_QUERY', path + name);
    }
  }
});

t.test('in the brackets of a URL', async (t) => {
  for (const query of [
    'filter[__proto__][_eq]=1',
    'filter[%5F%5Fproto__][_eq]=1',
    'filter%5B__proto__%5D=1',
    'filter[id][__proto__]=1',
    'filter[_and][0][__proto__][id]=1',
    'deep[comments][__proto__][_filter][id]=1&fields=comments.id',
    '__proto__[filter][id]=1',
    'filter={"__proto__":{"_eq":1}}',
    'filter={"\\u005f_proto__":{"_eq":1}}',
    'deep={"comments":{"__proto__":{"_limit":1}}}',
    'filter[id][_between]=1',
    'filter[id][_between][]=1',
    'filter[id][_in]=',
    'filter[id][_null]=x',
    'filter[_or]=',
    'filter[_or][]=',
    'filter[_and]=',
    'filter[_or][x][id]=1',
    'filter[id][_eq]=1&filter[id][_eq]=2',
    'filter=',
    'filter',
    'filter=[]',
    'filter[id]_neq=1',
    'filter[id]x[_eq]=1',
    'filter[id][_eq=1',
    'filter[id][_eq]]=1',
  ]) {
    const path = `/items/articles?${query.replace(/[{}"\\]/g, encodeURIComponent)}`;
    t.equal(await codeOf(await cluster.fetch(path)), 'INVALID_QUERY', query);
  }
  const unknown = await cluster.fetch('/items/articles?filter[constructor][_eq]=1');
  t.equal(await codeOf(unknown), 'FORBIDDEN');
  t.equal(await codeOf(await cluster.fetch('/items/articles?filter[id][_null]=')), '200');
});

t.test('by query nothing is changed or deleted', async (t) => {
  const before = await count();
  const queries: object[] = [
    ...[...BROKEN, ...UNKNOWN].map((filter) => ({ filter })),
    { filtr: { id: { _eq: 1 } } },
    { filters: { id: { _eq: 1 } } },
    { Filter: { id: { _eq: 1 } } },
    { filter: { id: { _gt: 0 } }, sorte: 'id' },
    { filter: null },
    { filter: '' },
    { filter: [] },
    { search: null },
    { search: '' },
    { search: ' \t' },
    { search: ' ', filter: { id: { _gt: 0 } } },
    { search: null, filter: { id: { _gt: 0 } } },
    { search: null, sort: 'id', limit: 5 },
    { filter: {}, deep: { _filter: { id: 1 } } },
    { filter: {}, deep: { comments: { _filtr: { id: 1 } } } },
  ];
  for (const query of queries) {
    const name = JSON.stringify(query);
    t.match(await send('DELETE', '/items/articles', { query }), REFUSED, `DELETE ${name}`);
    const change = { query, data: { title: 'overwritten' } };
    t.match(await send('PATCH', '/items/articles', change), REFUSED, `PATCH ${name}`);
  }
  const { rows } = await cluster.db.query("SELECT 1 FROM articles WHERE title = 'overwritten'");
  t.strictSame([await count(), rows.length], [before, 0]);
});

t.test('what means no condition, or is one, is taken', async (t) => {
  for (const filter of [
    {},
    { _and: [] },
    { _and: [{}] },
    { _and: [{ id: { _gt: 0 } }, {}] },
    { id: { _null: false } },
    { title: { _empty: false } },
    { id: { _in: { 0: 1, 1: 2 } } },
    { id: { _between: '0,1000' } },
    { id: { _between: [0, 1000] } },
    { _or: { 0: { id: 1 }, 1: { id: 2 } } },
    { author_id: { _nnull: true } },
    { comments: { _null: true } },
    { comments: { _none: { body: { _nnull: true } } } },
    { title: null },
  ]) {
    const name = `${ALL}: ${JSON.stringify(filter)}`;
    t.equal(await send('SEARCH', '/items/articles', { query: { filter } }), '200', name);
  }
  t.equal(await codeOf(await cluster.fetch('/items/articles?filter[id][_null]=')), '200');
});

t.test('a list of nulls matches nothing, and is no failure', async (t) => {
  const before = await count();
  const lists: object[] = [[null], [null, null], { 0: null }].flatMap((list) => [
    { id: { _in: list } },
    { title: { _nin: list } },
    { author_id: { _in: list } },
    { author_id: { id: { _in: list } } },
    { comments: { id: { _in: list } } },
    { comments: { _some: { body: { _nin: list } } } },
    { 'year(published_at)': { _in: list } },
  ]);
  for (const filter of lists) {
    const name = JSON.stringify(filter);
    const body = JSON.stringify({ query: { filter, fields: 'id' } });
    const found = await cluster.fetch('/items/articles', { method: 'SEARCH', body });
    t.strictSame(await bodyOf(found), { data: [] }, name);
    const url = `/items/articles?fields=id&filter=${encodeURIComponent(name)}`;
    t.strictSame(await bodyOf(await cluster.fetch(url)), { data: [] }, `${name} in a URL`);
    t.equal(await send('DELETE', '/items/articles', { query: { filter } }), '204', name);
  }
  t.equal(await count(), before);
  const rule = { id: { _in: [null] } };
  const full = { collection: 'articles', fields: ['*'] };
  const member = await createMember(cluster, [
    { ...full, action: 'read', permissions: rule },
    { ...full, action: 'create', validation: { title: { _nin: [null] }, author_id: rule.id } },
  ]);
  t.strictSame((await member.send('GET', '/items/articles')).body, { data: [] });
  t.equal((await member.send('POST', '/items/articles', { title: 'x' })).code, 'FAILED_VALIDATION');
  const by = { author_id: null };
  t.equal((await member.send('POST', '/items/articles', by)).code, 'FAILED_VALIDATION');
});

/** Refused where a rule is stored, though the grammar takes them: names and values do not fit. */
const UNFIT: readonly object[] = [
  { id: { _foo: 1 } },
  { titel: { _eq: 'x' } },
  { title: { x: { _eq: 1 } } },
  { constructor: { _eq: 1 } },
];

t.test('where rules are stored, by every door', async (t) => {
  const policy = randomUUID();
  const given = { policy, collection: 'articles', action: 'read', fields: ['*'] };
  t.equal(await send('POST', '/policies', { id: policy, name: 'one' }), '200');
  const created = await cluster.fetch('/permissions', {
    method: 'POST',
    body: JSON.stringify({ ...given, permissions: { id: { _gt: 0 } } }),
  });
  const { data } = await bodyOf<{ data: { id: number } }>(created);
  const rules = [...BROKEN.filter((rule) => !('_some' in rule) && !('_eq' in rule)), ...UNFIT];
  for (const rule of rules) {
    for (const member of ['permissions', 'validation']) {
      const action = member === 'validation' ? 'create' : 'read';
      const name = `${member} ${JSON.stringify(rule)}`;
      const body = { ...given, action, [member]: rule };
      t.equal(await send('POST', '/permissions', body), 'INVALID_PAYLOAD', name);
    }
  }
  const rule = { id: { _between: [999] } };
  for (const permissions of [rule, JSON.stringify(rule), { titel: { _eq: 1 } }]) {
    const row = { ...given, permissions };
    const name = JSON.stringify(permissions);
    const keys = [data.id];
    const query = { filter: { id: { _eq: data.id } } };
    for (const [method, path, body] of [
      ['POST', '/permissions', [{ ...given }, row]],
      ['PATCH', `/permissions/${data.id}`, { permissions }],
      ['PATCH', '/permissions', { keys, data: { permissions } }],
      ['PATCH', '/permissions', { query, data: { permissions } }],
      ['PATCH', '/permissions', [{ id: data.id, permissions }]],
      ['POST', '/policies', { name: 'two', permissions: [row] }],
      ['PATCH', `/policies/${policy}`, { permissions: { create: [row], update: [], delete: [] } }],
      ['PATCH', `/policies/${policy}`, { permissions: [{ id: data.id, permissions }] }],
      ['POST', '/roles', { name: 'r', policies: [{ policy: { name: 'x', permissions: [row] } }] }],
    ] as const) {
      t.equal(await send(method, path, body), 'INVALID_PAYLOAD', `${method} ${path} ${name}`);
    }
  }
  const moved = { collection: 'authors', permissions: { title: { _eq: 'x' } } };
  t.equal(await send('PATCH', `/permissions/${data.id}`, moved), 'INVALID_PAYLOAD', 'elsewhere');
  t.equal(
    await send('POST', '/permissions', { ...given, presets: { titel: 1 } }),
    'INVALID_PAYLOAD',
  );
  const regex = { ...given, action: 'create', validation: { title: { _regex: '(' } } };
  t.equal(await send('POST', '/permissions', regex), 'INVALID_PAYLOAD');
  const submitted = { ...regex, validation: { title: { _submitted: 'x' } } };
  t.equal(await send('POST', '/permissions', submitted), 'INVALID_PAYLOAD');
  const good = { title: { _submitted: true, _regex: '^a' }, author_id: { name: { _nnull: true } } };
  t.equal(await send('POST', '/permissions', { ...regex, validation: good }), '200');
  const early = { ...given, collection: 'not_there_yet', permissions: { what: { _eq: 1 } } };
  t.equal(await send('POST', '/permissions', early), '200');
  const { rows } = await cluster.db.query(
    'SELECT permissions FROM system_permissions WHERE id = $1',
    [data.id],
  );
  t.strictSame(rows[0]?.permissions, { id: { _gt: 0 } });
});

t.test('where rules of fields and of registration are stored', async (t) => {
  const unknown = { title: { _neq: '$CURRENT_USERS' } };
  const incomplete = [{ title: { _between: [1] } }, { _or: [] }, { title: {} }, 'x', []];
  for (const validation of [unknown, ...incomplete]) {
    const meta = { validation };
    const name = JSON.stringify(validation);
    const field = { field: `f${randomUUID().slice(0, 8)}`, type: 'string', meta };
    const table = { collection: `c${randomUUID().slice(0, 8)}`, schema: {}, fields: [field] };
    for (const [method, path, body] of [
      ['PATCH', '/fields/articles/title', { meta }],
      ['PATCH', '/fields/articles', [{ field: 'title', meta }]],
      ['POST', '/fields/articles', field],
      ['POST', '/collections', table],
      ['PATCH', '/fields/articles/title', { meta: { conditions: [{ rule: validation }] } }],
    ] as const) {
      t.equal(await send(method, path, body), 'INVALID_PAYLOAD', `${method} ${path} ${name}`);
    }
    if (name.startsWith('{')) {
      const settings = { public_registration_email_filter: validation };
      t.equal(await send('PATCH', '/settings', settings), 'INVALID_PAYLOAD', name);
    }
  }
  const misspelt = { public_registration_email_filter: { mail: { _ends_with: '@x.org' } } };
  t.equal(await send('PATCH', '/settings', misspelt), 'INVALID_PAYLOAD');
  t.equal(passesEmailFilter('a@y.org', misspelt.public_registration_email_filter), false);
  const bookmark = { collection: 'articles', bookmark: 'b', filter: { _or: [] } };
  t.equal(await send('POST', '/presets', bookmark), 'INVALID_PAYLOAD');
});

t.test('one that got into the database holds for nothing, and is listed', async (t) => {
  const broken = { id: { _between: [999] } };
  const full = { collection: 'articles', fields: ['*'] };
  const member = await createMember(cluster, [
    { ...full, action: 'read', permissions: broken },
    { ...full, action: 'update', permissions: { _or: [] } },
    { ...full, action: 'delete', permissions: { id: {} } },
    { ...full, action: 'create', validation: { title: { _foo: 1 } } },
    // What another permission grants beside it stays under the validation that cannot be read.
    { ...full, action: 'create' },
    { collection: 'comments', action: 'read', permissions: { bodi: { _eq: 1 } } },
    { collection: 'comments', action: 'create', permissions: { _or: [{}] } },
  ]);
  const asked = async (method: string, path: string, body?: unknown) =>
    (await member.send(method, path, body)).code;
  t.strictSame((await member.send('GET', '/items/articles')).body, { data: [] });
  t.strictSame((await member.send('GET', '/items/comments')).body, { data: [] });
  t.equal(await asked('PATCH', '/items/articles/1', { title: 'x' }), 'FORBIDDEN');
  t.equal(await asked('DELETE', '/items/articles/1'), 'FORBIDDEN');
  t.equal(await asked('POST', '/items/articles', { title: 'x' }), 'FAILED_VALIDATION');
  t.equal(await asked('POST', '/items/comments', { body: 'x' }), 'FAILED_VALIDATION');

  const { checks } = await completeHealth(async () =>
    bodyOf<{ checks: Record<string, readonly { output?: string }[]> }>(
      await cluster.fetch('/server/health'),
    ),
  );
  const { rows } = await cluster.db.query(
    'SELECT id, action, collection FROM system_permissions WHERE policy = $1 ORDER BY id',
    [member.policy],
  );
  const listed = rows
    .filter(({ action }, index) => action !== 'create' || index !== 4)
    .map(({ id, action, collection }) => ({ permission: id, collection, action }));
  t.match(
    checks['access:unreadableRules'],
    listed.map((observedValue) => ({ status: 'warn', observedValue, output: /./ })),
  );
  t.match(checks['access:unreadableRules']?.[0]?.output, /_between" must hold two values/);
  const anonymous = await fetch(`${cluster.url}/server/health`);
  t.strictSame(Object.keys(await bodyOf<object>(anonymous)), ['status']);
  await cluster.db.query('DELETE FROM system_permissions WHERE policy = $1', [member.policy]);
});

t.test('rules that cannot be read are logged when a process starts', async (t) => {
  const { url, pool, config } = await install(
    t,
    `CREATE TABLE a (id integer PRIMARY KEY, n integer);
     INSERT INTO system_fields (collection, field, validation) VALUES ('a', 'n', '{"m":{"_eq":1}}');
     INSERT INTO system_policies (id, name) VALUES ('${randomUUID()}', 'p');
     INSERT INTO system_policies (id, name, ip_access) VALUES ('${randomUUID()}', 'a', '10.0.0.1'),
       ('00000000-0000-0000-0000-00000000000b', 'b', ' , '),
       ('00000000-0000-0000-0000-00000000000c', 'c', '10.0.0.x'),
       ('00000000-0000-0000-0000-00000000000d', 'd', '10.0.0.x, 10.0.0.1');
     INSERT INTO system_permissions (policy, collection, action, permissions)
       SELECT id, 'a', 'read', '{"_or":[]}' FROM system_policies WHERE name = 'p'`,
  );
  const silent = pino({ level: 'silent' });
  const bus = await openBus(config, url, await clusterId(pool, 'public'), silent);
  const catalog = await openCatalog(config, { pool, kind: 'test', bus, log: silent, keep: false });
  t.teardown(async () => {
    await catalog.close();
    await bus.close();
  });
  const bounds = {
    limitDefault: 1,
    limitMax: undefined,
    maxDepth: 5,
    maxJsonDepth: 5,
    maxFields: 5,
  };
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
  const audit = new RuleAudit({ pool, schema: 'public', catalog, bounds });
  await audit.report(log);
  t.match(lines, [
    /ip_access of policy \S+b on system_policies is invalid and matches nothing.*no address/,
    /ip_access of policy \S+c on system_policies is invalid and matches nothing.*10\.0\.0\.x.* is none/,
    /ip_access of policy \S+d on system_policies is invalid in part.*10\.0\.0\.x.* is none.*other entries hold/,
    /validation of n on a is invalid and matches nothing.*has no field/,
    /permissions of permission \d+ on a is invalid and matches nothing.*holds no condition/,
  ]);
  t.equal(lines.length, 5);
  t.equal(await audit.unreadable(), await audit.unreadable(), 'remembered');
});
