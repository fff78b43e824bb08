// @newest
/**
 * Requests that the Admin App copies: the command of curl runs in a shell, both programs run, and the
 * server accepts the document of GraphQL, all with the same result.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import type { Field, Relation } from '../../../ops/app/source/data/schema-types.ts';
import { curlText, shellWord } from '../../../ops/app/source/share/curl.ts';
import { graphqlText } from '../../../ops/app/source/share/graphql.ts';
import { askedCollections } from '../../../ops/app/source/share/known-schema.ts';
import type { ListRequest, ReadRequest } from '../../../ops/app/source/share/request.ts';
import { clientText, directusText } from '../../../ops/app/source/share/sdk.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const CLIENT = pathToFileURL(join(ROOT, 'ops/client/source/index.ts')).href;
const DIRECTUS = import.meta.resolve('@directus/sdk');

const TABLES = `
  CREATE TABLE publisher (id serial PRIMARY KEY, name varchar(80) NOT NULL);
  CREATE TABLE book (
    id serial PRIMARY KEY, title varchar(200) NOT NULL, publisher integer REFERENCES publisher,
    price numeric(8, 2), since date, sold boolean NOT NULL DEFAULT false, number varchar(20)
  );
  CREATE TABLE review (id serial PRIMARY KEY, body text, book integer REFERENCES book);
  CREATE TABLE price (country text, currency text, amount integer, PRIMARY KEY (country, currency));
  CREATE TABLE "it's" (id serial PRIMARY KEY, name text);
  INSERT INTO publisher (name) VALUES ('Insel'), ('Suhrkamp');
  INSERT INTO book (title, publisher, price, since, sold, number) VALUES
    ('It''s $HOME, "said" \`id\`', 1, 5, '2024-05-06', false, '007'),
    ('null', 2, 9.5, '2025-01-01', true, 'true'),
    ('@plain & <simple> #1 100%', 2, 20, '2024-12-31', false, NULL);
  INSERT INTO review (body, book) VALUES ('Good', 1), ('Better', 1), ('Bad', 2);
  INSERT INTO price VALUES ('NO', 'EU R', 3);
  INSERT INTO "it's" (name) VALUES ('quoted');
  INSERT INTO system_fields (collection, field, special, interface)
  VALUES ('book', 'reviews', 'o2m', 'list-o2m');
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
  VALUES ('review', 'book', 'book', 'reviews');
`;

const list = (request: Partial<ListRequest>): ReadRequest => ({
  ...{ kind: 'list', collection: 'book', fields: ['id', 'title'], limit: 25 },
  ...request,
});

/** What is asked for, and the keys or names of what is found. */
const REQUESTS: readonly (readonly [ReadRequest, unknown])[] = [
  [list({ fields: ['*'] }), [1, 2, 3]],
  [list({ filter: { title: { _eq: `It's $HOME, "said" \`id\`` } } }), [1]],
  // In a URL these texts would be no texts.
  [list({ filter: { title: { _eq: 'null' } } }), [2]],
  [list({ filter: { number: { _eq: 'true' } } }), [2]],
  [list({ search: '@plain & <simple> #1 100%' }), [3]],
  [list({ sort: ['-price'], limit: 1, page: 2, fields: ['id', 'publisher.name'] }), [2]],
  [list({ filter: { _and: [{ price: { _gt: '6' } }, { sold: { _eq: false } }] } }), [3]],
  [list({ filter: { publisher: { _eq: 2 } }, fields: ['id', 'publisher'] }), [2, 3]],
  [list({ filter: { publisher: { name: { _in: ['Insel'] } } } }), [1]],
  [list({ filter: { 'year(since)': { _eq: 2024 }, 'month(since)': { _eq: 5 } } }), [1]],
  [list({ filter: { reviews: { _some: { body: { _icontains: 'goo' } } } } }), [1]],
  [
    list({ fields: ['id', 'count(reviews)', 'year(since)'], sort: ['year(since)', 'id'] }),
    [1, 3, 2],
  ],
  [list({ filter: { _or: [{ price: { _between: [1, 6] } }, { number: null }] } }), [1, 3]],
  [list({ filter: { id: 2 } }), [2]],
  [list({ collection: 'system_roles', fields: ['id', 'name'], limit: 5 }), null],
  [{ kind: 'item', collection: 'book', key: '2', fields: ['*'] }, 2],
  [{ kind: 'item', collection: 'book', key: '1', fields: ['id', 'reviews'] }, 1],
];

