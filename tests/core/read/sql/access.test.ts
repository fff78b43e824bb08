// @quick
/** How statements access the tables, on 100,000 pages: by an index, or by one scan for all. */
import t, { type Test } from 'tap';
import type { Parameters } from '#core/query/parse/parameter.ts';
import { type Access, type Explain, openPlanner } from './fixture/planner.ts';
import { SITE } from './fixture/site.ts';

let explain: Explain;

t.before(async () => {
  explain = await openPlanner(t, SITE);
});

function of(accesses: readonly Access[], table: string): readonly Access[] {
  return accesses.filter((access) => access.table === table);
}

/** Every read of the table went through this index. */
function bySole(t: Test, accesses: readonly Access[], table: string, index: string): void {
  const indexes = new Set(of(accesses, table).map((access) => access.index));
  t.strictSame([...indexes], [index], `${table} is read by ${index}`);
}

/** Nothing was scanned more than once. */
function scannedOnce(t: Test, accesses: readonly Access[], tables: readonly string[]): void {
  for (const table of tables) {
    const scans = of(accesses, table).filter((access) => access.index === null);
    t.strictSame(
      scans.map(({ loops }) => loops),
      [1],
      `${table} is scanned once`,
    );
  }
  const again = accesses.filter(({ index, loops }) => index === null && loops > 1);
  t.strictSame(again, [], 'no table is scanned for each of several rows');
}

const NESTED: readonly [string, string, Parameters, Readonly<Record<string, string>>][] = [
  ['o2m', 'pages', { fields: 'id,notes.title' }, { notes: 'notes_page' }],
  ['keys of an o2m', 'pages', { fields: 'id,notes' }, { notes: 'notes_page' }],
  ['a count', 'pages', { fields: 'id,count(notes)' }, { notes: 'notes_page' }],
  ['m2o', 'pages', { fields: 'id,author.name' }, { authors: 'authors_pkey' }],
  [
    'm2m',
    'pages',
    { fields: 'id,tags.tag.name' },
    { page_tags: 'page_tags_page', tags: 'tags_pkey' },
  ],
  [
    'm2a',
    'pages',
    { fields: 'id,blocks.item:heroes.title,blocks.item:quotes.title' },
    { blocks: 'blocks_page', heroes: 'heroes_pkey', quotes: 'quotes_pkey' },
  ],
  [
    'a2o and back',
    'blocks',
    { fields: 'item:heroes.title,item:quotes.title,page.title' },
    { heroes: 'heroes_pkey', quotes: 'quotes_pkey', pages: 'pages_pkey' },
  ],
  [
    'three relations',
    'authors',
    { fields: 'id,pages.notes.replies.title', limit: 5 },
    { pages: 'pages_author', notes: 'notes_page', replies: 'replies_note' },
  ],
];

t.test('nested reads use the indexes of the keys', async (t) => {
  for (const [name, collection, parameters, indexes] of NESTED) {
    const accesses = await explain(collection, { limit: 25, ...parameters });
    t.comment(name);
    for (const [table, index] of Object.entries(indexes)) bySole(t, accesses, table, index);
  }
});

t.test('filters through relations use indexes', async (t) => {
  const fields = 'id';
  const byAuthor = await explain('pages', { fields, filter: { author: { name: 'author 7' } } });
  bySole(t, byAuthor, 'authors', 'authors_name');
  bySole(t, byAuthor, 'pages', 'pages_author');
  const byNote = await explain('pages', { fields, filter: { notes: { title: 'notes 7' } } });
  bySole(t, byNote, 'notes', 'notes_title');
  bySole(t, byNote, 'pages', 'pages_pkey');
});

t.test('a filter for missing values uses an index', async (t) => {
  const missing = await explain('pages', { fields: 'id', filter: { author: { _null: true } } });
  bySole(t, missing, 'pages', 'pages_author');
});

t.test('an order by a related field reads each table once', async (t) => {
  const accesses = await explain('pages', { fields: 'id', sort: '-author.name', limit: 25 });
  scannedOnce(t, accesses, ['authors']);
});

