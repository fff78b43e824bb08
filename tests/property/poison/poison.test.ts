// @slow
/**
 * One row does not break a collection: whatever value SQL or a door accepts, in a column of any type,
 * the other rows are read, filtered, sorted, grouped and exported as in a table without it.
 */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { drawn, POISON } from './values.ts';

const SEED = Number(process.env.PROPERTY_SEED ?? 1);
/** Values of each column beside one that all runs take; all of them where it is set. */
const VALUES = Number(process.env.POISON_VALUES ?? 4);

const cluster = await startCluster(t, { workers: 1 });
const { db } = cluster;
t.comment(`PROPERTY_SEED=${SEED}`);
const columns = POISON.map(({ type }, index) => `c${index} ${type}`).join(', ');
const healthy = POISON.map(({ usual }) => usual).join(', ');
await db.query(`
  CREATE TYPE pair AS (a int, b json);
  CREATE DOMAIN paper AS json;
  CREATE TABLE clean (id int PRIMARY KEY, mark text NOT NULL DEFAULT 'well', parent int REFERENCES clean, ${columns});
  INSERT INTO clean VALUES (1, 'well', NULL, ${healthy}), (2, 'well', 1, ${healthy});
  INSERT INTO clean (id) VALUES (3);
  CREATE TABLE odd (LIKE clean INCLUDING ALL, FOREIGN KEY (parent) REFERENCES odd);
  INSERT INTO odd SELECT * FROM clean`);
for (const collection of ['clean', 'odd']) {
  for (const [index, { special }] of POISON.entries()) {
    if (special === undefined) continue;
    await db.query('INSERT INTO system_fields (collection, field, special) VALUES ($1, $2, $3)', [
      ...[collection, `c${index}`, special],
    ]);
  }
}
const refusedBySql: string[] = [];
let id = 100;
for (const [index, { values }] of POISON.entries()) {
  for (const value of drawn(values, VALUES, SEED + index)) {
    id += 1;
    await db
      .query(`INSERT INTO odd (id, mark, parent, c${index}) VALUES (${id}, 'odd', ${id}, ${value})`)
      .catch((error: unknown) => refusedBySql.push(`c${index} ${value}: ${String(error)}`));
  }
}
const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
await until(
  async () => (await admin('GET', '/items/odd/1')).status === 200,
  'the tables are known',
);

type Query = Readonly<Record<string, unknown>>;

/** What the collection answers of rows that are well; a status where it does not answer. */
async function rowsOf(collection: string, query: Query): Promise<unknown> {
  const answer = await admin('SEARCH', `/items/${collection}`, { query: { limit: -1, ...query } });
  if (answer.status !== 200) return answer.code;
  const rows: readonly Readonly<Record<string, unknown>>[] = answer.body.data;
  return rows.filter(({ mark }) => mark === 'well');
}

function queriesOf(index: number): readonly Query[] {
  const field = `c${index}`;
  const shown = { fields: ['id', 'mark'] };
  const { operand } = POISON[index] ?? {};
  const operators = ['_eq', '_neq', '_gt', '_in', '_contains', '_ncontains', '_icontains'];
  return [
    { fields: ['id', 'mark', field] },
    { fields: ['id', 'mark', 'other'], alias: { other: field } },
    { fields: ['id', 'mark', `parent.${field}`] },
    ...[field, `-${field}`].map((sort) => ({ ...shown, sort: [sort, 'id'] })),
    ...['_null', '_nnull', '_empty', '_nempty'].map((name) => ({
      ...{ ...shown, sort: ['id'], filter: { [field]: { [name]: true } } },
    })),
    ...operators.map((name) => ({
      ...{ ...shown, sort: ['id'] },
      filter: { [field]: { [name]: name === '_in' ? [operand] : operand } },
    })),
    ...['_some', '_none'].map((name) => ({
      ...{ ...shown, sort: ['id'], filter: { [field]: { [name]: { _eq: operand } } } },
    })),
    { ...shown, sort: ['id'], filter: { [field]: { _json: { n: { _eq: 5 } } } } },
    { fields: ['id', 'mark', `json(${field}, n)`], sort: ['id'] },
    { ...shown, sort: [`json(${field}, n)`, 'id'] },
    ...['count', 'year', 'week', 'hour', 'weekday'].flatMap((name) => [
      { fields: ['id', 'mark', `${name}(${field})`], sort: ['id'] },
      { ...shown, filter: { [`${name}(${field})`]: { _gte: 0 } }, sort: ['id'] },
    ]),
    { groupBy: ['mark', field], aggregate: { count: '*' } },
    { groupBy: ['mark', `json(${field}, n)`], aggregate: { count: '*' } },
    { groupBy: ['mark'], aggregate: { count: field, countDistinct: field } },
    { groupBy: ['mark'], aggregate: { min: field, max: field } },
    { groupBy: ['mark'], aggregate: { sum: field } },
    { groupBy: ['mark'], aggregate: { avg: field } },
  ];
}