/** Of a result of any of the texts: the keys. */
function keysOf(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(keysOf);
  return typeof result === 'object' && result !== null && 'id' in result
    ? Number(result.id)
    : result;
}

t.test('a word of a shell is the text, whatever is in it', async (t) => {
  for (const text of ["'", 'it\'s $HOME `id` \\ "x" !!', '\n', '-n', "''", '%s\\n', '日本']) {
    const { stdout } = await run('sh', ['-c', `printf %s ${shellWord(text)}`]);
    t.equal(stdout, text);
  }
});

t.test('the copied texts', async (t) => {
  const { db, url, fetch } = await startCluster(t);
  await db.query(TABLES);
  const read = async <T>(path: string): Promise<T> => {
    const answer = await fetch(path);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).data;
  };
  for (const path of ['/items/book?fields=count(reviews)', '/items/price']) {
    for (let ok = false; !ok; ok = (await fetch(path)).ok);
  }
  const relations = await read<readonly Relation[]>('/relations?reverse=true');
  const folder = mkdtempSync(join(tmpdir(), 'copied-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const env = { ...process.env, TOKEN: ADMIN_TOKEN, NODE_OPTIONS: '' };
  const shell = async (command: string) => {
    const { stdout } = await run('sh', ['-c', command.replace('curl ', 'curl -sS ')], { env });
    const answer = JSON.parse(stdout);
    return answer.data ?? answer;
  };
  let programs = 0;
  const program = async (text: string) => {
    programs += 1;
    const file = join(folder, `program-${programs}.ts`);
    const source = text.replace('@sluice/client', CLIENT).replace('@directus/sdk', DIRECTUS);
    const result = text.includes('const items') ? 'items' : 'item';
    writeFileSync(file, `${source}\nconsole.log(JSON.stringify(${result}));process.exit();\n`);
    const { stdout } = await run(process.execPath, [file], { env });
    return JSON.parse(stdout);
  };
  const document = async (request: ReadRequest) => {
    const fields = new Map<string, readonly Field[]>();
    for (const name of askedCollections(request, relations)) {
      fields.set(name, await read(`/fields/${encodeURIComponent(name)}`));
    }
    const text = graphqlText(request, url, {
      relations,
      fieldsOf: (name) => fields.get(name) ?? [],
    });
    const [, path = ''] = /^# POST http:\/\/[^/]+(\S+)/.exec(text ?? '') ?? [];
    const body = JSON.stringify({ query: text });
    const answer = await fetch(path, { method: 'POST', body });
    const { data, errors } = JSON.parse(await answer.text());
    t.equal(errors, undefined, text ?? '');
    return Object.values(data ?? {})[0];
  };

  for (const [request, expected] of REQUESTS) {
    const name = JSON.stringify(request);
    const curl = keysOf(await shell(curlText(request, url)));
    if (expected === null) t.ok(Array.isArray(curl) && curl.length > 0, name);
    else t.strictSame(curl, expected, name);
    t.strictSame(keysOf(await document(request)), curl, `GraphQL: ${name}`);
  }
  // A process each: those that differ are enough.
  for (const [request, expected] of [1, 5, 14, 15].flatMap((index) =>
    REQUESTS.slice(index, index + 1),
  )) {
    for (const text of [clientText(request, url), directusText(request, url)]) {
      const keys = keysOf(await program(text));
      if (expected === null) t.ok(Array.isArray(keys) && keys.length > 0, text);
      else t.strictSame(keys, expected, text);
    }
  }

  await t.test('a key of several fields', async (t) => {
    const request: ReadRequest = {
      ...{ kind: 'item', collection: 'price', fields: ['amount'], key: 'NO,EU%20R' },
    };
    const expected = { amount: 3 };
    t.strictSame(await shell(curlText(request, url)), expected);
    t.strictSame(await program(clientText(request, url)), expected);
    t.strictSame(await document(request), expected);
  });

  await t.test('names that GraphQL does not take', async (t) => {
    const request = list({ collection: "it's", fields: ['id'] });
    t.strictSame(keysOf(await shell(curlText(request, url))), [1]);
    t.strictSame(keysOf(await program(clientText(request, url))), [1]);
    t.equal(graphqlText(request, url, { relations, fieldsOf: () => [] }), null);
  });

  await t.test('a query that is too long for a URL', async (t) => {
    const ids = Array.from({ length: 2_000 }, (_, index) => index + 2);
    const text = curlText(list({ filter: { id: { _in: ids } } }), url);
    t.match(text, 'SEARCH');
    t.strictSame(keysOf(await shell(text)), [2, 3]);
  });
});
