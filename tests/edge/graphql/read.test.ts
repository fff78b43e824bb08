/** Reading through GraphQL, against a real edge. */
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t);
await cluster.db.query(`
  CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL, born date);
  CREATE TABLE tag (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), label text);
  CREATE TABLE article (id serial PRIMARY KEY, title text NOT NULL, price numeric(10, 2), words int,
    big bigint, settings jsonb, flags boolean, written timestamptz,
    author int REFERENCES author, secret text);
  CREATE TABLE block (id serial PRIMARY KEY, article int REFERENCES article, collection text, item text);
  CREATE TABLE heading (id serial PRIMARY KEY, text text);
  CREATE TABLE picture (id serial PRIMARY KEY, url text);
  INSERT INTO author (name, born) VALUES ('Ada', '1815-12-10'), ('Bob', NULL);
  INSERT INTO article (title, price, words, big, settings, flags, written, author) VALUES
    ('One', 12.50, 100, 9007199254740993, '{"a": {"b": [1, 2]}}', true, '2024-05-01T12:00:00Z', 1),
    ('Two', 3, 50, 2, NULL, false, NULL, 1), ('Three', NULL, NULL, NULL, '[]', NULL, NULL, 2);
  INSERT INTO heading (text) VALUES ('Hello');
  INSERT INTO picture (url) VALUES ('a.png');
  INSERT INTO block (article, collection, item) VALUES (1, 'heading', '1'), (1, 'picture', '1');
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('article', 'author', 'author', 'articles'), ('block', 'article', 'article', 'blocks');
  INSERT INTO system_relations (many_collection, many_field, one_collection_field, one_allowed_collections)
    VALUES ('block', 'item', 'collection', 'heading,picture');
  INSERT INTO system_collections (collection) VALUES ('author'), ('article'), ('block');
  INSERT INTO system_fields (collection, field, special) VALUES
    ('author', 'articles', 'o2m'), ('article', 'blocks', 'o2m')`);
await until(
  async () => (await cluster.fetch('/items/author?fields=articles.blocks.id')).status === 200,
  'the relations are served',
);

async function ask(
  query: string,
  variables: Record<string, unknown> = {},
  path = '/graphql',
): Promise<{ data?: unknown; errors?: readonly { message: string; extensions: object }[] }> {
  const body = JSON.stringify({ query, variables });
  const answer = await cluster.fetch(path, { method: 'POST', body });
  return JSON.parse(await answer.text());
}

t.test('fields in the order asked, as their types say', async (t) => {
  const { data, errors } = await ask(`{
    article(sort: ["id"]) { title id n: price words big settings flags written __typename }
  }`);
  t.equal(errors, undefined, JSON.stringify(errors));
  t.equal(
    JSON.stringify(data),
    JSON.stringify({
      article: [
        {
          ...{ title: 'One', id: '1', n: 12.5, words: 100, big: '9007199254740993' },
          ...{ settings: { a: { b: [1, 2] } }, flags: true, written: '2024-05-01T12:00:00.000Z' },
          __typename: 'article',
        },
        {
          ...{ title: 'Two', id: '2', n: 3, words: 50, big: '2', settings: null, flags: false },
          ...{ written: null, __typename: 'article' },
        },
        {
          ...{ title: 'Three', id: '3', n: null, words: null, big: null, settings: [] },
          ...{ flags: null, written: null, __typename: 'article' },
        },
      ],
    }),
  );
});

t.test('relations, fragments, aliases, variables', async (t) => {
  const { data, errors } = await ask(
    `query Q($least: GraphQLStringOrFloat, $long: Boolean!) {
      who: author(filter: { articles: { words: { _gte: $least } } }, sort: ["-name"]) {
        ...name
        first: articles(limit: 1, sort: ["-title"]) { title author { id } }
        articles(filter: { title: { _eq: "One" } }) {
          title @include(if: $long)
          id @skip(if: true)
          blocks(sort: ["id"]) { id item { __typename ... on heading { text } ... on picture { url id } } }
        }
        articles_func { count }
        born_func { year y: month }
      }
      author_by_id(id: 2) { name }
      __typename
    }
    fragment name on author { name }`,
    { least: 60, long: true },
  );
  t.equal(errors, undefined, JSON.stringify(errors));
  t.equal(
    JSON.stringify(data),
    JSON.stringify({
      who: [
        {
          name: 'Ada',
          first: [{ title: 'Two', author: { id: '1' } }],
          articles: [
            {
              title: 'One',
              blocks: [
                { id: '1', item: { __typename: 'heading', text: 'Hello' } },
                { id: '2', item: { __typename: 'picture', url: 'a.png', id: '1' } },
              ],
            },
          ],
          articles_func: { count: 2 },
          born_func: { year: 1815, y: 12 },
        },
      ],
      author_by_id: { name: 'Bob' },
      __typename: 'Query',
    }),
  );
});

