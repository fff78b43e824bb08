/** Files with related items: dotted headers, objects and lists. */
import t from 'tap';
import { until } from '#tests/harness/until.ts';
import { type Fault, type Importing, importing } from './importing.ts';

const SETUP = `
  TRUNCATE system_fields, system_relations;
  CREATE TABLE app.countries (id serial PRIMARY KEY, code text UNIQUE, name text);
  CREATE TABLE app.authors (id serial PRIMARY KEY, name text NOT NULL, born date, meta json,
    country int REFERENCES app.countries, active bool);
  CREATE TABLE app.articles (id serial PRIMARY KEY, slug text UNIQUE, title text, meta json,
    tags text[], price numeric, author int REFERENCES app.authors,
    parent int REFERENCES app.articles);
  CREATE TABLE app.comments (id serial PRIMARY KEY, body text NOT NULL,
    article int REFERENCES app.articles);
  INSERT INTO app.countries VALUES (1, 'de', 'Germany');
  INSERT INTO app.authors VALUES (5, 'Ann', NULL, NULL, 1);
  SELECT setval('app.authors_id_seq', 100), setval('app.countries_id_seq', 100);
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
      one_deselect_action)
    VALUES ('comments', 'article', 'articles', 'comments', 'nullify');`;

const NONE = { inserted: 0, updated: 0, unchanged: 0, duplicates: 0, skipped: 0, failed: 0 };

const ARTICLES = `SELECT r.title, r.slug, a.name, c.code,
    (SELECT string_agg(body, '|' ORDER BY id) FROM comments k WHERE k.article = r.id) AS comments
  FROM articles r LEFT JOIN authors a ON a.id = r.author LEFT JOIN countries c ON c.id = a.country
  ORDER BY r.title`;

function places(faults: readonly Fault[]) {
  return faults.map(({ code, row, field }) => [code, row, field]);
}

function json(rows: readonly unknown[]): string {
  return JSON.stringify(rows);
}

let bench: Importing;
t.beforeEach(async () => {
  bench = await importing(SETUP);
});

t.test('dotted headers write the referenced items', async (t) => {
  const file = [
    'title,author.name,author.born,author.active,author.country.code,author.country.name',
    'A,Bob,2001-02-03,yes,fr,France',
    'B,,,,,',
    'C,null,null,null,null,null',
    'D,Dan,1999-12-31,f,,',
  ].join('\n');
  t.strictSame(await bench.import('articles', file), { ...NONE, inserted: 4 });
  t.strictSame(await bench.rows(ARTICLES), [
    { title: 'A', slug: null, name: 'Bob', code: 'fr', comments: null },
    { title: 'B', slug: null, name: null, code: null, comments: null },
    { title: 'C', slug: null, name: null, code: null, comments: null },
    { title: 'D', slug: null, name: 'Dan', code: null, comments: null },
  ]);
  t.strictSame(
    await bench.rows('SELECT born::text, active FROM authors WHERE id > 5 ORDER BY id'),
    [
      { born: '2001-02-03', active: true },
      { born: '1999-12-31', active: false },
    ],
  );
});

t.test('a key in a dotted header links and changes the item', async (t) => {
  const linked = 'title,author.id\nS,5\nT,5\n';
  t.strictSame(await bench.import('articles', linked), { ...NONE, inserted: 2 });
  const changed = 'title,author.id,author.name\nU,5,Anna\nV,6,New\n';
  t.strictSame(await bench.import('articles', changed), { ...NONE, inserted: 2 });
  t.strictSame(
    (await bench.rows(ARTICLES)).map(({ name }) => name),
    ['Anna', 'Anna', 'Anna', 'New'],
  );
});

