// @quick
/** One example for every parameter, operator, variable and function of the query language. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

interface Answer {
  readonly data?: unknown;
  readonly meta?: unknown;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

type Parameters = Readonly<Record<string, unknown>>;

/** Asks by GET with JSON texts, and by SEARCH with plain values; both must answer alike. */
async function ask(collection: string, query: Parameters): Promise<Answer> {
  const url = new URL(`/items/${collection}`, cluster.url);
  for (const [name, value] of Object.entries(query)) {
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const got = await bodyOf<Answer>(await cluster.fetch(url.pathname + url.search));
  const body = JSON.stringify({ query });
  const searched = await cluster.fetch(url.pathname, { method: 'SEARCH', body });
  t.strictSame(await bodyOf<Answer>(searched), got, `${collection} by SEARCH as by GET`);
  return got;
}

/** The ids of the kinds that a filter finds. */
async function idsOf(filter: unknown, collection = 'kinds'): Promise<unknown> {
  const { data, errors } = await ask(collection, { filter, fields: 'id', limit: -1 });
  if (errors !== undefined) return errors[0]?.extensions.code;
  return Array.isArray(data) ? data.map(({ id }) => id) : data;
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  await cluster.db.query(`
    CREATE TABLE kinds (id int PRIMARY KEY, word text, n int, exact numeric(10,2), flag boolean,
      day date, at time, local timestamp, instant timestamptz, doc jsonb, uid uuid, secret text,
      list text);
    INSERT INTO kinds VALUES
      (1, 'Apple', 1, 1.5, true, '2024-01-15', '08:30:05', '2024-01-15 08:30:05',
        '2024-01-15 08:30:05.5Z', '{"a": {"b": [10, 20]}}', '00000000-0000-4000-8000-000000000001',
        'hush', 'x,y'),
      (2, 'banana', 2, 2.5, false, '2024-02-15', '09:30:05', '2024-02-15 09:30:05',
        '2024-02-15 09:30:05Z', '[1, 2, 3]', '00000000-0000-4000-8000-000000000002', 'hush', ''),
      (3, 'Apricot_%', 3, 3.5, NULL, '2025-03-15', '10:30:05', '2025-03-15 10:30:05',
        '2025-03-15 10:30:05Z', NULL, NULL, NULL, NULL),
      (4, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
      (5, NULL, 5, NULL, true, NULL, NULL, NULL, now() + interval '1 hour', NULL, NULL, NULL, NULL);
    INSERT INTO system_fields (collection, field, special, searchable) VALUES
      ('kinds', 'secret', 'conceal', true), ('kinds', 'list', 'cast-csv', true);`);
  await until(
    async () => (await (await cluster.fetch('/items/kinds?fields=secret')).text()).includes('***'),
    'the new table and its fields are known',
  );
});

const OPERATORS: readonly [string, unknown, unknown][] = [
  ['_eq', { word: { _eq: 'Apple' } }, [1]],
  ['_eq, short', { word: 'Apple' }, [1]],
  ['_eq null', { word: { _eq: null } }, [5]],
  ['_eq true', { flag: { _eq: true } }, [1, 5]],
  ['_neq', { word: { _neq: 'Apple' } }, [2, 3, 4]],
  ['_neq null', { word: { _neq: null } }, [1, 2, 3, 4]],
  ['_lt', { n: { _lt: 2 } }, [1]],
  ['_lt with a fraction', { n: { _lt: 1.5 } }, [1]],
  ['_lte', { n: { _lte: 2 } }, [1, 2]],
  ['_gt', { day: { _gt: '2024-02-01' } }, [2, 3]],
  ['_gte', { exact: { _gte: '2.5' } }, [2, 3]],
  ['_in list', { n: { _in: [1, 3] } }, [1, 3]],
  ['_in comma text', { n: { _in: '1,3' } }, [1, 3]],
  ['_in object', { n: { _in: { 0: 1, 1: 3 } } }, [1, 3]],
  ['_in empty', { n: { _in: [] } }, 'INVALID_QUERY'],
  ['_nin', { n: { _nin: [1, 3] } }, [2, 5]],
  ['_nin with null', { n: { _nin: [1, null] } }, []],
  ['_nin of null alone', { n: { _nin: [null] } }, []],
  ['_in with null', { n: { _in: [1, null] } }, [1]],
  ['_in of null alone', { n: { _in: [null] } }, []],
  ['_in of nulls, in texts', { word: { _in: [null, null] } }, []],
  ['_in of null, or another', { _or: [{ n: { _in: [null] } }, { n: 1 }] }, [1]],
  ['_between', { n: { _between: [2, 3] } }, [2, 3]],
  ['_between comma text', { n: { _between: '2,3' } }, [2, 3]],
  ['_between with one value', { n: { _between: [2] } }, 'INVALID_QUERY'],
  ['_nbetween', { n: { _nbetween: [2, 3] } }, [1, 5]],
  ['_null', { word: { _null: true } }, [5]],
  ['_null false', { word: { _null: false } }, [1, 2, 3, 4]],
  ['_nnull', { word: { _nnull: true } }, [1, 2, 3, 4]],
  ['_empty', { word: { _empty: true } }, [4, 5]],
  ['_nempty', { word: { _nempty: true } }, [1, 2, 3]],
  ['_contains', { word: { _contains: 'p' } }, [1, 3]],
  ['_contains, case', { word: { _contains: 'a' } }, [2]],
  ['_contains, wildcards are letters', { word: { _contains: '_%' } }, [3]],
  ['_ncontains', { word: { _ncontains: 'p' } }, [2, 4]],
  ['_icontains', { word: { _icontains: 'A' } }, [1, 2, 3]],
  ['_nicontains', { word: { _nicontains: 'A' } }, [4]],
  ['_starts_with', { word: { _starts_with: 'Ap' } }, [1, 3]],
  ['_nstarts_with', { word: { _nstarts_with: 'Ap' } }, [2, 4]],
  ['_istarts_with', { word: { _istarts_with: 'aP' } }, [1, 3]],
  ['_nistarts_with', { word: { _nistarts_with: 'aP' } }, [2, 4]],
  ['_ends_with', { word: { _ends_with: 'e' } }, [1]],
  ['_nends_with', { word: { _nends_with: 'e' } }, [2, 3, 4]],
  ['_iends_with', { word: { _iends_with: 'NA' } }, [2]],
  ['_niends_with', { word: { _niends_with: 'NA' } }, [1, 3, 4]],
  ['_ieq', { word: { _ieq: 'apple' } }, [1]],
  ['_nieq', { word: { _nieq: 'apple' } }, [2, 3, 4]],
  ['_intersects without PostGIS', { word: { _intersects: {} } }, 'INVALID_QUERY'],
  ['_regex is for validation', { word: { _regex: 'a' } }, 'INVALID_QUERY'],
  ['_and', { _and: [{ n: { _gt: 1 } }, { n: { _lt: 3 } }] }, [2]],
  ['_or', { _or: [{ n: 1 }, { n: 5 }] }, [1, 5]],
  ['_or with an empty object', { _or: [{ n: 1 }, {}] }, 'INVALID_QUERY'],
  ['an empty filter', {}, [1, 2, 3, 4, 5]],
  ['several members', { n: { _gt: 1, _lt: 3 }, flag: false }, [2]],
  ['an unknown operator', { n: { _foo: 1 } }, 'INVALID_QUERY'],
  ['an unknown field', { nope: 1 }, 'FORBIDDEN'],
  ['a path through a plain column', { word: { x: 1 } }, 'FORBIDDEN'],
];