t.test('an order by the items of a list uses the indexes of the keys', async (t) => {
  const sort = '-notes.replies.title';
  const accesses = await explain('authors', {
    fields: 'id,pages.id',
    deep: { pages: { _sort: sort } },
    limit: 5,
  });
  for (const [table, index] of [
    ['notes', 'notes_page'],
    ['replies', 'replies_note'],
  ] as const) {
    bySole(t, accesses, table, index);
  }
});

const UNINDEXED: readonly [string, string, Parameters, readonly string[]][] = [
  ['o2m', 'pages', { fields: 'id,marks.title' }, ['marks']],
  ['keys of an o2m', 'pages', { fields: 'id,marks' }, ['marks']],
  ['a count', 'pages', { fields: 'id,count(marks)' }, ['marks']],
  [
    'an aggregate',
    'pages',
    { fields: 'marks', deep: { marks: { _aggregate: { count: '*' } } } },
    ['marks'],
  ],
  [
    'a part of each list',
    'pages',
    { fields: 'marks.id', deep: { marks: { _limit: 1, _offset: 1, _sort: '-title' } } },
    ['marks'],
  ],
  [
    'below another',
    'pages',
    { fields: 'id,marks.hints.title', deep: { marks: { _filter: { title: { _nnull: true } } } } },
    ['marks', 'hints'],
  ],
  ['below an index', 'pages', { fields: 'id,notes.remarks.title' }, ['remarks']],
  ['below an m2o', 'notes', { fields: 'id,page.marks.title' }, ['marks']],
  ['m2a', 'pages', { fields: 'id,parts.item:heroes.title' }, ['parts']],
  [
    'below an m2a',
    'pages',
    { fields: 'id,parts.item:heroes.title,parts.page.marks' },
    ['parts', 'marks'],
  ],
  ['a2o whose key no index serves', 'blocks', { fields: 'item:prices.title' }, ['prices']],
  [
    'a filter of a list',
    'pages',
    { fields: 'notes.id', deep: { notes: { _filter: { remarks: { title: { _nnull: true } } } } } },
    ['remarks'],
  ],
  ['an order', 'pages', { fields: 'id', sort: 'marks.title' }, ['marks']],
  [
    'an order through several lists',
    'pages',
    { fields: 'id', sort: '-marks.hints.title,parts.item:heroes.title' },
    ['marks', 'hints', 'parts'],
  ],
  [
    'an order of a list',
    'authors',
    { fields: 'pages.id', deep: { pages: { _sort: 'marks.title' } }, limit: 5 },
    ['marks'],
  ],
  ['a filter', 'pages', { fields: 'id', filter: { marks: { title: 'marks 9' } } }, ['marks']],
  [
    'none',
    'pages',
    { fields: 'id', filter: { marks: { _none: { title: 'marks 9' } } } },
    ['marks'],
  ],
  [
    'any of two',
    'pages',
    { fields: 'id', filter: { _or: [{ title: 'x' }, { marks: { title: { _nnull: true } } }] } },
    ['marks'],
  ],
  [
    'none beside another',
    'pages',
    { fields: 'id', filter: { _or: [{ title: 'x' }, { marks: { _none: { title: 'x' } } }] } },
    ['marks'],
  ],
  [
    'none behind an m2o',
    'notes',
    {
      fields: 'id',
      filter: { id: { _lte: 5_000 }, page: { marks: { _none: { title: { _nnull: true } } } } },
    },
    ['marks'],
  ],
];

for (const [name, collection, parameters, tables] of UNINDEXED) {
  t.test(`without an index all parents share one scan: ${name}`, async (t) => {
    scannedOnce(t, await explain(collection, { limit: 25, ...parameters }), tables);
    scannedOnce(t, await explain(collection, { limit: 100, ...parameters }), tables);
  });
}

t.test('a stream scans each table once, for any number of rows', async (t) => {
  const filter = { id: { _lte: 10_000 } };
  const all = { fields: 'id,marks.hints.title', filter, limit: -1 };
  scannedOnce(t, await explain('pages', all, { stream: true }), ['marks', 'hints']);
});
