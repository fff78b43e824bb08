// @rare @slow

/**
 * Every operator, function and clause on every type of PostgreSQL: each is answered, or refused as
 * INVALID_QUERY. And what operators mean on lists. Of values that are none of the field's type, each
 * operator on each type meets one on the newest PostgreSQL and none on the oldest;
 * `npm run test:long -- type-matrix` takes all.
 */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { sendAs } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

/** Each type with a value as SQL, and one to compare with. */
const TYPES: readonly (readonly [string, string, unknown])[] = [
  ['varchar(255)', "'abc'", 'abc'],
  ['char(5)', "'abc'", 'abc'],
  ['"char"', "'a'", 'a'],
  ['name', "'abc'", 'abc'],
  ['text', "'abc'", 'abc'],
  ['citext', "'abc'", 'ABC'],
  ['boolean', 'true', true],
  ['int2', '5', 5],
  ['int4', '5', 5],
  ['int8', '5', '5'],
  ['real', '1.5', 1.5],
  ['float8', '1.5', 1.5],
  ['numeric(10,5)', '1.5', '1.5'],
  ['date', "'2024-01-01'", '2024-01-01'],
  ['timestamp', "'2024-01-01'", '2024-01-01T00:00:00'],
  ['timestamptz', "'2024-01-01Z'", '2024-01-01T00:00:00Z'],
  ['time', "'10:00'", '10:00:00'],
  ['timetz', "'10:00Z'", '10:00:00+00'],
  ['interval', "'1 day'", '1 day'],
  ['json', `'["a", 5]'`, 'a'],
  ['jsonb', `'["a", 5]'`, 'a'],
  ['uuid', "'00000000-0000-4000-8000-000000000001'", '00000000-0000-4000-8000-000000000001'],
  ['bytea', String.raw`'\x00ff'`, 'a'],
  ['inet', "'10.0.0.1'", '10.0.0.1'],
  ['cidr', "'10.0.0.0/8'", '10.0.0.0/8'],
  ['macaddr', "'08:00:2b:01:02:03'", '08:00:2b:01:02:03'],
  ['hstore', "'a=>1'", '"a"=>"1"'],
  ['int4range', "'[1,5)'", '[1,5)'],
  ['tstzrange', "'[2024-01-01Z,)'", '[2024-01-01,)'],
  ['int4multirange', "'{[1,5)}'", '{[1,5)}'],
  ['mood', "'sad'", 'sad'],
  ['positive', '5', 5],
  ['money', '5', '$5.00'],
  ['xml', "'<a/>'", '<a/>'],
  ['tsvector', "'a b'", 'a'],
  ['tsquery', "'a & b'", 'a'],
  ['bit(3)', "B'101'", '101'],
  ['varbit', "B'101'", '101'],
  ['point', "'(1,2)'", '(1,2)'],
  ['box', "'(1,2),(0,0)'", '(1,2),(0,0)'],
  ['circle', "'<(1,2),3>'", '<(1,2),3>'],
  ['polygon', "'((0,0),(1,1),(1,0))'", '((0,0),(1,1),(1,0))'],
  ['oid', '5', '5'],
  ['regclass', "'pg_class'", 'pg_class'],
  ['pg_lsn', "'0/1'", '0/1'],
  ['ltree', "'a.b'", 'a.b'],
  ['pair', "ROW(1, 'x')", '(1,x)'],
  ['odd_text', "'Abc'", 'Abc'],
  ['text[]', "ARRAY['Ab', 'cd']", 'Ab'],
  ['int4[]', 'ARRAY[1, 5]', 5],
  ['int4[][]', 'ARRAY[[1, 5], [2, 3]]', 5],
  ['timestamptz[]', "ARRAY['2024-01-01Z'::timestamptz]", '2024-01-01T00:00:00Z'],
  ['uuid[]', 'ARRAY[gen_random_uuid()]', '00000000-0000-4000-8000-000000000001'],
  ['json[]', `ARRAY['{"a": 1}'::json]`, '{"a": 1}'],
  ['mood[]', "ARRAY['sad'::mood]", 'sad'],
  ['pair[]', "ARRAY[ROW(1, 'x')::pair]", '(1,x)'],
  ['bytea[]', String.raw`ARRAY['\x00'::bytea]`, 'a'],
  ['citext[]', "ARRAY['Ab'::citext]", 'ab'],
  ['point[]', "ARRAY['(1,2)'::point]", '(1,2)'],
];

