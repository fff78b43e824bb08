// @newest
/** Names that GraphQL cannot have, or has already: whatever tables are called, the schema is told. */
import {
  buildClientSchema,
  buildSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isObjectType,
  validateSchema,
} from 'graphql';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { Introspection } from '#edge/graphql/introspection.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { until } from '#tests/harness/until.ts';

const SEED = Number(process.env.SEED ?? 20_261_127);
const TABLES = 40;

const cluster = await startCluster(t);
const dice = new Dice(SEED);
t.comment(`SEED=${SEED}`);

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Parts of names: those that types are made with, those of JavaScript, and what is no name at all. */
const WORDS = [
  ...['a', 'b', 'a_b', '_', 'é', 'Airport Name', '1962', 'a-b', '"', "'", '\\', '日本', ' ', '$'],
  ...['filter', 'quantifier', 'aggregated', 'count', 'fields', 'sums', 'extremes', 'mutated'],
  ...['create', 'update', 'delete', 'input', 'items', 'item', 'batch', 'by_id', 'func', 'union'],
  ...['constructor', 'toString', 'hasOwnProperty', '__typename', '__schema', 'Query', 'Date', 'ID'],
  ...['JSON', 'Int', 'Mutation', 'EventEnum', 'delete_one', 'auth_tokens', 'date_functions', 'and'],
  ...['string_filter_operators', 'GraphQLBigInt', 'true', 'null', 'system_users', 'id', 'or'],
] as const satisfies readonly [string, ...string[]];
const TYPES = ['int', 'text', 'jsonb', 'date', 'timestamptz', 'bigint', 'numeric'] as const;

function randomName(): string {
  const word = () => dice.pick(WORDS);
  return dice.pick([word, () => `${word()}_${word()}`, () => `${word()}_${word()}_${word()}`])();
}

function randomNames(count: number): string[] {
  const names = new Set<string>();
  while (names.size < count) names.add(randomName().slice(0, 50));
  return [...names];
}

async function ask(path: string, query: string, variables = {}) {
  const body = JSON.stringify({ query, variables });
  const answer = await cluster.fetch(path, { method: 'POST', body });
  return JSON.parse(await answer.text());
}

/** Both ways of telling a schema. */
async function told(t: Test, path: string): Promise<GraphQLSchema> {
  const specs = path === '/graphql' ? '/server/specs/graphql' : '/server/specs/graphql/system';
  const text = await (await cluster.fetch(specs)).text();
  const schema = buildSchema(text);
  t.strictSame(validateSchema(schema), [], `the text of ${path} is a schema`);
  const { data, errors }: { data: IntrospectionQuery; errors?: unknown } = await ask(
    path,
    getIntrospectionQuery(),
  );
  t.equal(errors, undefined, JSON.stringify(errors));
  t.strictSame(validateSchema(buildClientSchema(data)), [], `${path} tells a schema`);
  return schema;
}

const NAMED = [
  ...['Airport Name', '1962', 'a-b', 'é', 'a', 'a_filter', 'a_quantifier', 'create_a_input'],
  ...['update_a_input', 'a_aggregated', 'a_by_id', 'a_mutated', 'a_aggregated_count', 'a_b'],
  ...['auth_tokens', 'delete_one', 'EventEnum', 'a_item', 'a_b_c_union', 'a_settings_func'],
  '_',
];
const tables = [...new Set([...NAMED, ...randomNames(TABLES)])];
const keyed: string[] = [];
const statements: string[] = [];
for (const table of tables) {
  const names = randomNames(1 + dice.below(5)).filter((name) => name !== 'id');
  const columns = names.map((name) => `, ${quoted(name)} ${dice.pick(TYPES)}`);
  const target = keyed[dice.below(2 * keyed.length + 1)];
  if (target !== undefined) columns.push(`, refers int REFERENCES ${quoted(target)}`);
  const key = dice.below(8) === 0 ? 'my key' : 'id';
  if (key === 'id') keyed.push(table);
  statements.push(
    `CREATE TABLE ${quoted(table)} (${quoted(key)} serial PRIMARY KEY ${columns.join('')})`,
    `INSERT INTO ${quoted(table)} DEFAULT VALUES`,
  );
}
await cluster.db.query(statements.join(';\n'));
await cluster.db.query(`
  CREATE TYPE mood AS ENUM ('in a-b', '1962', 'true', 'é', '__x', '');
  CREATE TABLE moods (id serial PRIMARY KEY, mood mood);
  CREATE TABLE "only é" (id serial PRIMARY KEY);
  CREATE TABLE only_odd ("1" serial PRIMARY KEY, "b c" text);
  ALTER TABLE a ADD b_c text, ADD kind text, ADD settings jsonb, ADD "Date" date, ADD _ date;
  ALTER TABLE a_b ADD c text, ADD kind text;
  INSERT INTO system_relations (many_collection, many_field, one_collection_field, one_allowed_collections)
    VALUES ('a', 'b_c', 'kind', 'moods,auth_tokens'), ('a_b', 'c', 'kind', 'moods')`);
await until(
  async () => (await cluster.fetch('/items/only_odd')).status === 200,
  'the last table is served',
);