t.test('cells of relations may be JSON, and options apply to dotted columns', async (t) => {
  const file = [
    'Titel;author;comments;price;tags;meta',
    `One;"{""name"": ""Bob""}";"[{""body"": ""a""}, {""body"": ""b""}]";1,5;"[""x"", ""y""]";"{""n"": 12345678901234567890}"`,
    `Two;5;;;;null`,
  ].join('\n');
  const parameters = { separator: ';', decimal: ',', mapping: { Titel: 'title' } } as const;
  t.match(await bench.import('articles', file, 'csv', { parameters }), { inserted: 2 });
  t.strictSame(
    (await bench.rows(ARTICLES)).map(({ name, comments }) => [name, comments]),
    [
      ['Bob', 'a|b'],
      ['Ann', null],
    ],
  );
  t.strictSame(
    await bench.rows('SELECT price, tags, meta::text AS meta FROM articles ORDER BY id'),
    [
      { price: '1.5', tags: ['x', 'y'], meta: '{"n":12345678901234567890}' },
      { price: null, tags: null, meta: null },
    ],
  );
  await bench.import('articles', 'title,meta,author.name,author.meta\nX,"null",Eva,"null"\n');
  t.strictSame(
    await bench.rows(`SELECT r.meta::text AS own, a.meta::text AS related
      FROM articles r JOIN authors a ON a.id = r.author WHERE name = 'Eva'`),
    [{ own: 'null', related: 'null' }],
  );
  const dated = 'title,Autor,geboren\nThree,Carl,31.12.1999\n';
  await bench.import('articles', dated, 'csv', {
    parameters: {
      mapping: { Autor: 'author.name', geboren: 'author.born' },
      dateFormat: 'DD.MM.YYYY',
    },
  });
  t.strictSame(await bench.rows(`SELECT born::text FROM authors WHERE name = 'Carl'`), [
    { born: '1999-12-31' },
  ]);
});

t.test('invalid headers are rejected together, each by its column', async (t) => {
  const cases = {
    'author..name': 'empty member',
    '.name': 'no field',
    'author.': 'empty member',
    'author.nme': 'no field',
    'auhor.name': 'no field',
    'comments.body': 'JSON lists',
    'meta.seo.title': 'not a relation',
    'author.meta.x': 'not a relation',
    'title.x': 'not a relation',
  };
  const header = Object.keys(cases);
  const faults = await bench.refused('articles', `${header.join(',')}\n`);
  t.strictSame(
    places(faults).toSorted(),
    header.map((name) => ['INVALID_PAYLOAD', null, name]).toSorted(),
  );
  for (const { field, reason } of faults) {
    const expected = Object.entries(cases).find(([name]) => name === field)?.[1] ?? '';
    t.match(reason, new RegExp(expected), String(field));
  }
  const both = await bench.refused('articles', 'author,author.name\n5,x\n');
  t.strictSame(places(both), [['INVALID_PAYLOAD', null, 'author.name']]);
  const deeper = await bench.refused('articles', 'author.country.code,author.country\nde,1\n');
  t.strictSame(places(deeper), [['INVALID_PAYLOAD', null, 'author.country']]);
  const twice = await bench.refused('articles', 'author.name,author.name\na,b\n');
  t.strictSame(places(twice), [['INVALID_PAYLOAD', null, 'author.name']]);
});

t.test('objects and lists in JSON are written, at any position of the first one', async (t) => {
  const flat = Array.from({ length: 1_200 }, (_, index) => ({ title: `t${index}`, author: 5 }));
  const rows = [
    ...flat,
    { title: 'z1', author: { name: 'Bob', country: { code: 'fr' } } },
    { title: 'z2', comments: [{ body: 'a' }, { body: 'b' }] },
    { slug: 'x', title: 'z3', comments: { create: [{ body: 'c' }] } },
  ];
  t.match(await bench.import('articles', json(rows), 'json'), { inserted: 1_203 });
  t.strictSame(
    (await bench.rows(ARTICLES))
      .slice(-3)
      .map(({ title, name, comments }) => [title, name, comments]),
    [
      ['z1', 'Bob', null],
      ['z2', null, 'a|b'],
      ['z3', null, 'c'],
    ],
  );
  const again = [
    { slug: 'x', comments: { create: [{ body: 'd' }] } },
    { slug: 'y', comments: [] },
  ];
  const lines = again.map((row) => JSON.stringify(row)).join('\n');
  const parameters = { match: ['slug'] };
  t.strictSame(await bench.import('articles', lines, 'ndjson', { parameters }), {
    ...NONE,
    inserted: 1,
    updated: 1,
  });
  const [found] = (await bench.rows(ARTICLES)).filter(({ slug }) => slug === 'x');
  t.match(found, { title: 'z3', comments: 'c|d' });
});

