// @newest
/** GraphQL over HTTP by its audit suite, the limits of documents, and what a schema tells. */
import { createHash } from 'node:crypto';
import { parse } from 'graphql';
import { serverAudits } from 'graphql-http';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t);
await cluster.db.query(`
  CREATE TABLE thing (id serial PRIMARY KEY, name text, secret text);
  CREATE TABLE part (id serial PRIMARY KEY, of int REFERENCES thing);
  CREATE INDEX ON part (of);
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('part', 'of', 'thing', 'parts')`);
await until(
  async () => (await cluster.fetch('/items/thing?fields=parts.id')).status === 200,
  'it is served',
);

const authorization = `Bearer ${ADMIN_TOKEN}`;

function asked(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('authorization', authorization);
  return fetch(input, { ...init, headers });
}

for (const path of ['/graphql', '/graphql/system']) {
  t.test(`${path} passes the audit of GraphQL over HTTP`, async (t) => {
    for (const audit of serverAudits({ url: `${cluster.url}${path}`, fetchFn: asked })) {
      const { status } = await audit.fn();
      const reason = `${audit.id} ${audit.name}`;
      if (/^(MUST|SHOULD)/.test(audit.name)) t.equal(status, 'ok', reason);
      else t.comment(`${status}: ${reason}`);
    }
  });
}