t.test('filter operators', async (t) => {
  for (const [name, filter, expected] of OPERATORS) {
    t.strictSame(await idsOf(filter), expected, name);
  }
});

t.test('each type takes its operators only', async (t) => {
  const refused: readonly unknown[] = [
    { uid: { _contains: '0' } },
    { flag: { _gt: true } },
    { n: { _contains: '1' } },
    { day: { _contains: '2024' } },
    { doc: { _eq: '1' } },
    { secret: { _eq: 'hush' } },
    { secret: { _starts_with: 'h' } },
    { word: { _lt: 'b' } },
    { n: { _eq: 'one' } },
    { n: { _eq: {} } },
    { n: { _eq: [1] } },
    { n: { _gt: '' } },
    { n: { _gt: 2 ** 60 } },
    { word: { _null: 'perhaps' } },
    { uid: { _eq: 'no-uuid' } },
    { day: { _eq: '2024-13-01' } },
    { instant: { _gt: 'soon' } },
  ];
  for (const filter of refused) {
    t.equal(await idsOf(filter), 'INVALID_QUERY', JSON.stringify(filter));
  }
  t.strictSame(await idsOf({ secret: { _nnull: true } }), [1, 2]);
  t.strictSame(await idsOf({ doc: { _null: true } }), [3, 4, 5]);
  t.strictSame(await idsOf({ uid: { _in: '00000000-0000-4000-8000-000000000002' } }), [2]);
  t.strictSame(await idsOf({ at: { _gte: '09:30:05' } }), [2, 3]);
  t.strictSame(await idsOf({ local: { _between: ['2024-01-01', '2024-12-31'] } }), [1, 2]);
});

