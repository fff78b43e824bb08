// @newest @slow
/**
 * Random documents, answered by an edge and by graphql-js with naive resolvers over the items that
 * REST shows the same caller. The answers must be equal as texts, the order of keys included.
 */
import {
  buildClientSchema,
  execute,
  type GraphQLSchema,
  getIntrospectionQuery,
  isObjectType,
  isUnionType,
  parse,
} from 'graphql';
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { randomDocument } from './fixture/random-document.ts';

const DOCUMENTS = Number(process.env.DOCUMENTS ?? 150);
const SEED = Number(process.env.SEED ?? 20_261_123);

const cluster = await startCluster(t);
await cluster.db.query(`
  CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL, born date, score numeric, secret text);
  CREATE TABLE article (id serial PRIMARY KEY, title text NOT NULL, price numeric(10, 2), big bigint,
    settings jsonb, flag boolean, written timestamptz, at time, author int REFERENCES author);
  CREATE TABLE block (id serial PRIMARY KEY, article int REFERENCES article, collection text, item text);
  CREATE TABLE heading (id serial PRIMARY KEY, text text);
  CREATE TABLE picture (id serial PRIMARY KEY, url text, owner int REFERENCES author);
  CREATE INDEX ON article (author);
  INSERT INTO author (name, born, score, secret) SELECT 'n' || n, date '2000-01-01' + n, n / 3.0, 's'
    FROM generate_series(1, 6) n;
  INSERT INTO article (title, price, big, settings, flag, written, at, author)
    SELECT 't' || n, CASE WHEN n % 3 > 0 THEN n * 1.25 END, 9007199254740993 + n,
      CASE n % 3 WHEN 0 THEN '{"a": [1, {"b": null}]}'::jsonb WHEN 1 THEN '[1, 2]' END, n % 2 = 0,
      '2024-02-29T10:11:12Z'::timestamptz + n * interval '1 day', '10:11:12', 1 + n % 7 % 6
    FROM generate_series(1, 20) n;
  INSERT INTO heading (text) SELECT 'h' || n FROM generate_series(1, 3) n;
  INSERT INTO picture (url, owner) SELECT 'u' || n, n FROM generate_series(1, 3) n;
  INSERT INTO block (article, collection, item)
    SELECT 1 + n % 20, CASE n % 2 WHEN 0 THEN 'heading' ELSE 'picture' END, (1 + n % 4)::text
    FROM generate_series(1, 40) n;
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field) VALUES
    ('article', 'author', 'author', 'articles'), ('block', 'article', 'article', 'blocks'),
    ('picture', 'owner', 'author', 'pictures');
  INSERT INTO system_relations (many_collection, many_field, one_collection_field, one_allowed_collections)
    VALUES ('block', 'item', 'collection', 'heading,picture')`);
await until(
  async () => (await cluster.fetch('/items/author?fields=articles.blocks.id')).status === 200,
  'the relations are served',
);

const rowsOf = v.object({ data: v.array(v.record(v.string(), v.unknown())) });
type Row = Readonly<Record<string, unknown>>;
type Rows = ReadonlyMap<string, readonly Row[]>;

/** Where a field leads: to which collection, by which column. */
const ONE: Readonly<Record<string, string>> = {
  'article.author': 'author',
  'block.article': 'article',
  'picture.owner': 'author',
};
const MANY: Readonly<Record<string, readonly [string, string]>> = {
  'author.articles': ['article', 'author'],
  'author.pictures': ['picture', 'owner'],
  'article.blocks': ['block', 'article'],
};
const COLLECTIONS = ['author', 'article', 'block', 'heading', 'picture'];

/** Waits for an edge that a busy machine keeps from renewing its lease. */
function answered(path: string, init: RequestInit): Promise<Response> {
  const ask = async () => {
    const answer = await cluster.fetch(path, init);
    return answer.status === 503 ? null : answer;
  };
  return until(ask, `${path} is answered`);
}

async function rowsFor(token: string): Promise<Rows> {
  const entries = COLLECTIONS.map(async (name) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await answered(`/items/${name}?limit=-1&sort=id&fields=*`, { headers });
    // What may not be read at all has no rows.
    const data = answer.status === 403 ? [] : v.parse(rowsOf, await answer.json()).data;
    return [name, data.map((row) => ({ ...row, __typename: name }))] as const;
  });
  return new Map(await Promise.all(entries));
}