t.test('rows that name items of earlier rows find them written', async (t) => {
  const rows = [
    { id: 100, title: 'a', author: { id: 7, name: 'first' } },
    { id: 101, parent: 100, author: { id: 7, name: 'second' } },
    { id: 100, title: 'b', comments: [{ body: 'x' }] },
    { id: 102, parent: 101, author: 7 },
  ];
  t.strictSame(await bench.import('articles', json(rows), 'json'), {
    ...NONE,
    inserted: 3,
    updated: 1,
  });
  t.strictSame(await bench.rows('SELECT id, title, author, parent FROM articles ORDER BY id'), [
    { id: 100, title: 'b', author: 7, parent: null },
    { id: 101, title: null, author: 7, parent: 100 },
    { id: 102, title: null, author: 7, parent: 101 },
  ]);
  t.strictSame(await bench.rows('SELECT name FROM authors WHERE id = 7'), [{ name: 'second' }]);
  // The sequence of the key was moved on.
  const [next] = await bench.rows(`INSERT INTO articles (title) VALUES ('n') RETURNING id`);
  t.strictSame(next, { id: 103 });
});

t.test('keys of any collection, and repeated keys', async (t) => {
  await bench.rows(`CREATE TABLE app.marks (id serial PRIMARY KEY, kind text, item text, slug text UNIQUE);
    INSERT INTO system_relations (many_collection, many_field, one_collection_field,
      one_allowed_collections) VALUES ('marks', 'item', 'kind', 'authors,countries')`);
  const flat = [
    { kind: 'authors', item: 5, slug: 'a' },
    { kind: 'countries', item: '1', slug: 'b' },
  ];
  t.match(await bench.import('marks', json(flat), 'json'), { inserted: 2 }, 'numbers, too');
  const again = [
    { kind: 'authors', item: { name: 'New' }, slug: 'c' },
    { kind: 'authors', item: { name: 'Newer' }, slug: 'c' },
  ];
  const parameters = { match: ['slug'] };
  t.strictSame(await bench.import('marks', json(again), 'json', { parameters }), {
    ...NONE,
    inserted: 1,
    updated: 1,
  });
  t.strictSame(
    await bench.rows(`SELECT slug, a.name FROM marks m JOIN authors a ON a.id::text = m.item
      WHERE kind = 'authors' ORDER BY slug`),
    [
      { slug: 'a', name: 'Ann' },
      { slug: 'c', name: 'Newer' },
    ],
  );
});

t.test('modes', async (t) => {
  const rows = [
    { slug: 'a', author: { name: 'A' } },
    { slug: 'b', author: { name: 'B' } },
  ];
  const into = (mode: 'insert' | 'update') => ({ parameters: { mode, match: ['slug'] } });
  const lacking = await bench.refused('articles', json(rows), 'json', into('update'));
  t.strictSame(places(lacking), [
    ['FAILED_VALIDATION', 1, 'slug'],
    ['FAILED_VALIDATION', 2, 'slug'],
  ]);
  t.match(await bench.import('articles', json(rows), 'json', into('insert')), { inserted: 2 });
  const taken = await bench.refused('articles', json(rows), 'json', into('insert'));
  t.strictSame(places(taken), [
    ['RECORD_NOT_UNIQUE', 1, 'slug'],
    ['RECORD_NOT_UNIQUE', 2, 'slug'],
  ]);
  t.match(await bench.import('articles', json(rows), 'json', into('update')), { updated: 2 });
  const keyless = await bench.refused(
    'articles',
    json([{ author: { name: 'x' } }]),
    'json',
    into('update'),
  );
  t.strictSame(places(keyless), [['NOT_NULL_VIOLATION', 1, 'slug']]);
});

/** More rows than a batch has, some of them faulty, each in its own way. */
const ROWS = 600;
const FAULTY = new Map<number, unknown>([
  [1, { title: 1, comments: [] }],
  [3, { author: { nme: 'x' } }],
  [499, { author: { name: null } }],
  [500, { comments: [{ body: 'a' }, {}] }],
  [501, { slug: 's0', author: { name: 'x' } }],
  [577, { author: 99 }],
  [578, { comments: 'x' }],
  [ROWS, { unknown: 1 }],
]);

function mixedRows(): unknown[] {
  return Array.from({ length: ROWS }, (_, index) => {
    const good = { slug: `s${index}`, author: { name: `a${index}` } };
    return FAULTY.get(index + 1) ?? good;
  });
}

const FAULTS = [
  ['INVALID_PAYLOAD', 1, 'title'],
  ['INVALID_PAYLOAD', 3, 'author'],
  ['FAILED_VALIDATION', 499, 'author'],
  ['FAILED_VALIDATION', 500, 'comments'],
  ['RECORD_NOT_UNIQUE', 501, 'slug'],
  ['INVALID_FOREIGN_KEY', 577, 'author'],
  ['INVALID_PAYLOAD', 578, null],
  ['INVALID_PAYLOAD', ROWS, 'unknown'],
];