t.test('SQL takes nearly all of the values', async (t) => {
  t.ok(refusedBySql.length < 5, refusedBySql.join('\n'));
});

t.test('clauses answer for the other rows as without the odd ones', async (t) => {
  const faults: string[] = [];
  const asked = POISON.flatMap(({ type }, index) =>
    queriesOf(index).map((query) => ({ type, query })),
  );
  const ask = async () => {
    for (let one = asked.shift(); one !== undefined; one = asked.shift()) {
      const [wanted, found] = await Promise.all([
        rowsOf('clean', one.query),
        rowsOf('odd', one.query),
      ]);
      if (JSON.stringify(wanted) === JSON.stringify(found)) continue;
      faults.push(
        `${one.type} ${JSON.stringify(one.query)}: ${JSON.stringify(found).slice(0, 300)}, not ${JSON.stringify(wanted).slice(0, 300)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  t.strictSame(faults, []);
  for (const search of ['well', '5', 'odd']) {
    t.match(await rowsOf('odd', { search }), search === 'well' ? [{}, {}, {}] : [], search);
  }
});

t.test('GraphQL reads all rows', async (t) => {
  const names = POISON.map((_, index) => `c${index}`);
  const known = await admin('POST', '/graphql', {
    query: '{ __type(name: "odd") { fields { name type { kind } } } }',
  });
  const fields: readonly { name: string; type: { kind: string } }[] = known.body.data.__type.fields;
  const plain = fields.filter(({ name, type }) => names.includes(name) && type.kind === 'SCALAR');
  const query = `{ odd(limit: -1) { id mark ${plain.map(({ name }) => name).join(' ')} } }`;
  const { body, status } = await admin('POST', '/graphql', { query });
  t.equal(status, 200);
  t.equal(body.errors, undefined, JSON.stringify(body.errors));
  t.ok(body.data.odd.length > POISON.length);
});

t.test('exports have all rows', async (t) => {
  const { rows } = await db.query<{ n: string }>('SELECT count(*) AS n FROM odd');
  const count = Number(rows[0]?.n);
  const fields = 'id,mark,*,parent.*';
  for (const format of ['csv', 'json', 'ndjson', 'xml', 'yaml']) {
    const path = `/items/odd?limit=-1&fields=${fields}&export=${format}`;
    const answer = await cluster.fetch(path, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const text = await answer.text();
    t.equal(answer.status, 200, `${format}: ${text.slice(0, 300)}`);
    t.ok(text.split(/well|odd/).length > count, `${format} has all rows`);
    const accepted = await cluster.fetch('/utils/export/odd', {
      method: 'POST',
      body: JSON.stringify({ format, query: { fields: fields.split(','), limit: -1 } }),
    });
    t.equal(accepted.status, 204, `${format} as a file: ${await accepted.text()}`);
    const job = accepted.headers.get('location') ?? '';
    const ended = async () => (await admin('GET', job)).body.data.finished_on !== null;
    await until(ended, `the export in ${format} to end`);
    const { body } = await admin('GET', job);
    t.equal(
      body.data.state,
      'completed',
      `${format} as a file: ${JSON.stringify(body.data.error)}`,
    );
  }
});

/** Documents as the body has them; JSON cannot say more. */
const BODIES = [
  String.raw`{"n":"\u0000"}`,
  String.raw`{"\u0000":1}`,
  String.raw`["\ud800"]`,
  '{"n":1e200000}',
];

t.test('every door refuses documents that nothing could read', async (t) => {
  await db.query(`CREATE TABLE docs (id serial PRIMARY KEY, parent int REFERENCES docs, j json, b jsonb, l json[]);
    INSERT INTO docs (j) VALUES ('{}');
    INSERT INTO system_fields (collection, field, special) VALUES ('docs', 'children', 'o2m');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
      VALUES ('docs', 'parent', 'docs', 'children')`);
  await until(
    async () => (await admin('GET', '/items/docs?fields=children.id')).status === 200,
    'the table is known',
  );
  const text = async (method: string, path: string, body: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const answer = await cluster.fetch(path, { method, headers, body });
    return { status: answer.status, said: await answer.text() };
  };
  for (const doc of BODIES) {
    const list = `[${doc}]`;
    for (const [method, path, body] of [
      ['POST', '/items/docs', `{"j":${doc}}`],
      ['POST', '/items/docs', `{"b":${doc}}`],
      ['POST', '/items/docs', `{"l":${list}}`],
      ['POST', '/items/docs', `[{"j":{}},{"j":${doc}}]`],
      ['POST', '/items/docs', `{"children":[{"j":${doc}}]}`],
      ['PATCH', '/items/docs/1', `{"j":${doc}}`],
      ['PATCH', '/items/docs', `{"keys":[1],"data":{"j":${doc}}}`],
      ['PATCH', '/users/me', `{"tags":${list}}`],
      ['PATCH', '/users/me', `{"theme_light_overrides":${doc}}`],
      ['PATCH', '/settings', `{"module_bar":${list}}`],
      ['POST', '/presets', `{"collection":"docs","layout_options":${doc}}`],
      [
        'POST',
        '/graphql',
        `{"query":"mutation ($j: JSON) { create_docs_item(data: { j: $j }) { id } }","variables":{"j":${doc}}}`,
      ],
    ] as const) {
      const { status, said } = await text(method, path, body);
      const refused =
        path === '/graphql' ? said.includes('"errors"') : status >= 400 && status < 500;
      t.ok(refused, `${method} ${path} ${body}: ${status} ${said}`);
      t.notMatch(said, /INTERNAL/, `${method} ${path} ${body}`);
    }
  }
  const { rows } = await db.query(
    String.raw`SELECT id FROM docs WHERE j::text LIKE '%u0000%' OR j::text LIKE '%\\ud8%' OR j::text LIKE '%e200%'`,
  );
  t.strictSame(rows, [], 'nothing of it is stored');
});

t.test('a rule over a document that cannot be read holds for no such row', async (t) => {
  const place = POISON.findIndex(({ type }) => type === 'json');
  const member = await createMember(cluster, [
    {
      collection: 'odd',
      action: 'read',
      permissions: { [`c${place}`]: { _json: { n: { _eq: 5 } } } },
    },
  ]);
  const { status, body } = await member.send('GET', '/items/odd?fields=id,mark&sort=id');
  t.equal(status, 200);
  const rows: readonly { id: number; mark: string }[] = body.data;
  const well = rows.filter(({ mark }) => mark === 'well').map(({ id }) => id);
  t.strictSame(well, [1, 2]);
  const { rows: poisoned } = await db.query<{ id: number }>(
    `SELECT id FROM odd WHERE strpos(c${place}::text, $1) > 0`,
    [String.raw`{"n":"\u0000"}`],
  );
  t.equal(poisoned.length, 1);
  t.notOk(rows.some(({ id }) => id === poisoned[0]?.id));
});

t.test("one user's own document does not break the list of users", async (t) => {
  const member = await createMember(cluster, [], { app: true });
  await db.query('UPDATE system_users SET tags = $1 WHERE id = $2', [
    String.raw`["\u0000"]`,
    member.id,
  ]);
  for (const query of [
    { filter: { tags: { _contains: 'x' } } },
    { filter: { tags: { _empty: true } } },
    { fields: ['id', 'count(tags)', 'json(tags, [0])'] },
    { filter: { tags: { _some: { _eq: 'x' } } } },
  ]) {
    const { status, body } = await admin('SEARCH', '/users', { query });
    t.equal(status, 200, `${JSON.stringify(query)}: ${JSON.stringify(body)}`);
  }
});

t.test('health names the fields', async (t) => {
  const place = POISON.findIndex(({ type }) => type === 'json');
  const named = async () => {
    const { body } = await admin('GET', '/server/health');
    const checks: readonly { observedValue: string }[] =
      body.checks['pg:unreadableDocuments'] ?? [];
    return checks.map(({ observedValue }) => observedValue);
  };
  await until(async () => (await named()).includes(`odd.c${place}`), 'health names the column');
  t.ok((await named()).includes('system_users.tags'));
  t.notOk((await named()).some((name) => name.startsWith('clean.')));
});
