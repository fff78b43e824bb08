/** Reading through GraphQL, against a real edge. */
import t from 'tap';
import * as v from 'valibot';
import { aggregatesField } from '#core/query/aggregate.ts';
import { type Operator, operandShape, operatorsOf } from '#core/query/operator.ts';
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
  CREATE TABLE crate (id serial PRIMARY KEY, label text NOT NULL, weights bigint[], doc jsonb);
  CREATE TABLE parcel (id serial PRIMARY KEY, crate int REFERENCES crate, note text NOT NULL);
  CREATE TABLE cell (x int, y int, name text, PRIMARY KEY (x, y));
  CREATE TABLE pawn (id serial PRIMARY KEY, x int, y int,
    CONSTRAINT pawn_cell FOREIGN KEY (x, y) REFERENCES cell);
  CREATE TABLE kinds (id serial PRIMARY KEY, f_varchar varchar(20), f_text text, f_bool boolean, f_int int,
    f_big bigint, f_double float8, f_numeric numeric(12, 3), f_date date, f_time time,
    f_local timestamp, f_stamp timestamptz, f_json json, f_jsonb jsonb, f_csv text, f_uuid uuid, f_bytes bytea,
    f_interval interval, f_inet inet, f_range int4range, f_ints int[], f_secret text);
  INSERT INTO kinds (f_varchar, f_text, f_bool, f_int, f_big, f_double, f_numeric, f_date, f_time, f_local,
      f_stamp, f_json, f_jsonb, f_csv, f_uuid, f_bytes, f_interval, f_inet, f_range, f_ints, f_secret)
    SELECT 'v' || n, 'T' || n, n = 1, n, 9007199254740993 + n, n / 4.0, n * 1.125, date '2024-02-28' + n,
      time '10:00:01' + n * interval '1 hour', timestamp '2024-02-28 10:00:00' + n * interval '1 day',
      timestamptz '2024-02-28 10:00:00Z' + n * interval '1 day', '{"a": 1}', '{"a": 1}', 'x,y' || n,
      ('00000000-0000-4000-8000-00000000000' || n)::uuid, '\\xc3a9', n * interval '1 hour',
      ('10.0.0.' || n)::inet, int4range(1, 5 + n), ARRAY[n, 2], 's'
    FROM generate_series(1, 3) n;
  INSERT INTO kinds DEFAULT VALUES;
  CREATE TABLE key_text (id text PRIMARY KEY);
  CREATE TABLE key_big (id bigint PRIMARY KEY);
  CREATE TABLE key_uuid (id uuid PRIMARY KEY);
  CREATE TABLE key_date (id date PRIMARY KEY);
  INSERT INTO key_text VALUES ('Ab'), ('cd'), ('ef');
  INSERT INTO key_big VALUES (9007199254740993), (2), (3);
  INSERT INTO key_uuid SELECT f_uuid FROM kinds WHERE f_uuid IS NOT NULL;
  INSERT INTO key_date SELECT f_date FROM kinds WHERE f_date IS NOT NULL;
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('article', 'author', 'author', 'articles'), ('block', 'article', 'article', 'blocks');
  INSERT INTO system_relations (many_collection, many_field, one_collection_field, one_allowed_collections)
    VALUES ('block', 'item', 'collection', 'heading,picture');
  INSERT INTO system_collections (collection) VALUES ('author'), ('article'), ('block');
  INSERT INTO system_fields (collection, field, special) VALUES
    ('author', 'articles', 'o2m'), ('article', 'blocks', 'o2m'), ('kinds', 'f_csv', 'cast-csv'),
    ('kinds', 'f_secret', 'conceal')`);
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

const idsOf = v.object({ data: v.array(v.object({ id: v.union([v.string(), v.number()]) })) });
const fieldsOf = v.object({
  data: v.array(
    v.object({
      field: v.string(),
      type: v.picklist([
        ...['string', 'text', 'boolean', 'integer', 'bigInteger', 'float', 'decimal', 'date'],
        ...['time', 'dateTime', 'timestamp', 'json', 'csv', 'uuid', 'binary', 'unknown'],
      ] as const),
      meta: v.nullable(v.object({ special: v.nullable(v.string()) })),
    }),
  ),
});
const rowsOf = v.object({ data: v.array(v.record(v.string(), v.unknown())) });

async function search(collection: string, query: object): Promise<unknown> {
  const body = JSON.stringify({ query });
  return await (await cluster.fetch(`/items/${collection}`, { method: 'SEARCH', body })).json();
}

/** A list of texts and bytes are compared as texts. */
function textual(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' && value !== null ? '\\xc3a9' : value;
}

/** What an operator is tried with: values of the field itself, or a part of one. */
function operandOf(operator: Operator, values: readonly unknown[]): unknown {
  const [value, other = value] = values;
  switch (operandShape(operator)) {
    case 'flag':
      return true;
    case 'list':
    case 'pair':
      return [value, other];
    default: {
      const text = String(value);
      return /contains|starts/.test(operator)
        ? text.slice(0, 1)
        : operator.includes('ends')
          ? text.slice(-1)
          : value;
    }
  }
}

t.test('each type takes the operators and the aggregates that it takes in REST', async (t) => {
  for (const collection of ['kinds', 'key_text', 'key_big', 'key_uuid', 'key_date']) {
    const { data: fields } = v.parse(
      fieldsOf,
      await (await cluster.fetch(`/fields/${collection}`)).json(),
    );
    const { data: rows } = v.parse(rowsOf, await search(collection, { sort: ['id'] }));
    for (const { field, type, meta } of fields) {
      const concealed = meta?.special === 'conceal';
      const values = rows.map((row) => textual(row[field])).filter((one) => one !== null);
      const operators = operatorsOf(type, concealed);
      const conditions = operators.map((operator) => ({
        [field]: { [operator]: operandOf(operator, values) },
      }));
      const expected = await Promise.all(
        conditions.map(async (filter) => {
          const answer = await search(collection, { filter, fields: ['id'], sort: ['id'] });
          const parsed = v.safeParse(idsOf, answer);
          return parsed.success ? parsed.output.data.map(({ id }) => ({ id: String(id) })) : null;
        }),
      );
      const parameters = operators.map((_, at) => `$f${at}: ${collection}_filter`);
      const parts = operators.map(
        (_, at) => `a${at}: ${collection}(filter: $f${at}, sort: ["id"]) { id }`,
      );
      const { data, errors } = await ask(
        `query Q(${parameters.join(', ')}) { ${parts.join('\n')} }`,
        Object.fromEntries(conditions.map((filter, at) => [`f${at}`, filter])),
      );
      const found: Readonly<Record<string, unknown>> | null = v.parse(
        v.nullable(v.record(v.string(), v.unknown())),
        data ?? null,
      );
      for (const [at, operator] of operators.entries()) {
        t.not(expected[at], null, `REST takes ${field}.${operator}`);
        t.strictSame(
          found?.[`a${at}`],
          expected[at],
          `${field}.${operator} ${JSON.stringify(errors)}`,
        );
      }
    }
    // PostgreSQL has no smallest range.
    const plain = fields.filter(
      ({ field, meta }) => meta?.special !== 'conceal' && field !== 'f_range',
    );
    for (const name of ['min', 'max', 'sum', 'sumDistinct', 'avg'] as const) {
      const taken = plain.flatMap(({ field, type }) =>
        aggregatesField(name, { type, special: [] }) ? [field] : [],
      );
      if (taken.length === 0) continue;
      const answer = v.parse(rowsOf, await search(collection, { aggregate: { [name]: taken } }));
      const query = `{ ${collection}_aggregated { ${name} { ${taken.join(' ')} } } }`;
      const told = await ask(query);
      t.equal(told.errors, undefined, `${query} ${JSON.stringify(told.errors)}`);
      const texts = (value: unknown) =>
        JSON.stringify(value).replace(/"(-?\d+(?:\.\d+)?)"/g, (_, digits: string) =>
          name === 'avg' || digits.length < 16 ? String(Number(digits)) : `"${digits}"`,
        );
      t.equal(
        texts(told.data),
        texts({ [`${collection}_aggregated`]: [{ [name]: answer.data[0]?.[name] }] }),
        `${name} of ${collection}`,
      );
    }
  }
});

t.test('a condition on a document, by variables of its own type and of JSON', async (t) => {
  for (const type of ['GraphQLJsonFilter', 'JSON']) {
    const { data, errors } = await ask(
      `query Q($f: ${type}) { kinds(filter: { f_jsonb: { _json: $f } }, sort: ["id"]) { id } }`,
      { f: { a: { _eq: 1 } } },
    );
    t.equal(errors, undefined, JSON.stringify(errors));
    t.strictSame(data, { kinds: [{ id: '1' }, { id: '2' }, { id: '3' }] }, type);
  }
  const wrong = await ask(
    'query Q($f: String) { kinds(filter: { f_jsonb: { _json: $f } }) { id } }',
    {},
  );
  t.match(wrong.errors, [{ message: /position expecting type "GraphQLJsonFilter"/ }]);
});

t.test('relations that foreign keys alone tell of are written', async (t) => {
  const { data, errors } = await ask(`mutation {
    create_crate_item(data: { label: "c", parcel: [{ note: "p" }, { note: "q" }] }) {
      id parcel(sort: ["note"]) { note crate { label } }
    }
    create_cell_item(data: { x: 1, y: 2, name: "n", pawn: [{}] }) { name }
    create_pawn_item(data: { pawn_cell: { x: 3, y: 4, name: "m" } }) { x y pawn_cell { name } }
  }`);
  t.equal(errors, undefined, JSON.stringify(errors));
  t.match(data, {
    create_crate_item: {
      parcel: [
        { note: 'p', crate: { label: 'c' } },
        { note: 'q', crate: { label: 'c' } },
      ],
    },
    create_pawn_item: { x: 3, y: 4, pawn_cell: { name: 'm' } },
  });
});

t.test('an item that is there is linked by its key, whatever else a document asks', async (t) => {
  const { rows } = await cluster.db.query<{ id: number }>(
    `INSERT INTO crate (label) VALUES ('there') RETURNING id`,
  );
  const id = rows[0]?.id;
  const linked = await ask(`mutation {
    create_parcel_item(data: { note: "n", crate: { id: ${id} } }) { note crate { label } }
  }`);
  t.strictSame(linked, {
    data: { create_parcel_item: { note: 'n', crate: { label: 'there' } } },
  });
  const lacking = await ask(
    'mutation { create_parcel_item(data: { crate: {} }) { note crate { label } } }',
  );
  t.match(lacking, {
    data: { create_parcel_item: null },
    errors: [{ extensions: { code: 'FAILED_VALIDATION', type: 'required' } }],
  });
});

t.test('numbers in a document keep all their digits', async (t) => {
  const { data, errors } = await ask(
    `mutation M($in: Int) {
      create_crate_item(data: {
        label: "n", weights: [750727362669608961, null]
        doc: { a: 750727362669608961, b: [1, 0.5, "x\\n", true, null, $in], c: { d: -9007199254740993 } }
      }) { id }
    }`,
    { in: 7 },
  );
  t.equal(errors, undefined, JSON.stringify(errors));
  const { rows } = await cluster.db.query(
    `SELECT weights::text, doc::text FROM crate WHERE id = $1`,
    [
      v.parse(v.object({ create_crate_item: v.object({ id: v.string() }) }), data).create_crate_item
        .id,
    ],
  );
  t.strictSame(rows, [
    {
      weights: '{750727362669608961,NULL}',
      doc: '{"a": 750727362669608961, "b": [1, 0.5, "x\\n", true, null, 7], "c": {"d": -9007199254740993}}',
    },
  ]);
  const mixed = await ask(
    'mutation { create_crate_item(data: { label: "m", weights: [750727362669608961, "a{"] }) { id } }',
  );
  t.match(mixed.errors, [{ extensions: { code: /INVALID/ } }]);
  const elsewhere = await ask(
    `mutation { update_fields_item(collection: "crate", field: "label",
      data: { meta: { options: { n: 750727362669608961 } } }) { field } }`,
    {},
    '/graphql/system',
  );
  t.match(elsewhere.errors, [{ extensions: { code: 'INVALID_PAYLOAD' } }], 'it is not rounded');
  const found = await ask(
    '{ crate(filter: { doc: { _json: { a: { _eq: 750727362669608961 } } } }) { label } }',
  );
  t.strictSame(found, { data: { crate: [{ label: 'n' }] } });
});

t.test('a method that GraphQL has not is 405 with those that it has', async (t) => {
  for (const path of ['/graphql', '/graphql/system']) {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'SEARCH']) {
      const answer = await cluster.fetch(path, { method, body: '{}' });
      t.equal(answer.status, 405, `${method} ${path}`);
      t.equal(answer.headers.get('allow'), 'GET, POST');
      t.match(await answer.json(), {
        errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED', current: method } }],
      });
    }
  }
});

t.test('the login mode is given as a value, as a text and by variables', async (t) => {
  const email = 'mode@example.com';
  const password = 'a-long-password';
  await cluster.fetch('/users', {
    method: 'POST',
    body: JSON.stringify({ email, password, status: 'active' }),
  });
  for (const [mode, declared] of [
    ['json', ''],
    ['"json"', ''],
    ['$mode', '$mode: auth_mode'],
    ['$mode', '$mode: String'],
    ['$mode', '$mode: String!'],
  ]) {
    const answer = await ask(
      `mutation M($email: String!, $password: String!, ${declared}) {
        auth_login(email: $email, password: $password, mode: ${mode}) { access_token expires refresh_token }
      }`,
      { email, password, mode: 'json' },
      '/graphql/system',
    );
    t.match(
      answer,
      { data: { auth_login: { access_token: /./, expires: /^\d+$/, refresh_token: /./ } } },
      `${mode} ${declared}`,
    );
  }
  const wrong = await ask(
    'mutation { auth_login(email: "a@b.c", password: "x", mode: "other") { access_token } }',
    {},
    '/graphql/system',
  );
  t.match(wrong.errors, [{ extensions: { code: 'GRAPHQL_VALIDATION' } }]);
});

t.test('failures name the error', async (t) => {
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
  t.match(refused, {
    data: { create_author_item: null },
    errors: [{ extensions: { code: 'FAILED_VALIDATION' } }],
  });
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

t.test('the schema describes itself', async (t) => {
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
    flagged: create_fields_item(collection: "tag", data: {
      field: "made", type: "timestamp", schema: { default_value: null },
      meta: { special: ["date-created"], display_options: { relative: true }, options: { a: 1 } }
    }) { meta { special display_options options } }
    fallback: create_fields_item(collection: "tag", data: {
      field: "rank", type: "integer", schema: { default_value: 5 }
    }) { schema { default_value } }
  }`);
  t.strictSame(created, {
    data: {
      create_fields_item: {
        ...{ collection: 'tag', field: 'color', type: 'string' },
        meta: { note: 'a', interface: null },
        schema: { is_nullable: true, data_type: 'character varying' },
      },
      flagged: {
        meta: {
          special: 'date-created',
          display_options: '{"relative":true}',
          options: { a: 1 },
        },
      },
      fallback: { schema: { default_value: '5' } },
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