t.test('functions and conditions', async (t) => {
  const { data, errors } = await ask(`{
    article(filter: { _and: [{ written_func: { year: { _eq: 2024 } } }, { author: { name: { _starts_with: "A" } } }] }) {
      settings_func { json(path: "a.b[1]") count }
      written_func { hour }
    }
    block(filter: { item__heading: { text: { _eq: "Hello" } } }) { id }
    none: author(filter: { articles: { _none: { words: { _gt: 0 } } } }) { name }
  }`);
  t.equal(errors, undefined, JSON.stringify(errors));
  t.strictSame(data, {
    article: [{ settings_func: { json: 2, count: null }, written_func: { hour: 12 } }],
    block: [{ id: '1' }],
    none: [{ name: 'Bob' }],
  });
});

t.test('an item of which nothing was asked', async (t) => {
  const { data, errors } = await ask(
    '{ block(sort: ["id"]) { item { ... on heading { text } } } }',
  );
  t.equal(errors, undefined, JSON.stringify(errors));
  t.strictSame(data, { block: [{ item: { text: 'Hello' } }, { item: {} }] });
});

t.test('aggregates', async (t) => {
  const { data, errors } = await ask(`{
    article_aggregated(groupBy: ["author"], sort: ["author"]) {
      group countAll count { price } total: sum { price words } max { price }
    }
    all: article_aggregated { countAll countDistinct { author } }
  }`);
  t.equal(errors, undefined, JSON.stringify(errors));
  t.strictSame(data, {
    article_aggregated: [
      {
        ...{ group: { author: 1 }, countAll: 2, count: { price: 2 } },
        ...{ total: { price: 15.5, words: 150 }, max: { price: 12.5 } },
      },
      {
        ...{ group: { author: 2 }, countAll: 1, count: { price: 0 } },
        ...{ total: { price: null, words: null }, max: { price: null } },
      },
    ],
    all: [{ countAll: 3, countDistinct: { author: 2 } }],
  });
});

t.test('writing', async (t) => {
  const created = await ask(
    `mutation M($data: [create_author_input!]) {
      create_author_items(data: $data, sort: ["name"]) { name articles { title } }
      create_author_item(data: { name: "Zoe" }) { id name }
      update_author_items(ids: [1, 2], data: { born: "2000-01-01" }, sort: ["id"]) { id born }
      update_author_batch(data: [{ id: 1, name: "Ava" }]) { name }
      update_author_item(id: 2, data: { name: "Bea" }) { name }
    }`,
    { data: [{ name: 'Y', articles: [{ title: 'New' }] }, { name: 'X' }] },
  );
  t.equal(created.errors, undefined, JSON.stringify(created.errors));
  t.match(created.data, {
    create_author_items: [
      { name: 'X', articles: [] },
      { name: 'Y', articles: [{ title: 'New' }] },
    ],
    create_author_item: { id: '5', name: 'Zoe' },
    update_author_items: [
      { id: '1', born: '2000-01-01' },
      { id: '2', born: '2000-01-01' },
    ],
    update_author_batch: [{ name: 'Ava' }],
    update_author_item: { name: 'Bea' },
  });
  const deleted = await ask(
    'mutation { delete_author_item(id: 5) { id } delete_tag_items(ids: []) { ids } }',
  );
  t.equal(deleted.errors, undefined, JSON.stringify(deleted.errors));
  t.strictSame(deleted.data, { delete_author_item: { id: '5' }, delete_tag_items: { ids: [] } });
});

t.test('failures name what is wrong', async (t) => {
  const missing = await ask('{ author_by_id(id: 99) { name } tag { id } }');
  t.match(missing, {
    data: { author_by_id: null, tag: [] },
    errors: [
      {
        path: ['author_by_id'],
        locations: [{ line: 1, column: 3 }],
        extensions: { code: 'FORBIDDEN' },
      },
    ],
  });
  const unknown = await ask('{ author { nmae } }');
  t.match(unknown, {
    errors: [{ message: /nmae/, extensions: { code: 'GRAPHQL_VALIDATION' } }],
  });
  t.notMatch(JSON.stringify(unknown), /Did you mean/);
  const refused = await ask('mutation { create_author_item(data: { name: null }) { id } }');
  t.match(refused.data ?? null, null);
  const { status } = await cluster.fetch(
    `/graphql?query=${encodeURIComponent('mutation { delete_tag_items(ids: []) { ids } }')}`,
  );
  t.equal(status, 405);
});