t.test('_json compares members of a document', async (t) => {
  const inside = (condition: unknown) => idsOf({ doc: { _json: condition } });
  t.strictSame(await inside({ 'a.b[0]': { _eq: 10 } }), [1]);
  t.strictSame(await inside({ 'a.b[1]': { _gt: 15, _lt: 25 } }), [1]);
  t.strictSame(await inside({ 'a.b[1]': '20' }), [1], 'numbers compare by value, in any spelling');
  t.strictSame(await inside({ '[2]': { _in: [3, 4] } }), [2]);
  t.strictSame(await inside({ a: { _contains: '20' } }), [1], 'a part compares as its text');
  t.strictSame(await inside({ 'a.b': { _nnull: true } }), [1]);
  t.strictSame(await inside({ 'a.b': { _null: true } }), [2, 3, 4, 5]);
  t.strictSame(await inside({ 'a.b[9]': { _neq: 10 } }), [], 'what is absent is null');
  t.strictSame(await inside({ 'a.b.0': 10 }), [1], 'a number is an element of a list, too');
  t.strictSame(await inside({ a: '' }), [], 'an empty text is a text, and no null');
  t.strictSame(await inside({ _or: [{ 'a.b[0]': 10 }, { '[0]': { _lte: 1 } }] }), [1, 2]);
  t.strictSame(await inside({ _and: [{ 'a.b[0]': 10 }, { 'a.b[1]': 10 }] }), []);
  for (const refused of [
    {},
    { a: { b: { _eq: 10 } } },
    { 'a..b': 10 },
    { 'a.': 10 },
    { '.a': 10 },
    { '': 10 },
    { 'a.b[*]': 10 },
    { '*': 10 },
    { 'a.b.*': 10 },
    { '$.a.b': 10 },
    { 'a.b[-1]': 10 },
    { 'a["b"]': 10 },
    { 'a[': 10 },
    { 'a.b[0]c': 10 },
    { 'a\0': 10 },
    { 'a.b': { _json: { c: 1 } } },
    { a: { _some: { b: 1 } } },
    { a: { _foo: 1 } },
    { a: { _eq: { b: 1 } } },
    { _eq: 1 },
    { [Array(11).fill('a').join('.')]: 1 },
    5,
  ]) {
    t.equal(await inside(refused), 'INVALID_QUERY', JSON.stringify(refused));
  }
  t.equal(await idsOf({ secret: { _json: { a: 1 } } }), 'INVALID_QUERY');
  t.equal(await idsOf({ nope: { _json: { a: 1 } } }), 'FORBIDDEN');
});

t.test('functions as keys', async (t) => {
  const cases: readonly [unknown, unknown][] = [
    [{ 'year(day)': { _eq: 2024 } }, [1, 2]],
    [{ 'month(instant)': { _in: [1, 3] } }, [1, 3]],
    [{ 'week(day)': { _eq: 3 } }, [1]],
    [{ 'day(local)': 15 }, [1, 2, 3]],
    [{ 'weekday(day)': { _eq: 1 } }, [1]],
    [{ 'hour(at)': { _gt: 8 } }, [2, 3]],
    [{ 'minute(at)': { _eq: 30 } }, [1, 2, 3]],
    [{ 'second(instant)': { _lt: 6 } }, [1, 2, 3]],
    [{ 'count(doc)': { _eq: 3 } }, [2]],
    [{ 'year(word)': { _eq: 1 } }, 'INVALID_QUERY'],
    [{ 'hour(day)': { _eq: 1 } }, 'INVALID_QUERY'],
    [{ 'year(nope)': { _eq: 1 } }, 'FORBIDDEN'],
  ];
  for (const [filter, expected] of cases) {
    const found = await idsOf(filter);
    const known = Array.isArray(found) ? found.filter((id) => id !== 5) : found;
    t.strictSame(known, expected, JSON.stringify(filter));
  }
  t.strictSame(await idsOf({ 'count(comments)': { _gt: 2 } }, 'articles'), []);
  t.strictSame(
    (
      await ask('articles', {
        filter: { author_id: { 'year(created_at)': 2020 } },
        aggregate: { count: '*' },
      })
    ).data,
    [{ count: '30' }],
  );
});

t.test('dynamic variables', async (t) => {
  t.strictSame(await idsOf({ instant: { _gt: '$NOW' } }), [5]);
  t.strictSame(await idsOf({ instant: { _gt: '$NOW(+2 hours)' } }), []);
  t.strictSame(await idsOf({ instant: { _between: ['$NOW(-1 day)', '$NOW(+1 day)'] } }), [5]);
  t.strictSame(await idsOf({ uid: { _eq: '$CURRENT_USER' } }), []);
  t.strictSame(await idsOf({ uid: { _in: ['$CURRENT_ROLES'] } }), []);
  t.strictSame(await idsOf({ uid: { _nin: ['$CURRENT_POLICIES'] } }), [1, 2]);
});

t.test('filters across relations', async (t) => {
  const article = (filter: unknown) => idsOf(filter, 'articles');
  t.strictSame(await article({ author_id: { name: { _eq: 'Author 3' } } }), [2, 12, 22]);
  t.strictSame(await article({ comments: { body: { _in: 'Comment 1,Comment 31' } } }), [2]);
  t.strictSame(await article({ comments: { _some: { body: 'Comment 1', id: 31 } } }), []);
  t.strictSame(await article({ comments: { body: 'Comment 1', id: 31 } }), [2]);
  t.strictSame(await article({ comments: { _none: { id: { _gt: 2 } } }, id: { _lt: 5 } }), []);
  t.strictSame(await article({ comments: { _null: true } }), []);
  t.strictSame(await article({ tags: { tags_id: { name: 'tag-2' } }, id: { _lt: 6 } }), [1, 3]);
  t.strictSame(await article({ comments: { _eq: 1 } }), [2]);
  const page = (filter: unknown) => idsOf(filter, 'pages');
  t.strictSame(await page({ blocks: { 'item:block_hero': { headline: 'Hello' } } }), [1]);
  t.strictSame(await page({ blocks: { 'item:block_text': { content: 'Hello' } } }), []);
  t.equal(await page({ blocks: { item: { headline: 'Hello' } } }), 'INVALID_QUERY');
  t.equal(await article({ author_id: { nope: 1 } }), 'FORBIDDEN');
  t.equal(await article({ _some: { id: 1 } }), 'INVALID_QUERY');
  t.equal(await article({ author_id: { _some: { id: 1 } } }), 'INVALID_QUERY');
});