t.test('each faulty row is reported, and the whole file is rejected', async (t) => {
  const rows = mixedRows().map((row, index) => (index === 1 ? { slug: 's0', author: null } : row));
  rows[1] = { slug: 's0', author: { name: 'taken' } };
  const options = { parameters: { mode: 'insert' } } as const;
  const faults = await bench.refused('articles', json(rows), 'json', options);
  t.strictSame(places(faults), FAULTS);
  t.strictSame(await bench.rows('SELECT count(*)::int AS n FROM articles'), [{ n: 0 }]);
  t.strictSame(await bench.rows('SELECT count(*)::int AS n FROM authors'), [{ n: 1 }]);
  const few = await bench.refused('articles', json(rows), 'json', { ...options, errorLimit: 3 });
  t.equal(few.length, 3);
});

t.test('faulty rows are skipped', async (t) => {
  const rows = mixedRows();
  rows[1] = { slug: 's0', author: { name: 'taken' } };
  let report = '';
  const { reasons, ...result } = await bench.import('articles', json(rows), 'json', {
    parameters: { mode: 'insert', onError: 'skip' },
    report: async (content) => {
      for await (const piece of content) report += Buffer.from(piece).toString();
    },
  });
  t.strictSame(result, { ...NONE, inserted: ROWS - 8, failed: 8 });
  t.ok(reasons !== undefined && reasons.length > 0);
  t.strictSame(await bench.rows('SELECT count(*)::int AS n FROM authors'), [{ n: ROWS - 7 }]);
  const lines = report.trim().split('\n').slice(1);
  t.strictSame(
    lines.map((line) => Number(line.split(',')[0])),
    [...FAULTY.keys()],
  );
  const few = await bench.refused('articles', json(rows), 'json', {
    parameters: { mode: 'insert', onError: 'skip', maxErrors: 7 },
  });
  t.equal(few[0]?.row, null);
});

t.test('a dry run stores nothing', async (t) => {
  const rows = [{ author: { name: 'x' }, comments: [{ body: 'y' }] }];
  const parameters = { dryRun: true };
  t.match(await bench.import('articles', json(rows), 'json', { parameters }), {
    inserted: 1,
    dry_run: true,
  });
  const counts =
    'SELECT (SELECT count(*) FROM articles)::int AS a, (SELECT count(*) FROM authors)::int AS b';
  t.strictSame(await bench.rows(counts), [{ a: 0, b: 1 }]);
});

t.test('an incomplete file is rejected with its row', async (t) => {
  const text = `[{"author": {"name": "x"}}, {"author": {"name": }}]`;
  t.match(await bench.refused('articles', text, 'json'), [{ code: 'INVALID_PAYLOAD', row: 2 }]);
  const lines = `{"author": {"name": "x"}}\n{"author": \n{"author": {"name": "y"}}\n`;
  const parameters = { onError: 'skip' } as const;
  t.match(await bench.import('articles', lines, 'ndjson', { parameters }), {
    inserted: 2,
    failed: 1,
  });
});

t.test('the written collections are reported, and a cancelled import writes nothing', async (t) => {
  const rows = Array.from({ length: 600 }, (_, index) => ({
    slug: `s${index}`,
    author: { name: 'x' },
  }));
  const told: string[][] = [];
  await bench.import('articles', json(rows.slice(0, 2)), 'json', {
    complete: async (_, written) => {
      told.push([...written].toSorted());
    },
  });
  t.strictSame(told, [['articles', 'authors']]);
  // Another transaction holds the key that the last row needs.
  const blocker = await bench.pool.connect();
  await blocker.query(`BEGIN; INSERT INTO articles (slug) VALUES ('s599')`);
  const cancelled = new AbortController();
  const waiting = bench.import('articles', json(rows.slice(2)), 'json', {
    signal: cancelled.signal,
  });
  await until(async () => {
    const waits = await bench.rows(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
    return waits.length > 0;
  }, 'the import waits');
  cancelled.abort(new Error('cancelled'));
  await t.rejects(waiting, { message: 'cancelled' });
  await blocker.query('ROLLBACK');
  blocker.release();
  t.strictSame(await bench.rows('SELECT count(*)::int AS n FROM articles'), [{ n: 2 }]);
});