async function answerOf(query: string, token = ADMIN_TOKEN, env = cluster.url) {
  const answer = await fetch(`${env}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(await answer.text());
}

t.test('limits name themselves', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    [`{ thing { ${'id '.repeat(5_000)} } }`, 'GRAPHQL_QUERY_TOKEN_LIMIT'],
    [
      `{ thing { ${Array.from({ length: 101 }, (_, n) => `a${n}: id`).join(' ')} } }`,
      'GRAPHQL_MAX_ALIASES',
    ],
    [
      `{ ${Array.from({ length: 31 }, (_, n) => `a${n}: thing { id }`).join(' ')} }`,
      'GRAPHQL_MAX_ROOT_FIELDS',
    ],
    [`{ thing { ${'id '.repeat(1_001)} } }`, 'GRAPHQL_MAX_FIELDS'],
    [
      `{ part ${'{ of { parts(limit: 1000000) '.repeat(3)} { id } ${'} }'.repeat(3)} }`,
      'QUERY_MAX_COST',
    ],
    [
      `{ thing(filter: ${'{ _and: ['.repeat(150)}{ id: { _eq: 1 } }${'] }'.repeat(150)}) { id } }`,
      'QUERY_MAX_NESTING',
    ],
  ];
  // Each of its fields is allowed, but not all of them together.
  const below = '{ of { parts(limit: 30000) '.repeat(3);
  const large = (name: string) => `${name}: part(limit: 20) ${below} { id } ${'} }'.repeat(3)}`;
  t.match(await answerOf(`{ ${large('a')} }`), { data: { a: [] } });
  const together = await answerOf(`{ ${large('a')} ${large('b')} }`);
  t.match(together.errors, [{ extensions: { code: 'INVALID_QUERY', variable: 'QUERY_MAX_COST' } }]);
  t.equal(together.data, undefined, 'nothing was executed');
  for (const [query, variable] of cases) {
    const { errors } = await answerOf(query);
    t.match(JSON.stringify(errors), variable, variable);
  }
  const fragments = '{ thing { ...a } } fragment a on thing { ...b } fragment b on thing { ...a }';
  t.match((await answerOf(fragments)).errors, [{ extensions: { code: 'GRAPHQL_VALIDATION' } }]);
});

t.test('what a caller may not see is not there', async (t) => {
  const { token } = await createMember(cluster, [
    {
      collection: 'thing',
      action: 'read',
      fields: ['id', 'name'],
      permissions: { name: { _neq: 'x' } },
    },
  ]);
  await cluster.db.query(`INSERT INTO thing (name, secret) VALUES ('x', 's'), ('y', 's')`);
  t.strictSame(await answerOf('{ thing { id name } }', token), {
    data: { thing: [{ id: '2', name: 'y' }] },
  });
  for (const query of [
    '{ thing { secret } }',
    '{ thing(filter: { secret: { _eq: "s" } }) { id } }',
    '{ thing_aggregated { count { secret } } }',
    'mutation { create_thing_item(data: {}) { id } }',
    '{ nothing { id } }',
  ]) {
    const { errors, data } = await answerOf(query, token);
    t.match(errors, [{ extensions: { code: 'GRAPHQL_VALIDATION' } }], query);
    t.equal(data, undefined);
  }
  const { data } = await answerOf(
    '{ __type(name: "thing") { fields { name } } __schema { mutationType { name } } }',
    token,
  );
  t.strictSame(data, {
    __type: { fields: [{ name: 'id' }, { name: 'name' }] },
    __schema: { mutationType: null },
  });
  const sorted = await answerOf('{ thing(sort: ["secret"]) { id } }', token);
  t.match(sorted, { data: null, errors: [{ path: ['thing'], extensions: { code: 'FORBIDDEN' } }] });
});

t.test('the schema as text', async (t) => {
  const { token } = await createMember(cluster, [
    { collection: 'thing', action: 'read', fields: ['id', 'name'] },
  ]);
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await cluster.fetch('/server/specs/graphql', { headers })).text();
  const { definitions } = parse(text);
  const names = definitions.flatMap((one) => ('name' in one && one.name ? [one.name.value] : []));
  t.ok(names.includes('thing') && names.includes('thing_filter') && names.includes('Query'));
  t.notOk(names.includes('Mutation'));
  t.notMatch(text, /secret|part/);
  const system = await (await cluster.fetch('/server/specs/graphql/system')).text();
  t.match(system, 'delete_fields_item(collection: String!, field: String!): delete_field');
  t.match(system, 'create_fields_item(collection: String!, data: create_system_fields_input!');
});

t.test('no cache stores tokens', async (t) => {
  const query = 'mutation { auth_login(email: "a@b.c", password: "x") { access_token } }';
  const init = { method: 'POST', body: JSON.stringify({ query }) };
  const headers = { 'content-type': 'application/json' };
  const answer = await asked(`${cluster.url}/graphql/system`, { ...init, headers });
  t.equal(answer.headers.get('cache-control'), 'no-store');
});

t.test('the server describes itself', async (t) => {
  const known = JSON.parse(await (await asked(`${cluster.url}/server/info`)).text()).data;
  t.match(known, { project: { project_name: 'Sluice' }, queryLimit: { default: 100, max: -1 } });
  t.match(known.version, /^\d+\.\d+/);
  const anonymous = JSON.parse(await (await fetch(`${cluster.url}/server/info`)).text()).data;
  t.strictSame(Object.keys(anonymous), ['project']);
});

t.test('introspection that is turned off', async (t) => {
  const { url } = await cluster.addEdge({ GRAPHQL_INTROSPECTION: 'off' });
  t.equal((await asked(`${url}/server/specs/graphql`)).status, 404);
  const { errors } = await answerOf('{ __schema { queryType { name } } }', ADMIN_TOKEN, url);
  t.match(errors, [{ message: /GRAPHQL_INTROSPECTION/ }]);
  t.match(await answerOf('{ thing { __typename } }', ADMIN_TOKEN, url), {
    data: { thing: [{ __typename: 'thing' }, { __typename: 'thing' }] },
  });
});

t.test('documents that are named by their hash', async (t) => {
  const query = '{ __typename }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  const ask = async (body: object) => {
    const answer = await cluster.fetch('/graphql', { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  t.match(await ask({ extensions }), {
    status: 200,
    body: { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
  });
  t.match(await ask({ query, extensions }), { body: { data: { __typename: 'Query' } } });
  t.match(await ask({ extensions }), { body: { data: { __typename: 'Query' } } });
  const url = `/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`;
  t.match(await (await cluster.fetch(url)).json(), { data: { __typename: 'Query' } });
  t.match(await ask({ query: '{ a: __typename }', extensions }), {
    status: 400,
    body: { errors: [{ extensions: { code: 'INVALID_PAYLOAD' } }] },
  });
  t.match(await ask({ extensions: { persistedQuery: { version: 2, sha256Hash } } }), {
    status: 400,
  });
});

t.test('keys that every object of JavaScript knows', async (t) => {
  const ask = async (query: string) => {
    const answer = await cluster.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query }),
    });
    return JSON.parse(await answer.text());
  };
  for (const key of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty']) {
    const made = await ask(
      `mutation { ${key}: create_thing_item(data: { name: "${key}" }) { ${key}: name } }`,
    );
    t.equal(JSON.stringify(made), `{"data":{"${key}":{"${key}":"${key}"}}}`);
    const both = await ask(
      `{ ${key}: thing_aggregated { ${key}: countAll } other: thing(limit: 1) { ${key}: id } }`,
    );
    t.match(JSON.stringify(both), `{"data":{"${key}":[{"${key}":`);
    const own = await ask(`{ ${key}: __schema { ${key}: queryType { name } } a: __typename }`);
    t.equal(JSON.stringify(own), `{"data":{"${key}":{"${key}":{"name":"Query"}},"a":"Query"}}`);
    const gone = await ask(`mutation { ${key}: delete_thing_items(ids: []) { ${key}: ids } }`);
    t.equal(JSON.stringify(gone), `{"data":{"${key}":{"${key}":[]}}}`);
  }
});

t.test('bombs of fragments are refused before any statement', async (t) => {
  const levels = Array.from({ length: 20 }, (_, level) => {
    const below = level === 19 ? 'id' : `...f${level + 1}`;
    return `fragment f${level} on thing { a${level}: parts { of { ${below} } } b${level}: parts { of { ${below} } } }`;
  });
  const wide = Array.from({ length: 900 }, () => '...w').join(' ');
  // The server has the extension; each database creates it.
  await cluster.db.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const query = `SELECT sum(calls)::int AS n FROM pg_stat_statements WHERE query LIKE '%"part"%'
    AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const read = await cluster.fetch('/items/part');
  t.equal(read.status, 200);
  // A read that was asked a second time, because the first took long, may still run.
  await until(async () => {
    const { rows } = await cluster.db.query(`SELECT 1 FROM pg_stat_activity WHERE state = 'active'
      AND datname = current_database() AND pid <> pg_backend_pid()`);
    return rows.length === 0;
  }, 'nothing runs any more');
  const before = await cluster.db.query(query);
  t.ok(before.rows[0].n > 0, 'statements are counted');
  for (const document of [
    `{ thing { ...f0 } } ${levels.join(' ')}`,
    `{ thing { ${'parts { of { '.repeat(12)} id ${'} }'.repeat(12)} } }`,
    `{ thing { ${wide} } } fragment w on thing { ...v } fragment v on thing { ...w }`,
  ]) {
    const started = performance.now();
    const answer = await cluster.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query: document }),
    });
    const { errors } = JSON.parse(await answer.text());
    t.ok(errors?.length > 0, document.slice(0, 60));
    t.ok(performance.now() - started < 5_000, 'and that is quick');
  }
  const after = await cluster.db.query(query);
  t.equal(after.rows[0].n, before.rows[0].n, 'nothing was asked of the database');
});