t.test('fields', async (t) => {
  const one = async (collection: string, fields: unknown, more: Parameters = {}) => {
    const { data, errors } = await ask(collection, { fields, limit: 1, ...more });
    return errors === undefined && Array.isArray(data) ? data[0] : errors?.[0]?.extensions.code;
  };
  t.strictSame(await one('tags', '*'), {
    id: 1,
    name: 'tag-1',
    articles: [5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60],
  });
  t.strictSame(await one('articles', 'id,author_id'), { id: 1, author_id: 2 });
  t.strictSame(await one('articles', 'author_id.name'), { author_id: { name: 'Author 2' } });
  t.strictSame(await one('articles', 'comments.id,tags.tags_id.name'), {
    comments: [{ id: 30 }, { id: 60 }],
    tags: [{ tags_id: { name: 'tag-2' } }, { tags_id: { name: 'tag-3' } }],
  });
  t.strictSame(await one('pages', '*.*'), {
    id: 1,
    title: 'Home',
    blocks: [
      { id: 1, pages_id: 1, item: '1', collection: 'block_hero' },
      { id: 2, pages_id: 1, item: '1', collection: 'block_text' },
    ],
  });
  t.strictSame(await one('pages', 'blocks.item:block_hero.headline'), {
    blocks: [{ item: { headline: 'Hello' } }, { item: '1' }],
  });
  t.strictSame(await one('pages', 'blocks.item.id'), {
    blocks: [{ item: { id: 1 } }, { item: { id: 1 } }],
  });
  t.strictSame(await one('kinds', 'year(day),month(day),second(at),count(doc)'), {
    day_year: '2024',
    day_month: '1',
    at_second: '5',
    doc_count: null,
  });
  t.strictSame(await one('kinds', 'json(doc, a.b[1])'), { doc_a_b_1_json: 20 });
  t.strictSame(await one('articles', 'year(author_id.created_at),count(comments)'), {
    author_id: { created_at_year: '2020' },
    comments_count: '2',
  });
  t.strictSame(await one('kinds', 'secret,list'), { secret: '**********', list: ['x', 'y'] });
  t.equal(await one('articles', 'nope'), 'FORBIDDEN');
  t.equal(await one('articles', 'title.x'), 'FORBIDDEN');
  t.equal(await one('articles', 'author_id.nope'), 'FORBIDDEN');
});

t.test('backlink keeps wildcards from going back', async (t) => {
  const fields = 'comments.*.*';
  const there = await ask('articles', { fields, limit: 1 });
  t.match(there.data, [{ comments: [{ id: 30, article_id: { id: 1 } }, {}] }]);
  const notBack = await ask('articles', { fields, limit: 1, backlink: false });
  t.match(notBack.data, [{ comments: [{ id: 30, article_id: 1 }, {}] }]);
});

t.test('search', async (t) => {
  const found = async (search: string) => {
    const { data } = await ask('kinds', { search, fields: 'id' });
    return Array.isArray(data) ? data.map(({ id }) => id) : data;
  };
  t.strictSame(await found('APPLE'), [1]);
  t.strictSame(await found('2'), [2]);
  t.strictSame(await found('2.5'), [2]);
  t.strictSame(await found('00000000-0000-4000-8000-000000000001'), [1]);
  t.strictSame(await found('hush'), [], 'concealed fields are not searched');
  t.strictSame(await found('%'), [3], 'wildcards are letters');
  for (const blank of ['', '  ', '\t']) {
    t.strictSame(await found(blank), [1, 2, 3, 4, 5], 'blanks are no search');
  }
});

t.test('sort', async (t) => {
  const sorted = async (sort: string, collection = 'kinds', limit = 5) => {
    const { data, errors } = await ask(collection, { sort, fields: 'id', limit });
    return Array.isArray(data) ? data.map(({ id }) => id) : errors?.[0]?.extensions.code;
  };
  t.strictSame(await sorted('n'), [1, 2, 3, 5, 4], 'nulls last');
  t.strictSame(await sorted('-n'), [4, 5, 3, 2, 1], 'nulls first');
  t.strictSame(await sorted('flag,-id'), [2, 5, 1, 4, 3]);
  t.strictSame(await sorted('author_id.name,-id', 'articles', 3), [30, 20, 10]);
  t.strictSame(await sorted('-year(day),id'), [4, 5, 3, 1, 2]);
  t.strictSame(await sorted('-count(comments),id', 'articles', 3), [1, 2, 3]);
  t.strictSame(await sorted('json(doc, a.b[0])'), [1, 2, 3, 4, 5]);
  t.equal(await sorted('nope'), 'FORBIDDEN');
  t.equal(await sorted('?'), 'FORBIDDEN');
  t.equal(await sorted('secret'), 'FORBIDDEN');
  t.equal(await sorted('comments.nope', 'articles'), 'FORBIDDEN');
});