function partOf(name: string, value: unknown): number | null {
  if (name === 'count') return Array.isArray(value) ? value.length : null;
  if (typeof value !== 'string') return null;
  const isTime = /^\d\d:/.test(value);
  const date = new Date(isTime ? `1970-01-01T${value}Z` : value);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  const thursday = start + (3 - ((date.getUTCDay() + 6) % 7)) * 86_400_000;
  const first = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1);
  const parts: Readonly<Record<string, number>> = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    week: 1 + Math.floor((thursday - first) / (7 * 86_400_000)),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
  return parts[name] ?? null;
}

/** Gives a schema resolvers that look at one item at a time. */
function resolveNaively(schema: GraphQLSchema, rows: Rows): void {
  const find = (name: string, id: unknown) =>
    rows.get(name)?.find((row) => String(row.id) === String(id)) ?? null;
  for (const type of Object.values(schema.getTypeMap())) {
    if (isUnionType(type)) {
      type.resolveType = (value) => v.parse(v.object({ __typename: v.string() }), value).__typename;
    }
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const [name, field] of Object.entries(type.getFields())) {
      const place = `${type.name}.${name}`;
      const [many, one] = [MANY[place], ONE[place]];
      if (type === schema.getQueryType()) {
        const single = name.endsWith('_by_id') ? name.slice(0, -'_by_id'.length) : null;
        field.resolve = () => (single === null ? rows.get(name) : find(single, 1));
      } else if (one !== undefined) {
        field.resolve = (row: Row) => find(one, row[name]);
      } else if (many !== undefined) {
        const [target, column] = many;
        field.resolve = (row: Row) =>
          rows.get(target)?.filter((item) => String(item[column]) === String(row.id));
      } else if (place === 'block.item') {
        field.resolve = (row: Row) => find(String(row.collection), row.item);
      } else if (name.endsWith('_func')) {
        const own = name.slice(0, -'_func'.length);
        const list = MANY[`${type.name}.${own}`];
        field.resolve = (row: Row) => ({
          value:
            list === undefined
              ? row[own]
              : rows.get(list[0])?.filter((item) => String(item[list[1]]) === String(row.id)),
        });
      } else if (type.name.endsWith('_functions') || type.name.endsWith('_func')) {
        field.resolve = (of: { value: unknown }) => partOf(name, of.value);
      }
    }
  }
}

async function send(token: string, query: string, variables: object = {}) {
  const answer = await answered('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return JSON.parse(await answer.text());
}

async function compare(t: Test, token: string, roots: readonly string[]) {
  const { data } = await send(token, getIntrospectionQuery());
  const schema = buildClientSchema(data);
  resolveNaively(schema, await rowsFor(token));
  const dice = new Dice(SEED);
  let answered = 0;
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const { query, variables } = randomDocument(schema, dice, roots);
    const document = parse(query);
    const naive = await execute({ schema, document, variableValues: variables });
    const own = await send(token, query, variables);
    const [found, wanted] = [JSON.stringify(own), JSON.stringify(naive)];
    if (found === wanted) {
      answered += 1;
      continue;
    }
    let at = 0;
    while (found[at] === wanted[at]) at += 1;
    const around = (text: string) => text.slice(Math.max(0, at - 150), at + 150);
    t.equal(around(found), around(wanted), `document ${number}: ${query.slice(0, 2_000)}`);
    break;
  }
  t.equal(answered, DOCUMENTS);
}

t.test('an administrator', (t) =>
  compare(t, ADMIN_TOKEN, [
    'author',
    'article',
    'block',
    'picture',
    'article_by_id',
    'author_by_id',
  ]),
);

t.test('a member with rules', async (t) => {
  const read = { action: 'read' } as const;
  const { token } = await createMember(cluster, [
    {
      ...read,
      collection: 'author',
      fields: ['id', 'name', 'born', 'articles'],
      permissions: { id: { _lt: 5 } },
    },
    {
      ...read,
      collection: 'article',
      permissions: { _or: [{ flag: { _eq: true } }, { author: { id: { _eq: 2 } } }] },
    },
    { ...read, collection: 'block' },
    { ...read, collection: 'heading', permissions: { id: { _neq: 2 } } },
  ]);
  await compare(t, token, ['author', 'article', 'block', 'author_by_id']);
});
