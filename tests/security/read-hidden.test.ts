// @newest @slow

// No clause, no spelling and no difference reveals what may not be read. The fields are those
// that leaked elsewhere: see the table beside this file.
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { sendAgain } from '#tests/harness/send-again.ts';
import { until } from '#tests/harness/until.ts';
import { listenIn, type Wire } from '#tests/harness/wire.ts';
import { HIDDEN, plant } from './fuzz/site.ts';

let cluster: Cluster;
let wire: Wire;
let token: string;

interface Reply {
  readonly status: number;
  readonly text: string;
}

async function send(method: string, path: string, body?: unknown): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const once = async () => {
    const response = await fetch(`${cluster.url}${path}`, { method, headers, ...sent });
    return { status: response.status, text: await response.text() };
  };
  return await sendAgain(once, ({ text }) => text);
}

/** Asks by GET, objects and lists as JSON. */
function get(path: string, query: object): Promise<Reply> {
  const text = Object.entries(query).map(([name, value]) => {
    const given = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(given)}`;
  });
  return send('GET', `${path}?${text.join('&')}`);
}

/** Asks by GET and by SEARCH, which must answer alike. */
async function ask(path: string, query: object): Promise<Reply> {
  const [got, searched] = await Promise.all([get(path, query), send('SEARCH', path, { query })]);
  if (searched.text !== got.text) t.strictSame(searched, got, JSON.stringify(query));
  return got;
}

t.before(async () => {
  const started = await startCluster(t, { edges: 0 });
  wire = await listenIn(t, started.databaseUrl);
  const edge = await started.addEdge({ DATABASE_URL: wire.url });
  cluster = { ...started, url: edge.url };
  token = await plant(cluster);
});

type Clause = (field: string) => object;

/** `path` leads to the level at which the field stands; empty for the root. */
function clausesAt(path: string): readonly Clause[] {
  const at = (field: string) => (path === '' ? field : `${path}.${field}`);
  const [last = ''] = path.split('.').slice(-1);
  const nested = (inner: unknown) =>
    path === '' ? inner : path.split('.').reduceRight<unknown>((m, name) => ({ [name]: m }), inner);
  const clauses: Clause[] = [
    (field) => ({ fields: [at(field)] }),
    (field) => ({ sort: [at(field)] }),
    (field) => ({ sort: [`-${at(field)}`], fields: ['id'], limit: 1 }),
    ...['_eq', '_neq', '_contains', '_starts_with', '_gt', '_lte', '_in', '_between', '_ieq'].map(
      (operator): Clause =>
        (field) => ({
          filter: nested({
            [field]: { [operator]: /in|between/.test(operator) ? ['a', 'z'] : 'a' },
          }),
        }),
    ),
    (field) => ({
      filter: { _or: [nested({ [field]: { _ncontains: 'x' } }), { id: { _eq: 1 } }] },
    }),
    (field) => ({ fields: [at(`json(${field}, a)`)] }),
    (field) => ({ fields: [at(`year(${field})`)] }),
    (field) => ({ filter: nested({ [`year(${field})`]: { _gt: 1 } }) }),
    (field) => ({ filter: { id: { _eq: `$CURRENT_USER.${at(field)}` } } }),
  ];
  if (path === '') {
    clauses.push(
      (field) => ({ alias: { other: field }, fields: ['other'] }),
      (field) => ({ groupBy: [field], aggregate: { count: '*' } }),
      (field) => ({ groupBy: ['id'], aggregate: { min: [field] } }),
      ...['min', 'max', 'sum', 'avg', 'countDistinct', 'sumDistinct'].map(
        (name): Clause =>
          (field) => ({ aggregate: { [name]: [field] } }),
      ),
      (field) => ({ export: 'csv', fields: [field] }),
      (field) => ({ export: 'json', filter: { [field]: { _starts_with: 'a' } } }),
    );
  } else if (last === path) {
    clauses.push(
      (field) => ({
        fields: [`${path}.*`],
        deep: { [path]: { _filter: { [field]: { _eq: 'a' } } } },
      }),
      (field) => ({ fields: [`${path}.x`], deep: { [path]: { _alias: { x: field } } } }),
      (field) => ({ alias: { y: path }, fields: [`y.${field}`] }),
    );
  }
  return clauses;
}

/** Where a member must not look. */
const HIDDEN_FIELDS = [
  ['/items/things', '', ['secret', 'amount']],
  ['/items/things', 'parent', ['secret']],
  ['/items/things', 'things', ['secret']],
  ['/items/things', 'parent.parent', ['secret']],
  ['/items/articles', 'author_id', ['bio', 'email']],
  ['/items/comments', 'article_id.author_id', ['bio']],
  ['/items/things', 'owner', ['auth_data', 'external_identifier']],
  ['/users', '', ['auth_data', 'external_identifier']],
  ['/roles', 'users', ['auth_data']],
  ['/items/pairs', '', ['hidden']],
] as const;

/** Where it may see whether something is set, and no more. */
const CONCEALED_FIELDS = [
  ['/items/things', '', ['masked', 'hashed']],
  ['/items/things', 'parent', ['masked', 'hashed']],
  ['/items/things', 'owner', ['password', 'token', 'tfa_secret']],
  ['/users', '', ['password', 'token', 'tfa_secret']],
  ['/roles', 'users', ['password', 'token', 'tfa_secret']],
] as const;

function questions(places: typeof HIDDEN_FIELDS | typeof CONCEALED_FIELDS) {
  return places.flatMap(([path, level, fields]) =>
    fields.flatMap((field) =>
      clausesAt(level).map((clause) => ({ path, query: clause(field) }) as const),
    ),
  );
}

type Asking = (path: string, query: object) => Promise<Reply>;

/** What is answered to each of the questions, several at a time. */
async function answers(asked: readonly { path: string; query: object }[], asking: Asking) {
  const found: string[] = [];
  const waiting = [...asked.entries()];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [index, { path, query }] = next;
      const { status, text } = await asking(path, query);
      found[index] = `${path} ${JSON.stringify(query)}: ${status} ${text}`;
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return found;
}

const FLIP = `
  UPDATE things SET secret = 'zzz' || id, amount = id, masked = 'zzz' || id, hashed = 'zzz' || id;
  UPDATE authors SET bio = 'zzz' || id, email = 'zzz' || id;
  UPDATE pairs SET hidden = 'zzz' || a;
  UPDATE system_users SET auth_data = '{"zzz": 1}', external_identifier = 'zzz' || email`;

t.test(
  'a clause over a field that is hidden is refused, and depends on it in no byte',
  async (t) => {
    const hidden = questions(HIDDEN_FIELDS);
    const concealed = questions(CONCEALED_FIELDS);
    const open = [
      { path: '/items/things', query: { search: HIDDEN } },
      { path: '/items/things', query: { search: 'zzz' } },
      { path: '/items/articles', query: { fields: ['*.*'], search: 'zzz' } },
      { path: '/items/things', query: { fields: ['*.*.*'], limit: 5 } },
      { path: '/items/things', query: { export: 'csv' } },
      { path: '/users', query: { search: 'zzz' } },
      { path: '/roles', query: { fields: ['*.*'] } },
      {
        path: '/items/things',
        query: { fields: ['parent.*'], deep: { parent: { _sort: ['secret'] } } },
      },
      {
        path: '/items/things',
        query: { filter: { masked: { _null: true } }, aggregate: { count: '*' } },
      },
    ];
    const before = await answers(hidden, ask);
    const wrong = before.filter((line) => !/: (?:400|403) \{"errors"/.test(line));
    t.strictSame(wrong, [], 'refused');
    const masked = await answers(concealed, ask);
    const free = await answers(open, ask);
    await cluster.db.query(FLIP);
    t.strictSame(await answers(hidden, get), before);
    t.strictSame(await answers(concealed, get), masked);
    t.strictSame(await answers(open, get), free);
    t.notMatch([...masked, ...free].join(''), /zzz\d/);
    // A concealed value is shown only as its mask, and whether it is set.
    for (const line of masked) {
      const shown = /: 200 (.*)$/s.exec(line)?.[1];
      if (shown !== undefined) t.notMatch(shown, /canary|zzz|argon/, line);
    }
  },
);

t.test('an alias of a masked field is masked', async (t) => {
  for (const query of [
    { alias: { plain: 'masked' }, fields: ['plain'], limit: 1 },
    { alias: { hashed: 'masked', masked: 'name' }, fields: ['hashed', 'masked'], limit: 1 },
    { fields: ['things.plain'], deep: { things: { _alias: { plain: 'hashed' } } }, limit: 1 },
    { alias: { name: 'masked' }, fields: ['*'], export: 'csv', limit: 1 },
  ]) {
    const { status, text } = await ask('/items/things', query);
    t.equal(status, 200);
    t.match(text, '**********', JSON.stringify(query));
  }
});

t.test('a thousand aliases are refused before any statement', async (t) => {
  const alias = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`a${i}`, 'things']));
  const before = wire.statements.length;
  const queries = [
    { alias, fields: Object.keys(alias) },
    { alias },
    { fields: ['id'], deep: { things: { _alias: alias } } },
    { aggregate: { count: Object.keys(alias) } },
  ];
  for (const query of queries) {
    const { status, text } = await send('SEARCH', '/items/things', { query });
    t.equal(status, 400);
    t.match(text, 'QUERY_MAX_FIELDS');
  }
  const sent = wire.statements.slice(before).filter((statement) => statement.includes('things'));
  t.strictSame(sent, []);
});

t.test('what is one of a few words is none of others', async (t) => {
  for (const query of [
    { sort: ['id desc'] },
    { sort: ['id; select 1'] },
    { sort: { id: 'desc' } },
    { sort: ['-id NULLS FIRST'] },
    { sort: ['--id'] },
    { meta: 'total_count;' },
    { export: 'pdf' },
    { export: 'CSV ' },
    { aggregate: { 'count(*)': '*' } },
    { aggregate: { pg_sleep: ['id'] } },
    { groupBy: ['id, secret'] },
    { fields: ['upper(name)'] },
    { fields: ['id AS x'] },
    { filter: { id: { _eqq: 1 } } },
    { filter: { id: { '=': 1 } } },
    { filter: { _raw: 'true' } },
    { filter: { $or: [{ id: 1 }] } },
    { backlink: 'maybe' },
    { limit: '1; select' },
    { offset: '1e1' },
    { version: 'draft' },
  ]) {
    const { status } = await ask('/items/things', query);
    t.ok(status === 400 || status === 403, `${status} ${JSON.stringify(query)}`);
  }
});

t.test('names of prototypes are names like any other', async (t) => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    '__defineGetter__',
    'hasOwnProperty',
  ];
  for (const name of names) {
    for (const query of [
      `fields=${name}`,
      `filter[${name}][_eq]=1`,
      `filter[${name}][polluted]=1`,
      `sort=${name}`,
      `aggregate[${name}]=id`,
      `aggregate[count]=${name}`,
      `groupBy=${name}`,
      `alias[x]=${name}&fields=x`,
      `fields=${name}.${name}.id`,
      `filter=${encodeURIComponent(`{"${name}":{"_eq":1}}`)}`,
      `filter[id][${name}]=1`,
    ]) {
      const { status } = await send('GET', `/items/things?${query}`);
      // A member that an object cannot have is dropped while the string is read.
      const expected =
        name === '__proto__' || name === 'hasOwnProperty' ? [200, 400, 403] : [400, 403];
      t.ok(expected.includes(status), `${status} ${query}`);
    }
    for (const query of [
      `deep[${name}][_limit]=1`,
      `${name}[fields]=secret`,
      `alias[${name}]=id`,
    ]) {
      const { status, text } = await send('GET', `/items/things?${query}`);
      t.ok(status < 500, query);
      t.notMatch(text, HIDDEN);
    }
    t.equal((await send('GET', `/items/${name}`)).status, 403);
    const body = `{"query":{"filter":{"${name}":{"polluted":true}}}}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const searched = await fetch(`${cluster.url}/items/things`, {
      method: 'SEARCH',
      headers,
      body,
    });
    t.ok([400, 403].includes(searched.status), name);
  }
  t.equal((await send('GET', '/items/things?limit=1')).status, 200);
});