t.test('no name of a table, a column or a value breaks the schema', async (t) => {
  const schema = await told(t, '/graphql');
  await told(t, '/graphql/system');
  const query = schema.getQueryType()?.getFields() ?? {};
  t.notOk('only_odd' in query, 'nothing of it has a name');
  for (const name of ['a', 'a_filter', 'a_quantifier', 'auth_tokens', 'delete_one', 'moods']) {
    t.ok(name in query, `${name} is a field`);
  }
  const { a } = query;
  t.equal(String(a?.args.find(({ name }) => name === 'filter')?.type), 'a_filter_');
  // Each list is asked for all of its plain fields, by its type and with a condition of its own.
  for (const [name, { type, args }] of Object.entries(query)) {
    if (!tables.includes(name) || name === 'moods') continue;
    const item = schema.getType(String(type).replace(/[[\]!]/g, ''));
    const fields = isObjectType(item) ? Object.values(item.getFields()) : [];
    const plain = fields.filter(({ type: of }) => {
      return !isObjectType(schema.getType(String(of).replace(/[[\]!]/g, '')));
    });
    const scalars = plain.filter(({ type: of }) => !String(of).includes('union'));
    const filter = args.find((one) => one.name === 'filter')?.type;
    const document = `query Q($f: ${filter}) { ${name}(filter: $f, limit: 1) { __typename
      ...part } ${name in { a: 1 } ? 'a_aggregated_: __typename' : ''} }
      fragment part on ${item} { ${scalars.map((one) => one.name).join(' ') || '__typename'} }`;
    const { data, errors } = await ask('/graphql', document, { f: { _and: [] } });
    t.equal(errors, undefined, `${document} ${JSON.stringify(errors)}`);
    const [shown] = data?.[name] ?? [];
    t.equal(shown?.__typename, String(item), name);
    const values = scalars.map((one) => shown?.[one.name]);
    const expected = scalars.map((one) => (one.name === 'id' ? '1' : null));
    t.strictSame(values, expected, name);
  }
});

t.test('the description for programs has names as it may have them', async (t) => {
  const document = v.parse(
    v.object({ components: v.object({ schemas: v.record(v.string(), v.unknown()) }) }),
    await (await cluster.fetch('/server/specs/oas')).json(),
  );
  const odd = Object.keys(document.components.schemas).filter((name) => !/^[\w.-]+$/.test(name));
  t.strictSame(odd, []);
});

t.test('fields with names that other types have are read, written and filtered', async (t) => {
  const written = await ask(
    '/graphql',
    `mutation M($new: create_a_input_!) {
      create_a_item(data: $new) { __typename Date settings }
      create_auth_tokens_item(data: { id: 77 }) { __typename id }
    }`,
    { new: { Date: '2026-01-02', settings: { x: 1 }, kind: 'auth_tokens', b_c: '77', 'a b': 1 } },
  );
  t.match(written, { errors: [{ message: /a b/ }] }, 'a name that is left out is unknown');
  const made = await ask(
    '/graphql',
    `mutation M($new: create_a_input_!) {
      create_auth_tokens_item(data: { id: 77 }) { __typename id }
      create_a_item(data: $new) { __typename Date b_c { __typename ... on auth_tokens_ { id } } }
    }`,
    { new: { Date: '2026-01-02', settings: { x: 1 }, kind: 'auth_tokens', b_c: '77' } },
  );
  t.strictSame(made, {
    data: {
      create_auth_tokens_item: { __typename: 'auth_tokens_', id: '77' },
      create_a_item: {
        __typename: 'a',
        Date: '2026-01-02',
        b_c: { __typename: 'auth_tokens_', id: '77' },
      },
    },
  });
  const found = await ask(
    '/graphql',
    `query Q($f: a_filter_) { a(filter: $f) { Date settings_func { json(path: "x") } }
      a_filter { __typename } a_aggregated { __typename } }`,
    { f: { Date: { _eq: '2026-01-02' } } },
  );
  t.equal(found.errors, undefined, JSON.stringify(found.errors));
  t.strictSame(found.data.a, [{ Date: '2026-01-02', settings_func: { json: 1 } }]);
  t.strictSame(found.data.a_filter, [{ __typename: 'a_filter' }]);
  t.strictSame(found.data.a_aggregated, [{ __typename: 'a_aggregated' }], 'the collection has it');
});

t.test('a failing schema is reported in the log and in health', async (t) => {
  const lines: string[] = [];
  const introspection = new Introspection(pino({}, { write: (line) => lines.push(line) }));
  t.teardown(() => introspection.close());
  const catalog = {
    ...{ version: 0, collections: new Map(), relations: new Map(), leftOut: [], warnings: [] },
  };
  const known = { catalog, rights: FULL_RIGHTS };
  const query = { kind: 'query', variables: null } as const;
  const broken = introspection.ask(known, 'items', { ...query, query: '{ a b' });
  await t.rejects(broken, { message: /cannot be described/ });
  t.match(lines.join(), /Expected Name/);
  t.match(introspection.checks(catalog), {
    'graphql:schema': [{ status: 'warn', output: /Expected Name/ }],
  });
  t.strictSame(introspection.checks({ ...catalog }), {}, 'another catalog has no fault');
  await introspection.ask(known, 'items', { ...query, query: '{ __typename }' });
  t.strictSame(introspection.checks(catalog), {}, 'it is told again');
});