t.test('aggregate and groupBy', async (t) => {
  const all = async (query: Parameters) => (await ask('articles', query)).data;
  t.strictSame(await all({ aggregate: { count: '*' } }), [{ count: '30' }]);
  t.strictSame(await all({ aggregate: { count: 'id,published_at' } }), [
    { count: { id: '30', published_at: '10' } },
  ]);
  t.strictSame(await all({ aggregate: { countAll: '*' } }), [{ countAll: '30' }]);
  t.strictSame(
    await all({ aggregate: { countDistinct: 'status', sum: 'views', min: 'views', max: 'views' } }),
    [
      {
        countDistinct: { status: '3' },
        sum: { views: '4650' },
        min: { views: 10 },
        max: { views: 300 },
      },
    ],
  );
  t.match(await all({ aggregate: { avg: 'views' } }), [{ avg: { views: /^155\.0+$/ } }]);
  t.strictSame(await all({ aggregate: { sumDistinct: 'author_id' } }), [
    { sumDistinct: { author_id: '55' } },
  ]);
  t.strictSame(await all({ groupBy: 'status', aggregate: { count: '*' }, sort: '-status' }), [
    { status: 'published', count: '10' },
    { status: 'draft', count: '10' },
    { status: 'archived', count: '10' },
  ]);
  t.strictSame(
    await all({ groupBy: ['year(published_at)'], aggregate: { sum: 'views' }, sort: '-sum.views' }),
    [
      { published_at_year: null, sum: { views: '3200' } },
      { published_at_year: '2021', sum: { views: '1450' } },
    ],
  );
  t.strictSame(await all({ groupBy: 'author_id', limit: 2, page: 2 }), [
    { author_id: 3 },
    { author_id: 4 },
  ]);
  const refused = async (query: Parameters, collection = 'articles') =>
    (await ask(collection, query)).errors?.[0]?.extensions.code;
  t.equal(await refused({ aggregate: { median: 'views' } }), 'INVALID_QUERY');
  t.equal(await refused({ aggregate: { sum: 'title' } }), 'INVALID_QUERY');
  t.equal(await refused({ aggregate: { sum: 'nope' } }), 'FORBIDDEN');
  t.equal(await refused({ aggregate: { max: 'secret' } }, 'kinds'), 'FORBIDDEN');
  t.equal(await refused({ groupBy: 'secret', aggregate: { count: '*' } }, 'kinds'), 'FORBIDDEN');
});

t.test('deep and alias', async (t) => {
  const deep = async (query: Parameters) =>
    (await ask('articles', { limit: 1, filter: { id: 1 }, ...query })).data;
  const fields = 'comments.id';
  const only = (...ids: number[]) => [{ comments: ids.map((id) => ({ id })) }];
  t.strictSame(await deep({ fields, deep: { comments: { _limit: 1 } } }), only(30));
  t.strictSame(await deep({ fields, deep: { comments: { _sort: '-id' } } }), only(60, 30));
  t.strictSame(await deep({ fields, deep: { comments: { _offset: 1 } } }), only(60));
  t.strictSame(await deep({ fields, deep: { comments: { _limit: 1, _page: 2 } } }), only(60));
  t.strictSame(await deep({ fields, deep: { comments: { _filter: { id: 60 } } } }), only(60));
  t.strictSame(await deep({ fields, deep: { comments: { _search: 'comment 30' } } }), only(30));
  t.strictSame(
    await deep({ fields: 'comments', deep: { comments: { _fields: 'id' } } }),
    only(30, 60),
  );
  t.strictSame(
    await deep({ fields: 'comments', deep: { comments: { _aggregate: { count: '*' } } } }),
    [{ comments: [{ count: '2' }] }],
  );
  t.strictSame(
    await deep({ fields: 'author_id.id', deep: { author_id: { _filter: { id: 99 } } } }),
    [{ author_id: null }],
  );
  t.strictSame(
    await deep({
      fields: 'comments.again.id',
      deep: { comments: { _alias: { again: 'article_id' }, _limit: 1 } },
    }),
    [{ comments: [{ again: { id: 1 } }] }],
  );
  t.strictSame(
    await deep({
      alias: { last: 'comments', all: 'comments', name: 'title' },
      fields: 'last.id,all.id,name',
      deep: { last: { _sort: ['-id'], _limit: 1 } },
    }),
    [{ last: [{ id: 60 }], all: [{ id: 30 }, { id: 60 }], name: 'Article 1' }],
  );
  const { errors } = await ask('articles', { alias: { 'a.b': 'title' } });
  t.match(errors, [{ extensions: { code: 'INVALID_QUERY' } }]);
});