const OPERATORS = [
  ...['_eq', '_neq', '_lt', '_lte', '_gt', '_gte', '_in', '_nin', '_between', '_nbetween'],
  ...['_null', '_nnull', '_empty', '_nempty', '_contains', '_ncontains', '_icontains'],
  ...['_nicontains', '_starts_with', '_nstarts_with', '_istarts_with', '_nistarts_with'],
  ...['_ends_with', '_nends_with', '_iends_with', '_niends_with', '_ieq', '_nieq'],
  ...['_intersects', '_nintersects', '_intersects_bbox', '_nintersects_bbox'],
];
const FUNCTIONS = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second', 'count'];
const AGGREGATES = [
  'count',
  'countDistinct',
  'sum',
  'sumDistinct',
  'avg',
  'avgDistinct',
  'min',
  'max',
];

const cluster = await startCluster(t, { workers: 1 });
const { db } = cluster;
const columns = TYPES.map(([type], index) => `c${index} ${type}`).join(', ');
await db.query(`
  CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE EXTENSION ltree;
  CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE DOMAIN positive AS int CHECK (VALUE > 0);
  CREATE TYPE pair AS (a int, b text);
  CREATE COLLATION odd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  CREATE DOMAIN odd_text AS text COLLATE odd;
  CREATE TABLE types (id int PRIMARY KEY, ${columns});
  INSERT INTO types VALUES (1, ${TYPES.map(([, value]) => value).join(', ')});
  INSERT INTO types VALUES (2);
  CREATE TABLE lists (id int PRIMARY KEY, words text[], numbers int[], doc jsonb, loose json);
  CREATE INDEX ON lists USING gin (words);
  CREATE INDEX ON lists USING gin (doc);
  INSERT INTO lists VALUES
    (1, '{Apple,pear}', '{1,5}', '["Apple", 5, true]', '["Apple", "x"]'),
    (2, '{apple}', '{7}', '["5"]', '[1, 2]'),
    (3, '{}', '{}', '[]', '{"a": "Apple"}'),
    (4, NULL, NULL, NULL, NULL)`);
const send = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
const search = (query: object, collection = 'types') =>
  send('SEARCH', `/items/${collection}`, { query });
await until(async () => (await search({}, 'lists')).status === 200, 'the tables are known');

async function upload(collection: string, type: string, content: string) {
  const form = new FormData();
  form.append('file', new Blob([content], { type }), 'file');
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const path = `${cluster.url}/utils/import/${collection}`;
  const answer = await fetch(path, { method: 'POST', headers, body: form });
  const text = await answer.text();
  return { status: answer.status, body: text };
}

