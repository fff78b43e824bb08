/** What every parameter says to a value that it cannot take, and to a field that is not there. */
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

type Parameters = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly errors?: readonly {
    readonly extensions: { readonly code: string; readonly reason?: string };
  }[];
}

let cluster: Cluster;

async function refusalOf(response: Response): Promise<string> {
  const { errors } = await bodyOf<Refusal>(response);
  const { code = 'none', reason = '' } = errors?.[0]?.extensions ?? {};
  return `${response.status} ${code} ${reason}`;
}

/** The refusal of a SEARCH, whose values keep their types. */
async function ask(query: Parameters, collection = 'articles'): Promise<string> {
  const body = JSON.stringify({ query });
  return refusalOf(await cluster.fetch(`/items/${collection}`, { method: 'SEARCH', body }));
}

t.before(async () => {
  cluster = await startCluster(t);
  await createSample(cluster.db);
  await until(async () => (await ask({ limit: 1 })).startsWith('200'), 'the tables are known');
});

/** Values of the wrong type, with the place that the reason has to name. */
const WRONG: readonly (readonly [Parameters, string])[] = [
  [{ fields: 5 }, '"fields"'],
  [{ fields: [5] }, '"fields"'],
  [{ fields: [null] }, '"fields"'],
  [{ fields: true }, '"fields"'],
  [{ fields: '[1' }, '"fields"'],
  [{ fields: 'author_id..name' }, '"fields"'],
  [{ filter: 'x' }, '"filter"'],
  [{ filter: 5 }, '"filter"'],
  [{ filter: [{ id: 1 }] }, '"filter"'],
  [{ filter: '{"id":' }, '"filter"'],
  [{ filter: { _and: 5 } }, '"filter._and"'],
  [{ filter: { _or: [5] } }, '"filter._or[0]"'],
  [{ filter: { id: { _eq: { a: 1 } } } }, '"filter.id._eq"'],
  [{ filter: { id: { _eq: 'one' } } }, '"filter.id._eq"'],
  [{ filter: { id: { _foo: 1 } } }, '"filter.id._foo"'],
  [{ filter: { author_id: { id: { _gt: [] } } } }, '"filter.author_id.id._gt"'],
  [{ filter: { comments: { _some: 5 } } }, '"filter.comments._some"'],
  [{ filter: { title: { _contains: '5.5', _starts_with: {} } } }, '"filter.title._starts_with"'],
  [{ filter: { title: { _json: { a: 1 } } } }, '"filter.title._json"'],
  [{ search: {} }, '"search"'],
  [{ search: ['a'] }, '"search"'],
  [{ search: 'a\0' }, '"search"'],
  [{ sort: 5 }, '"sort"'],
  [{ sort: [{}] }, '"sort"'],
  [{ sort: '-' }, '"sort"'],
  [{ limit: 'many' }, '"limit"'],
  [{ limit: -2 }, '"limit"'],
  [{ limit: 1.5 }, '"limit"'],
  [{ limit: {} }, '"limit"'],
  [{ limit: true }, '"limit"'],
  [{ offset: -1 }, '"offset"'],
  [{ offset: 'x' }, '"offset"'],
  [{ offset: [1] }, '"offset"'],
  [{ page: -1 }, '"page"'],
  [{ page: '1.5' }, '"page"'],
  [{ page: Number.MAX_SAFE_INTEGER }, '"page"'],
  [{ aggregate: 'count' }, '"aggregate"'],
  [{ aggregate: ['count'] }, '"aggregate"'],
  [{ aggregate: { median: 'id' } }, '"aggregate.median"'],
  [{ aggregate: { count: 5 } }, '"aggregate.count"'],
  [{ aggregate: { sum: [] } }, '"aggregate.sum"'],
  [{ aggregate: { sum: '*' } }, '"aggregate.sum"'],
  [{ aggregate: { sum: 'title' } }, '"aggregate.sum"'],
  [{ groupBy: 5 }, '"groupBy"'],
  [{ groupBy: [1] }, '"groupBy"'],
  [{ groupBy: 'hour(title)' }, '"groupBy"'],
  [{ deep: 'x' }, '"deep"'],
  [{ fields: {} }, '"fields"'],
  [{ fields: { a: 'id' } }, '"fields"'],
  [{ sort: {} }, '"sort"'],
  [{ groupBy: {} }, '"groupBy"'],
  [{ deep: [] }, '"deep"'],
  [{ deep: { comments: 5 } }, '"deep.comments"'],
  [{ deep: { comments: { _limit: 'x' } } }, '"deep.comments._limit"'],
  [{ deep: { comments: { _filter: 5 } } }, '"deep.comments._filter"'],
  [{ deep: { comments: { article_id: { _sort: 5 } } } }, '"deep.comments.article_id._sort"'],
  [
    { fields: 'comments.id', deep: { comments: { _filter: { id: { _gt: 'x' } } } } },
    '"deep.comments._filter.id._gt"',
  ],
  [{ alias: 'x' }, '"alias"'],
  [{ alias: { a: 5 } }, '"alias.a"'],
  [{ alias: { 'a.b': 'title' } }, '"alias.a.b"'],
  [{ alias: { a: 'author_id.name' } }, '"alias.a"'],
  [{ meta: 5 }, '"meta"'],
  [{ meta: 'rows' }, '"meta"'],
  [{ meta: ['total_count', 'x'] }, '"meta"'],
  [{ backlink: 'perhaps' }, '"backlink"'],
  [{ backlink: {} }, '"backlink"'],
  [{ export: 'pdf' }, '"export"'],
  [{ export: {} }, '"export"'],
  [{ version: {} }, '"version"'],
];