t.test('every spelling of a parameter asks the same', async (t) => {
  const get = async (search: string, collection = 'kinds') => {
    const { data, errors } = await bodyOf<Answer>(
      await cluster.fetch(`/items/${collection}?${search}`),
    );
    return errors?.[0]?.extensions.code ?? data;
  };
  const expected = [{ id: 1, word: 'Apple' }];
  for (const search of [
    'fields[]=id&fields[]=word&filter[word][_eq]=Apple',
    'fields[0]=id&fields[1]=word&filter[_and][0][word][_eq]=Apple',
    'fields=id,word&filter={"word":"Apple"}',
    'fields=["id,word"]&filter[word]=Apple',
    'fields[]=id,word&filter[n][_in][0]=1&filter[n][_in][1]=7',
    'fields=id,word&filter[n][_in]=1,7',
    'fields=id,word&filter[n][_in][]=1&filter[flag][_eq]=true&limit=1',
    'fields=id,word&filter[_or][0][n][_eq]=1&filter[_or][1][n]=7',
  ]) {
    t.strictSame(await get(search), expected, search);
  }
  t.strictSame(await get('fields=id&filter[word][_eq]=null'), [{ id: 5 }]);
  t.strictSame(await get('fields=id&filter[word][_eq]=NULL'), [{ id: 5 }]);
  t.strictSame(await get('fields=id&filter[flag][_eq]=false'), [{ id: 2 }]);
  t.strictSame(await get('aggregate[count]=*&groupBy[]=flag&sort=-count&limit=1'), [
    { flag: true, count: '2' },
  ]);
  t.strictSame(await get('alias[w]=word&fields=w&limit=1'), [{ w: 'Apple' }]);
  const nested = 'fields=comments.id&deep[comments][_sort]=-id&deep[comments][_limit]=1&limit=1';
  t.strictSame(await get(nested, 'articles'), [{ comments: [{ id: 60 }] }]);
  const whole = await get('limit=1');
  t.strictSame(Object.keys(Array.isArray(whole) ? whole[0] : {}).length, 13, 'fields is *');
  t.equal(await get('filter={"word":'), 'INVALID_QUERY');
});

t.test('limit, offset and page', async (t) => {
  const ids = async (query: Parameters, collection = 'kinds') => {
    const { data } = await ask(collection, { fields: 'id', ...query });
    return Array.isArray(data) ? data.map(({ id }) => id) : data;
  };
  t.strictSame(await ids({ limit: 2 }), [1, 2]);
  t.strictSame(await ids({ limit: 0 }), []);
  t.strictSame(await ids({ limit: -1 }), [1, 2, 3, 4, 5]);
  t.strictSame(await ids({ limit: 2, offset: 1 }), [2, 3]);
  t.strictSame(await ids({ limit: 2, page: 2 }), [3, 4]);
  t.strictSame(await ids({ limit: 2, page: 2, offset: 4 }), [3, 4], 'page wins over offset');
  t.strictSame(await ids({ limit: 2, page: 0 }), [1, 2]);
  t.strictSame(await ids({ limit: -1, page: 3 }), [1, 2, 3, 4, 5], 'there are no pages of all');
});

t.test('every function shows its part, under its own name', async (t) => {
  const { data } = await ask('kinds', {
    fields: ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second']
      .map((name) => `${name}(local)`)
      .join(),
    limit: 1,
  });
  t.strictSame(data, [
    {
      local_year: '2024',
      local_month: '1',
      local_week: '3',
      local_day: '15',
      local_weekday: '1',
      local_hour: '8',
      local_minute: '30',
      local_second: '5',
    },
  ]);
});

t.test('a many-to-any is sorted, shaped and filtered by collection', async (t) => {
  const blocks = async (query: Parameters) => (await ask('pages_blocks', query)).data;
  t.strictSame(await blocks({ fields: 'id', sort: '-item:block_hero.headline,-id', limit: 2 }), [
    { id: 2 },
    { id: 1 },
  ]);
  t.strictSame(
    await blocks({
      fields: 'item:block_hero.headline',
      deep: { 'item:block_hero': { _filter: { headline: { _neq: 'Hello' } } } },
      limit: 1,
    }),
    [{ item: null }],
  );
});