/** Asks all of them, some at a time; yields those that are neither answered nor refused rightly. */
async function wrong(queries: readonly object[]): Promise<string[]> {
  const found: string[] = [];
  let answered = 0;
  const waiting = [...queries];
  const ask = async () => {
    for (let query = waiting.shift(); query !== undefined; query = waiting.shift()) {
      const { status, code, body } = await search(query);
      if (status === 200) answered += 1;
      else if (status !== 400 || code !== 'INVALID_QUERY') {
        found.push(`${status} ${JSON.stringify(query)}: ${JSON.stringify(body)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 12 }, ask));
  t.ok(answered > queries.length / 8, `${answered} of ${queries.length} are answered`);
  return found;
}

/** Values of some types that most fields are not of. */
const ODD = ['5', 5, 'x', true, '2024-01-01'];
const IS_WHOLE = process.env.TYPE_MATRIX === 'whole';

/** @param turn which of the odd values it is where not all of them are asked for */
function operandsOf(operator: string, value: unknown, turn: number): unknown[] {
  if (/null|empty/.test(operator)) return [true, false];
  if (/^_n?in$/.test(operator)) return [[value], ['x', '5', true]];
  if (/between/.test(operator)) return [[value, value]];
  if (/intersects/.test(operator)) return [{ type: 'Point', coordinates: [1, 2] }];
  if (IS_WHOLE) return [value, ...ODD];
  return process.env.TEST_ROLE === 'ordinary' ? [value] : [value, ODD[turn % ODD.length]];
}

t.test('every operator on every type', async (t) => {
  const queries = TYPES.flatMap(([, , value], index) =>
    OPERATORS.flatMap((operator, place) =>
      operandsOf(operator, value, index + place).flatMap((operand) => [
        { filter: { [`c${index}`]: { [operator]: operand } } },
        ...(operand === value
          ? [{ filter: { [`c${index}`]: { _some: { [operator]: operand } } } }]
          : []),
      ]),
    ),
  );
  t.strictSame(await wrong(queries), []);
});

t.test('every clause on every type', async (t) => {
  const queries = TYPES.flatMap((_, index) => {
    const field = `c${index}`;
    return [
      { fields: [field] },
      { sort: [field] },
      { sort: [`-${field}`] },
      { groupBy: [field] },
      { groupBy: [field], aggregate: { count: '*' }, sort: [`-${field}`] },
      ...AGGREGATES.map((name) => ({ aggregate: { [name]: field } })),
      ...FUNCTIONS.flatMap((name) => [
        { fields: [`${name}(${field})`] },
        { filter: { [`${name}(${field})`]: { _gte: 0 } } },
        { sort: [`${name}(${field})`] },
        { groupBy: [`${name}(${field})`] },
      ]),
      { fields: [`json(${field}, a.b)`] },
      { filter: { [field]: { _json: { '[0]': { _eq: 'a' } } } } },
    ];
  });
  t.strictSame(await wrong([...queries, { search: 'abc' }, { search: '5' }]), []);
});

/** Rows in arrays are read as objects, and written as texts; names of tables only SQL writes. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'pair[]': /an element that is a row is written as a text/,
  regclass: /can be written only with SQL/,
};

t.test('what is read can be written back', async (t) => {
  const { body } = await search({ filter: { id: 1 } });
  for (const [index, [type]] of TYPES.entries()) {
    const field = `c${index}`;
    const answer = await send('PATCH', '/items/types/1', { [field]: body.data[0][field] });
    const refused = REFUSED[type];
    t.equal(answer.status, refused ? 400 : 200, `${type}: ${JSON.stringify(answer.body)}`);
    if (refused) t.match(JSON.stringify(answer.body), refused);
    else t.strictSame(answer.body.data?.[field], body.data[0][field], type);
    const odd = await send('PATCH', '/items/types/1', { [field]: { strange: [1] } });
    t.ok(odd.status < 500, `${type} meets an object: ${JSON.stringify(odd.body)}`);
    await send('PATCH', '/items/types/1', { [field]: body.data[0][field] });
  }
  const rows = TYPES.findIndex(([type]) => type === 'pair[]');
  const answer = await send('PATCH', '/items/types/1', { [`c${rows}`]: ['(2,"y z")'] });
  t.strictSame(answer.body.data[`c${rows}`], [{ a: 2, b: 'y z' }]);
});

t.test('lists of numbers and of documents are written back as they are read', async (t) => {
  await db.query(`CREATE TABLE exact_lists (id int PRIMARY KEY, b bigint[], n numeric[], d jsonb[], j json[]);
    INSERT INTO exact_lists VALUES
      (1, '{9007199254740993,NULL}', '{1.10,NaN,1e30}', '{"{\\"a\\": 1}","\\"text\\"","[1, 2]",5,true,"null",NULL}',
        '{"{\\"a\\":  1}","\\"5\\"","[1,  2]"}'),
      (2, '{{1,9007199254740993}}', '{}', '{{"{}","[]"},{"\\"x\\"",NULL}}', '{}'), (3, NULL, NULL, NULL, NULL)`);
  await until(async () => (await send('GET', '/items/exact_lists')).status === 200, 'known');
  const stored = async () => {
    const { rows } = await db.query(`SELECT b::text, n::text, d::text,
        (SELECT json_agg(e::jsonb) FROM unnest(j) e) AS j FROM exact_lists ORDER BY id`);
    return rows;
  };
  const before = await stored();
  const { body } = await send('GET', '/items/exact_lists?sort=id');
  t.match(body.data, [
    {
      b: ['9007199254740993', null],
      n: ['1.10', 'NaN', '1000000000000000000000000000000'],
      d: [{ a: 1 }, '"text"', '[1, 2]', 5, true, 'null', null],
    },
    {
      b: [['1', '9007199254740993']],
      d: [
        ['{}', '[]'],
        ['"x"', null],
      ],
    },
    { b: null, n: null, d: null, j: null },
  ]);
  for (const item of body.data) {
    const answer = await send('PATCH', `/items/exact_lists/${item.id}`, item);
    t.strictSame([answer.status, answer.body.data], [200, item], JSON.stringify(answer.body));
  }
  t.strictSame(await stored(), before);
});

t.test('dates before Christ keep their era', async (t) => {
  await db.query(`
    CREATE TABLE eras (id int PRIMARY KEY, d date, ts timestamp, tz timestamptz);
    INSERT INTO eras VALUES (1, '4713-01-01 BC', '4713-01-01 BC', '0001-12-31 23:00Z BC'),
      (2, '0001-02-29 BC', '0001-02-29 10:11:12 BC', '0005-02-29 10:11:12.5Z BC'),
      (3, '0001-01-01', '0001-01-01', '0001-01-01Z'), (4, '-infinity', 'infinity', '-infinity')`);
  await until(async () => (await search({}, 'eras')).status === 200, 'the table is known');
  const { data } = (await search({ sort: ['id'] }, 'eras')).body;
  t.strictSame(data.slice(0, 3), [
    {
      ...{ id: 1, d: '4713-01-01 BC', ts: '4713-01-01T00:00:00 BC' },
      tz: '0001-12-31T23:00:00.000Z BC',
    },
    {
      ...{ id: 2, d: '0001-02-29 BC', ts: '0001-02-29T10:11:12 BC' },
      tz: '0005-02-29T10:11:12.500Z BC',
    },
    { id: 3, d: '0001-01-01', ts: '0001-01-01T00:00:00', tz: '0001-01-01T00:00:00.000Z' },
  ]);
  for (const { id, ...values } of data) {
    for (const [field, value] of Object.entries(values)) {
      const found = await search({ filter: { [field]: { _in: [value] } }, fields: ['id'] }, 'eras');
      t.strictSame(found.body.data, [{ id }], `${field} is found by ${value}`);
    }
    const copy = await send('POST', '/items/eras', { id: id + 10, ...values });
    t.strictSame(copy.body.data, { id: id + 10, ...values }, 'as it was read');
  }
  const before = await search(
    { filter: { tz: { _lt: '0001-01-01T00:00:00Z' } }, fields: ['id'], sort: ['id'] },
    'eras',
  );
  t.strictSame(
    before.body.data.map(({ id }: { id: number }) => id),
    [1, 2, 4, 11, 12, 14],
  );
  const lines = data.map((item: { id: number }) => ({ ...item, id: item.id + 20 }));
  const csv = ['id,d,ts,tz', ...lines.map((line: object) => Object.values(line).join(','))];
  const files: readonly [string, string, number][] = [
    ['text/csv', csv.join('\n'), 0],
    [
      'application/json',
      JSON.stringify(lines.map((line: { id: number }) => ({ ...line, id: line.id + 10 }))),
      10,
    ],
  ];
  for (const [type, content, more] of files) {
    t.equal((await upload('eras', type, content)).status, 200, type);
    const filter = { id: { _between: [21 + more, 24 + more] } };
    const kept = await search({ filter, sort: ['id'] }, 'eras');
    t.strictSame(
      kept.body.data,
      lines.map((line: { id: number }) => ({ ...line, id: line.id + more })),
      type,
    );
  }
});

t.test('values that are none of their type are the fault of whoever sends them', async (t) => {
  await db.query(`
    CREATE TABLE odd (id serial PRIMARY KEY, cls regclass, typ regtype, prc regproc, rol regrole,
      cfg regconfig, many regclass[], vec tsvector, qry tsquery, pth jsonpath, doc xml);
    CREATE TABLE unknown_to_all (id int PRIMARY KEY)`);
  await until(async () => (await search({}, 'odd')).status === 200, 'the table is known');
  const long = 'x'.repeat(3_000);
  const names = [
    'unknown_to_all',
    'nothing',
    'a.b',
    'a.b.c',
    'a.b.c.d',
    '"',
    '',
    '-',
    '1',
    '1259',
    long,
  ];
  const values: Readonly<Record<string, readonly unknown[]>> = {
    ...{
      cls: names,
      typ: ['int4', ...names],
      prc: names,
      rol: names,
      cfg: [...names.slice(1), {}],
    },
    many: names.map((name) => [name]),
    vec: ["'", '\\', `'${long}'`, { a: 1 }, 'a:999999', long],
    qry: ['a\\', '(', "'", '& a', long, '!', 'a <99999> b'],
    pth: [
      'abc',
      '$.',
      '$ ? (@ like_regex "(")',
      '$ ? (@ like_regex "a" flag "x")',
      '$[9999999999999]',
      '',
    ],
    doc: [
      '<',
      '<a>',
      '<a></b>',
      '&',
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    ],
  };
  for (const [field, list] of Object.entries(values)) {
    const distinct = new Set<string>();
    for (const value of list) {
      const answer = await send('POST', '/items/odd', { [field]: value });
      t.ok(answer.status < 500, `${field} = ${String(value).slice(0, 40)}: ${answer.status}`);
      if (/^(?:cls|typ|prc|rol|many)$/.test(field)) distinct.add(JSON.stringify(answer.body));
    }
    const file = `${field}\n${list.map((value) => `"${String(value).replaceAll('"', '""')}"`).join('\n')}\n`;
    const imported = await upload('odd', 'text/csv', file);
    t.ok(imported.status < 500, `${field}: ${imported.status} ${JSON.stringify(imported.body)}`);
    if (distinct.size === 0) continue;
    t.equal(distinct.size, 1, `${field} tells nothing of what exists`);
    const known = field === 'many' ? '{unknown_to_all}' : 'unknown_to_all';
    const one = await upload('odd', 'text/csv', `${field}\n"${known}"\n`);
    t.equal(one.status, 400, `${field}: nor do imports`);
  }
});

t.test('lists hold what is asked for', async (t) => {
  const ids = async (filter: object) => {
    const { body, code } = await search({ filter, fields: ['id'], sort: ['id'] }, 'lists');
    return code ?? body.data.map(({ id }: { id: number }) => id);
  };
  for (const [filter, expected] of [
    [{ words: { _contains: 'Apple' } }, [1]],
    [{ words: { _ncontains: 'Apple' } }, [2, 3]],
    [{ words: { _icontains: 'APPLE' } }, [1, 2]],
    [{ words: { _contains: 'App' } }, []],
    [{ words: { _starts_with: 'App' } }, [1]],
    [{ words: { _nstarts_with: 'App' } }, [2, 3]],
    [{ words: { _iends_with: 'LE' } }, [1, 2]],
    [{ words: { _some: { _eq: 'pear' } } }, [1]],
    [{ words: { _none: { _eq: 'pear' } } }, [2, 3]],
    [{ words: { _some: { _in: ['pear', 'apple'] } } }, [1, 2]],
    [{ words: { _empty: true } }, [3, 4]],
    [{ words: { _nempty: true } }, [1, 2]],
    [{ words: { _null: true } }, [4]],
    [{ numbers: { _contains: 5 } }, [1]],
    [{ numbers: { _some: { _gt: 5 } } }, [2]],
    [{ numbers: { _some: { _gte: 1, _lt: 2 } } }, [1]],
    [{ numbers: { _contains: 'x' } }, 'INVALID_QUERY'],
    [{ numbers: { _contains: 1.5 } }, 'INVALID_QUERY'],
    [{ doc: { _contains: 'Apple' } }, [1]],
    [{ doc: { _contains: 5 } }, [1]],
    [{ doc: { _contains: '5' } }, [2]],
    [{ doc: { _contains: true } }, [1]],
    [{ doc: { _ncontains: 'Apple' } }, [2, 3]],
    [{ doc: { _icontains: 'APPLE' } }, [1]],
    [{ doc: { _some: { _starts_with: 'App' } } }, [1]],
    [{ doc: { _none: { _eq: 'Apple' } } }, [2, 3]],
    [{ doc: { _empty: true } }, [3, 4]],
    [{ loose: { _contains: 'Apple' } }, [1]],
    [{ loose: { _some: { _gt: 1 } } }, [1, 2]],
    [{ 'count(words)': { _eq: 2 } }, [1]],
    [{ 'count(words)': { _eq: 0 } }, [3]],
    [{ 'count(loose)': { _eq: 2 } }, [1, 2]],
    [{ words: { _some: { nothing: { _eq: 1 } } } }, 'FORBIDDEN'],
    [{ words: { _contains: '$CURRENT_USER' } }, []],
  ] as const) {
    t.strictSame(await ids(filter), expected, JSON.stringify(filter));
  }
  const url = await send('GET', '/items/lists?fields=id&filter[doc][_contains]=5&sort=id');
  t.strictSame(
    url.body.data.map(({ id }: { id: number }) => id),
    [1, 2],
    'in a URL a number may be a text or a number',
  );
  const counted = await search(
    { fields: ['count(words)'], sort: ['-count(words)'], limit: 2 },
    'lists',
  );
  t.equal(counted.status, 200);
  for (const condition of [
    `words @> ARRAY['a']::text[]::"pg_catalog"."_text"`,
    `(doc)::jsonb @> '["a"]'::jsonb`,
  ]) {
    const client = await db.connect();
    await client.query('SET enable_seqscan = off');
    const { rows } = await client.query(`EXPLAIN SELECT FROM lists WHERE ${condition}`);
    client.release();
    t.match(JSON.stringify(rows), /Bitmap Index Scan/, condition);
  }
});