t.test(
  'the media type of an answer is the one that is accepted, with a charset or without',
  async (t) => {
    for (const [accept, type, status] of [
      [
        'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
        'application/graphql-response+json',
        400,
      ],
      ['application/graphql-response+json', 'application/graphql-response+json', 400],
      ['application/json; charset=UTF-8', 'application/json', 200],
      ['application/json, application/graphql-response+json;q=0.5', 'application/json', 200],
      ['*/*', 'application/json', 200],
    ] as const) {
      const answer = await cluster.fetch('/graphql', {
        method: 'POST',
        headers: { accept },
        body: JSON.stringify({ query: '{ author { nmae } }' }),
      });
      await answer.arrayBuffer();
      t.equal(answer.headers.get('content-type'), `${type}; charset=utf-8`, accept);
      t.equal(answer.status, status, accept);
    }
  },
);

t.test('the schema tells of itself', async (t) => {
  const { data, errors } = await ask(`{
    __type(name: "author") { name fields { name type { kind name ofType { name } } } }
    author { id }
  }`);
  t.equal(errors, undefined, JSON.stringify(errors));
  t.match(data, {
    __type: {
      fields: [
        { name: 'id', type: { kind: 'NON_NULL', ofType: { name: 'ID' } } },
        { name: 'name', type: { kind: 'NON_NULL' } },
        { name: 'born' },
        { name: 'articles', type: { kind: 'LIST' } },
      ],
    },
  });
});

t.test('the schema through the system endpoint', async (t) => {
  const worker = await cluster.startWorker();
  const asked = (query: string) => ask(query, {}, '/graphql/system');
  const created = await asked(`mutation {
    create_fields_item(collection: "tag", data: { field: "color", type: "string", meta: { note: "a" } }) {
      collection field type meta { note interface } schema { is_nullable data_type }
    }
  }`);
  t.strictSame(created, {
    data: {
      create_fields_item: {
        ...{ collection: 'tag', field: 'color', type: 'string' },
        meta: { note: 'a', interface: null },
        schema: { is_nullable: true, data_type: 'character varying' },
      },
    },
  });
  t.strictSame(await ask('{ tag { color } }'), { data: { tag: [] } }, 'it is there at once');
  const changed = await asked(`mutation {
    update_fields_item(collection: "tag", field: "color", data: { meta: { note: "b" } }) { meta { note } }
    delete_fields_item(collection: "tag", field: "color") { collection field }
  }`);
  t.strictSame(changed, {
    data: {
      update_fields_item: { meta: { note: 'b' } },
      delete_fields_item: { collection: 'tag', field: 'color' },
    },
  });
  const { data } = await asked('{ fields_in_collection(collection: "tag") { field __typename } }');
  t.match(data, { fields_in_collection: [{ field: 'id', __typename: 'system_fields' }] });
  const refused = await asked(
    'mutation { delete_fields_item(collection: "tag", field: "no") { field } }',
  );
  t.match(refused, {
    data: { delete_fields_item: null },
    errors: [{ path: ['delete_fields_item'] }],
  });
  const twice = await asked(`mutation {
    a: auth_login(email: "a@b.c", password: "x") { access_token }
    b: auth_login(email: "a@b.c", password: "y") { access_token }
  }`);
  t.match(twice.errors, [{ message: /only once/ }]);
  const wrong = await asked(
    'mutation { auth_login(email: "a@b.c", password: "x") { access_token } }',
  );
  t.match(wrong.errors, [{ extensions: { code: 'INVALID_CREDENTIALS' } }]);
  t.match(
    await asked('{ users_me { id email } server_ping policies_me_globals { admin_access } }'),
    {
      data: {
        users_me: { id: /-/ },
        server_ping: 'pong',
        policies_me_globals: { admin_access: true },
      },
    },
  );
  await worker.end('SIGTERM');
});

t.test('system collections', async (t) => {
  const { data, errors } = await ask(
    '{ users(limit: 1) { id role { name } } roles { name } }',
    {},
    '/graphql/system',
  );
  t.equal(errors, undefined, JSON.stringify(errors));
  t.match(data, { users: [{ id: /-/ }] });
});