t.test('lists sort by the smallest or the largest value of their items', async (t) => {
  await cluster.db.query(`
    CREATE TABLE countries (id int PRIMARY KEY, name text);
    CREATE TABLE states (id int PRIMARY KEY, country int REFERENCES countries, name text, "when" date, size bigint);
    CREATE INDEX ON states (country);
    CREATE TABLE towns (id int PRIMARY KEY, state int REFERENCES states, name text, uid uuid, flag boolean);
    INSERT INTO countries VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e');
    INSERT INTO states VALUES (1, 1, 'k', '2020-01-01', 10), (2, 1, 'z', '2024-01-01', 1), (3, 2, 'b', '2021-05-05', 5),
      (4, 2, NULL, NULL, NULL), (5, 3, 'x', '2022-01-01', 7), (6, 4, NULL, NULL, NULL);
    INSERT INTO towns VALUES (1, 1, 'p', '00000000-0000-4000-8000-000000000003', true),
      (2, 2, 'q', '00000000-0000-4000-8000-000000000001', false), (3, 3, 'a', NULL, true),
      (4, 5, 'r', '00000000-0000-4000-8000-000000000002', true);
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
      VALUES ('states', 'country', 'countries', 'states'), ('towns', 'state', 'states', 'towns')`);
  await cluster.served('/items/countries?fields=states.towns.id');
  const sorted = async (sort: unknown, more: Parameters = {}) => {
    const { data, errors } = await ask('countries', { sort, fields: 'id', ...more });
    if (errors !== undefined) return errors[0]?.extensions.code;
    return Array.isArray(data) ? data.map(({ id }) => id) : data;
  };
  for (const [sort, ids] of [
    ['states.name', [2, 1, 3, 4, 5]],
    ['-states.name', [1, 3, 2, 4, 5]],
    ['states.size', [1, 2, 3, 4, 5]],
    ['-states.size', [1, 3, 2, 4, 5]],
    ['states.year(when)', [1, 2, 3, 4, 5]],
    ['-states.year(when)', [1, 3, 2, 4, 5]],
    ['-states.count(towns),-id', [3, 2, 1, 4, 5]],
    ['states.towns.name', [2, 1, 3, 4, 5]],
    ['-states.towns.name', [3, 1, 2, 4, 5]],
    ['-states.towns.uid', [1, 3, 2, 4, 5]],
    ['states.towns.flag,-id', [1, 3, 2, 5, 4]],
    ['states.country.name,id', [1, 2, 3, 4, 5]],
    ['-states.country.states.name', [1, 3, 2, 4, 5]],
    ['states:towns.name', [2, 1, 3, 4, 5]],
  ] as const) {
    t.strictSame(await sorted(sort), ids, sort);
  }
  const pages: unknown[] = [];
  for (const page of [1, 2, 3]) pages.push(await sorted('-states.name', { limit: 2, page }));
  t.strictSame(pages, [[1, 3], [2, 4], [5]], 'no item twice, none left out');
  t.strictSame(await sorted('mine.name', { alias: { mine: 'states' } }), [2, 1, 3, 4, 5]);
  t.strictSame(await sorted('-states.name', { filter: { states: { size: { _lt: 6 } } } }), [1, 2]);
  const all = await cluster.fetch('/items/countries?sort=-states.name&fields=id&limit=-1');
  t.equal(await all.text(), '{"data":[{"id":1},{"id":3},{"id":2},{"id":4},{"id":5}]}');
  const { data } = await ask('countries', {
    fields: 'states.id',
    deep: { states: { _sort: '-towns.name' } },
    limit: 2,
  });
  t.strictSame(data, [{ states: [{ id: 2 }, { id: 1 }] }, { states: [{ id: 3 }, { id: 4 }] }]);
  const query = '{ countries(sort: ["-states.towns.name"], limit: 2) { id } }';
  const headers = { 'content-type': 'application/json' };
  const graph = await cluster.fetch('/graphql', {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers,
  });
  t.strictSame(await bodyOf(graph), { data: { countries: [{ id: '3' }, { id: '1' }] } });
  const deep = `${'states.country.'.repeat(4)}states.name`;
  t.equal(await sorted(deep), 'INVALID_QUERY', 'lists of lists multiply to too many items');
  t.equal(await sorted('states.nope'), 'FORBIDDEN');
  t.equal(await sorted('states.year(name)'), 'INVALID_QUERY');
});

t.test('lists of a many-to-any sort by the collection of their items', async (t) => {
  await cluster.db.query(`INSERT INTO pages (id, title) VALUES (2, 'Other'), (3, 'Empty');
    INSERT INTO block_hero (id, headline) VALUES (2, 'Aaa'), (3, 'Zzz');
    INSERT INTO pages_blocks (pages_id, item, collection) VALUES (2, '2', 'block_hero'), (2, '3', 'block_hero'), (2, '9', 'block_hero')`);
  const sorted = async (sort: string) => (await ask('pages', { sort, fields: 'id' })).data;
  t.strictSame(await sorted('blocks.item:block_hero.headline'), [{ id: 2 }, { id: 1 }, { id: 3 }]);
  t.strictSame(await sorted('-blocks.item:block_hero.headline'), [{ id: 2 }, { id: 1 }, { id: 3 }]);
  t.strictSame(await sorted('blocks.item:block_text.content'), [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await cluster.db.query(
    'DELETE FROM pages_blocks WHERE pages_id > 1; DELETE FROM pages WHERE id > 1; DELETE FROM block_hero WHERE id > 1',
  );
});

t.test('parameters of a level under deep may stand without the underscore', async (t) => {
  const fields = 'id,comments.id';
  const found = async (deep: unknown) => (await ask('articles', { fields, deep, limit: 1 })).data;
  const wanted = await found({ comments: { _sort: ['-id'], _limit: 1 } });
  t.strictSame(await found({ comments: { sort: ['-id'], limit: 1 } }), wanted);
  t.strictSame(await found({ comments: { sort: '-id', limit: '1' } }), wanted);
  t.strictSame(await found({ comments: { sort: 'id', _sort: '-id', _limit: 1 } }), wanted);
  const url = `${cluster.url}/items/articles?deep={"comments":{"sort":["-id"]}}`;
  const headers = { prefer: 'handling=strict' };
  t.equal((await cluster.fetch(url.replace(cluster.url, ''), { headers })).status, 400);
});

t.test('meta', async (t) => {
  const query = { fields: 'id', limit: 1, filter: { status: 'draft' } };
  t.strictSame(await ask('articles', { ...query, meta: '*' }), {
    data: [{ id: 3 }],
    meta: { total_count: 30, filter_count: 10 },
  });
  t.strictSame((await ask('articles', { ...query, meta: 'filter_count' })).meta, {
    filter_count: 10,
  });
  t.strictSame(await ask('articles', { fields: 'id', limit: -1, filter: { id: 7 }, meta: '*' }), {
    data: [{ id: 7 }],
    meta: { total_count: 30, filter_count: 1 },
  });
  await cluster.db.query('ANALYZE articles');
  t.strictSame((await ask('articles', { ...query, meta: 'estimated_count' })).meta, {
    estimated_count: 30,
  });
  t.equal((await ask('articles', query)).meta, undefined);
  t.match((await ask('articles', { meta: 'nope' })).errors, [
    { extensions: { code: 'INVALID_QUERY' } },
  ]);
});

t.test('bounds name themselves', async (t) => {
  const reasonOf = async (query: Parameters, collection = 'articles') => {
    const { errors } = await ask(collection, query);
    return JSON.stringify(errors);
  };
  const aliases = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`a${i}`, 'title']));
  const body = JSON.stringify({ query: { alias: aliases } });
  const answer = await cluster.fetch('/items/articles', { method: 'SEARCH', body });
  t.match(await answer.text(), 'QUERY_MAX_FIELDS');
  const deepPath = `${'author_id.articles.'.repeat(6)}id`;
  t.match(await reasonOf({ fields: deepPath }), 'MAX_RELATIONAL_DEPTH');
  t.match(await reasonOf({ fields: '*.*.*.*.*.*.*.*' }), /QUERY_MAX_FIELDS|MAX_RELATIONAL_DEPTH/);
});