t.test('a value of the wrong type is refused by parameter and place', async (t) => {
  for (const [query, place] of WRONG) {
    const found = await ask(query);
    t.match(found, /^400 INVALID_QUERY /, JSON.stringify(query));
    t.ok(found.includes(place), `${JSON.stringify(query)} names ${place}: ${found}`);
  }
});

/** Fields that are not there, with the path to each. */
const UNKNOWN: readonly (readonly [Parameters, string, string])[] = [
  [{ fields: 'nope' }, 'nope', 'fields of root'],
  [{ fields: 'author_id.nope' }, 'nope', 'fields of author_id'],
  [{ fields: 'author_id.articles.nope' }, 'nope', 'fields of author_id.articles'],
  [{ fields: 'nope.id' }, 'nope.id', 'fields of root'],
  [{ fields: 'title.x' }, 'title.x', 'fields of root'],
  [{ fields: 'year(nope)' }, 'nope', 'fields of root'],
  [{ fields: 'comments.count(nope)' }, 'nope', 'fields of comments'],
  [{ filter: { nope: 1 } }, 'nope', 'filter of root'],
  [{ filter: { author_id: { nope: 1 } } }, 'nope', 'filter of author_id'],
  [{ filter: { comments: { _none: { nope: 1 } } } }, 'nope', 'filter of comments'],
  [{ filter: { 'year(nope)': 1 } }, 'nope', 'filter.year(nope) of root'],
  [{ filter: { title: { x: 1 } } }, 'title.x', 'filter of root'],
  [{ sort: 'nope' }, 'nope', 'sort of root'],
  [{ sort: '-author_id.nope' }, 'nope', 'sort of author_id'],
  [{ sort: '?' }, '?', 'sort of root'],
  [{ aggregate: { sum: 'nope' } }, 'nope', 'aggregate of root'],
  [{ aggregate: { count: 'nope' } }, 'nope', 'aggregate of root'],
  [{ groupBy: 'nope' }, 'nope', 'groupBy of root'],
  [{ groupBy: 'year(nope)' }, 'nope', 'groupBy of root'],
  [{ groupBy: 'status', sort: 'title' }, 'title', 'sort'],
  [{ alias: { a: 'nope' }, fields: 'a' }, 'nope', 'fields of root'],
  [{ alias: { a: 'nope' }, fields: 'a.id' }, 'a.id', 'fields of root'],
  [
    { fields: 'comments.id', deep: { comments: { _filter: { nope: 1 } } } },
    'nope',
    'filter of comments',
  ],
  [{ fields: 'comments.id', deep: { comments: { _sort: 'nope' } } }, 'nope', 'sort of comments'],
  [{ fields: 'comments', deep: { comments: { _fields: 'nope' } } }, 'nope', 'fields of comments'],
  [
    { fields: 'comments.id', deep: { comments: { _group: 'nope' } } },
    'nope',
    'groupBy of comments',
  ],
  [
    { fields: 'comments.id', deep: { comments: { _aggregate: { max: 'nope' } } } },
    'nope',
    'aggregate of comments',
  ],
];

t.test('a field that is not there is forbidden by name and path', async (t) => {
  for (const [query, field, path] of UNKNOWN) {
    const found = await ask(query);
    t.match(found, /^403 FORBIDDEN /, JSON.stringify(query));
    t.ok(found.includes(`"${field}"`), `${JSON.stringify(query)} names ${field}: ${found}`);
    t.ok(found.includes(path), `${JSON.stringify(query)} names ${path}: ${found}`);
  }
});

t.test('items have one version, under both of its names', async (t) => {
  for (const version of ['main', 'published', '']) {
    t.match(await ask({ version, limit: 1 }), /^200/, version);
    t.match(await refusalOf(await cluster.fetch(`/items/articles/1?version=${version}`)), /^200/);
  }
  t.match(await ask({ version: 'draft' }), /^403 FORBIDDEN .*version/);
  const one = await cluster.fetch('/items/articles/1?version=draft');
  t.match(await refusalOf(one), /^403 FORBIDDEN .*version/);
});

t.test('parameters that nobody knows are passed over', async (t) => {
  t.match(await ask({ limit: 1, nope: { a: [1] }, Filter: 5, versionRaw: true }), /^200/);
  t.match(await ask({ limit: 1, __proto__: { filter: 5 }, constructor: 'x' }), /^200/);
});

t.test('what is nested without end is refused before anything recurses', async (t) => {
  const nested = (open: string, close: string) => `${open.repeat(20_000)}{}${close.repeat(20_000)}`;
  const endless = /^400 INVALID_QUERY .*(nested deeper|MAX_RELATIONAL_DEPTH)/;
  t.match(await ask({ deep: nested('{"comments":', '}') }), endless);
  t.match(await ask({ filter: nested('{"_and":[', ']}') }), endless);
  t.match(await ask({ filter: nested('{"title":{"_json":', '}}') }), endless);
  t.match(await ask({ fields: nested('[', ']') }), /^400 INVALID_QUERY .*"fields"/);
});