t.test('forbidden and missing fields answer alike but for the name', async (t) => {
  const pairs = [
    ['GET', '/items/NAME', 'secrets', 'nothing'],
    ['GET', '/items/NAME/1', 'secrets', 'nothing'],
    ['GET', '/items/NAME?fields=text&filter[text][_eq]=1', 'secrets', 'nothing'],
    ['GET', '/items/NAME', 'system_users', 'nothing'],
    ['SEARCH', '/items/NAME', 'secrets', 'nothing', {}],
    ['POST', '/items/NAME', 'secrets', 'nothing', { text: 'x' }],
    ['PATCH', '/items/NAME/1', 'secrets', 'nothing', { text: 'x' }],
    ['PATCH', '/items/NAME', 'secrets', 'nothing', { keys: [1], data: { text: 'x' } }],
    ['DELETE', '/items/NAME/1', 'secrets', 'nothing'],
    ['DELETE', '/items/NAME', 'secrets', 'nothing', [1]],
    ['POST', '/items/NAME', 'secrets', 'nothing', [1]],
    ['POST', '/items/NAME', 'authors_seen', 'nothing', { id: 1 }],
    ['POST', '/utils/import/NAME', 'secrets', 'nothing'],
    ['POST', '/utils/import/NAME', 'system_users', 'nothing'],
    ['PATCH', '/items/things/1', 'secrets', 'nothing', { NAME: [{ text: 'x' }] }],
    ['GET', '/permissions/me/NAME/1', 'secrets', 'nothing'],
    ['GET', '/permissions/me/NAME', 'secrets', 'nothing'],
    ['GET', '/items/things?fields=NAME', 'secret', 'nothing'],
    ['GET', '/items/things?filter[NAME][_eq]=1', 'secret', 'nothing'],
    ['GET', '/items/things?sort=NAME', 'secret', 'nothing'],
    ['GET', '/items/things?groupBy=NAME', 'secret', 'nothing'],
    ['GET', '/items/things?aggregate[min]=NAME', 'secret', 'nothing'],
    ['GET', '/items/things?fields=NAME.id', 'secrets', 'nothing'],
    ['GET', '/items/things?filter[NAME][id][_eq]=1', 'secrets', 'nothing'],
    ['GET', '/items/things?deep[NAME][_limit]=1&fields=NAME.*', 'secrets', 'nothing'],
    ['PATCH', '/items/things/1', 'secret', 'nothing', { NAME: 'x' }],
    ['PATCH', '/items/things/1', 'amount', 'nothing', { NAME: 'x' }],
    ['POST', '/items/things', 'secret', 'nothing', { NAME: 'x' }],
    ['GET', '/items/things/NAME', '4', '999'],
    ['PATCH', '/items/things/NAME', '4', '999', { name: 'x' }],
    ['PATCH', '/items/things', '4', '999', { keys: ['NAME'], data: { name: 'x' } }],
    ['PATCH', '/items/things', '4', '999', [{ id: 'NAME', name: 'x' }]],
    ['GET', '/permissions/me/things/NAME', '4', '999'],
    ['SEARCH', '/items/things', '4', '999', { keys: ['NAME'] }],
    ['DELETE', '/items/things/NAME', '4', '999'],
    [
      'GET',
      '/users/NAME',
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ],
    [
      'PATCH',
      '/users/NAME',
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
      { first_name: 'x' },
    ],
    [
      'DELETE',
      '/jobs/NAME',
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ],
  ] as const;
  await cluster.db.query(
    "INSERT INTO system_users (id, email) VALUES ('00000000-0000-4000-8000-000000000001', 'x@example.com')",
  );
  await cluster.db.query('CREATE VIEW authors_seen AS SELECT id FROM authors');
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const view = `${cluster.url}/items/authors_seen`;
  await until(async () => (await fetch(view, { headers })).ok, 'the view is known');
  for (const [method, path, there, missing, body] of pairs) {
    const shown = async (name: string) => {
      const sent =
        body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll('NAME', name));
      const { status, text } = await send(method, path.replaceAll('NAME', name), sent);
      return `${status} ${text.replaceAll(name, 'NAME')}`;
    };
    const [forbidden, absent] = [await shown(there), await shown(missing)];
    t.equal(forbidden, absent, `${method} ${path} ${JSON.stringify(body ?? null)}`);
  }
});

t.test('anonymous callers see no version', async (t) => {
  for (const path of ['/server/ping', '/server/health', '/', '/nothing', '/items/things']) {
    const response = await fetch(`${cluster.url}${path}`);
    const shown = `${JSON.stringify([...response.headers])} ${await response.text()}`;
    t.notMatch(shown, /sluice\/?\s*\d|\d+\.\d+\.\d+(?!\.\d)|uWebSockets|node\/|postgres/i, path);
  }
});