t.test('spellings stand for values in URLs only; in a body a value has its type', async (t) => {
  const idsBy = async (response: Promise<Response>) => {
    const { data, errors } = await bodyOf<Answer>(await response);
    return errors?.[0]?.extensions.code ?? (Array.isArray(data) ? data.map(({ id }) => id) : data);
  };
  const get = (filter: string) => idsBy(cluster.fetch(`/items/kinds?fields=id&sort=id&${filter}`));
  const search = (filter: object) => {
    const body = JSON.stringify({ query: { fields: ['id'], sort: ['id'], filter } });
    return idsBy(cluster.fetch('/items/kinds', { method: 'SEARCH', body }));
  };
  t.strictSame(await get('filter[flag][_eq]=true'), [1, 5]);
  t.strictSame(await get('filter={"flag":{"_eq":"true"}}'), [1, 5]);
  t.strictSame(await get('filter[word][_eq]=null'), [5]);
  t.strictSame(await get('filter[n][_null]=true'), [4]);
  t.strictSame(await get('filter={"word":{"_neq":5}}'), [1, 2, 3, 4]);
  t.strictSame(await search({ n: { _eq: '5' } }), [5], 'numbers may be texts');
  t.strictSame(await search({ word: { _eq: 'null' } }), [], 'a text is a text');
  t.strictSame(await search({ word: { _eq: 'true' } }), []);
  for (const filter of [
    { flag: { _eq: 'true' } },
    { flag: { _eq: 1 } },
    { n: { _null: 'true' } },
    { n: { _eq: true } },
    { word: { _eq: 5 } },
    { word: { _in: ['a', 5] } },
    { word: { _contains: 5 } },
    { day: { _eq: 20240115 } },
  ]) {
    t.equal(await search(filter), 'INVALID_QUERY', JSON.stringify(filter));
  }
  for (const word of ['now', 'today', 'yesterday', '1/2/2024', 'Jan 1', 'epoch', '2024-1-5']) {
    t.equal(await search({ instant: { _gt: word } }), 'INVALID_QUERY', word);
    t.equal(await get(`filter[day][_gt]=${encodeURIComponent(word)}`), 'INVALID_QUERY', word);
  }
  t.strictSame(
    await search({ instant: { _lt: 'infinity', _gt: '2025-01-01 00:00:00+00' } }),
    [3, 5],
  );
  const write = async (item: object) => {
    const body = JSON.stringify({ id: 99, ...item });
    const answer = await cluster.fetch('/items/kinds', { method: 'POST', body });
    const { errors } = await bodyOf<Answer>(answer);
    return errors?.[0]?.extensions.code ?? 'written';
  };
  for (const [item, code] of [
    [{ flag: 'true' }, 'INVALID_PAYLOAD'],
    [{ flag: 1 }, 'INVALID_PAYLOAD'],
    [{ word: 5 }, 'INVALID_PAYLOAD'],
    [{ word: true }, 'INVALID_PAYLOAD'],
    [{ n: true }, 'INVALID_PAYLOAD'],
    [{ uid: 5 }, 'INVALID_PAYLOAD'],
    [{ instant: 'now' }, 'FAILED_VALIDATION'],
    [{ day: 'Jan 1' }, 'FAILED_VALIDATION'],
    [{ day: 20240101 }, 'FAILED_VALIDATION'],
    [{ at: 'allballs' }, 'FAILED_VALIDATION'],
    [{ local: '1/2/2024' }, 'FAILED_VALIDATION'],
    [{ n: '7', exact: '1.25', flag: true, instant: '2024-01-01 10:00:00+00', doc: '5' }, 'written'],
  ] as const) {
    t.equal(await write(item), code, JSON.stringify(item));
  }
  const { rows } = await cluster.db.query('DELETE FROM kinds WHERE id = 99 RETURNING doc');
  t.equal(rows[0].doc, '5', 'a text in a document stays a text');
});
