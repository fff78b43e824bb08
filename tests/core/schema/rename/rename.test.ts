/** A renamed field or collection keeps its values, rights, presets, relations and history. */
import t from 'tap';
import { renameCollection } from '#core/schema/rename/rename-collection.ts';
import { renameField } from '#core/schema/rename/rename-field.ts';
import { collection } from '../../model/catalog/installation.ts';
import { openWorkshop, type Workshop } from '../operation/workshop.ts';

const SETUP = `
  CREATE TABLE authors (id serial PRIMARY KEY, name text NOT NULL, "former name" text);
  CREATE TABLE books (id serial PRIMARY KEY, name text, sort integer, secret text,
    author integer REFERENCES authors, editor integer REFERENCES authors,
    loud text GENERATED ALWAYS AS (upper(name)) STORED);
  CREATE TABLE prizes (id serial PRIMARY KEY, book integer REFERENCES books);
  CREATE TABLE pages (id serial PRIMARY KEY, kind varchar(20), item text);
  CREATE VIEW named AS SELECT id, name FROM books;
  CREATE TABLE parted (id integer, a text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
  CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (9);
  CREATE TABLE other (id serial PRIMARY KEY, "name" text);
  INSERT INTO authors (name) VALUES ('Ada');
  INSERT INTO books (name, author) VALUES ('Notes', 1);
  INSERT INTO pages (kind, item) VALUES ('books', '1'), ('authors', '1');
  INSERT INTO system_collections (collection, "group", display_template, sort_field, archive_field,
      item_duplication_fields) VALUES
    ('books', NULL, '{{ name }}: {{author.name}}', 'sort', 'name', '["name","author.name"]'),
    ('authors', 'books', '{{name}}', NULL, NULL, NULL), ('shelf', NULL, NULL, NULL, NULL, NULL);
  INSERT INTO system_fields (collection, field, special, "group", options, conditions, validation)
  VALUES
    ('books', 'name', NULL, NULL, '{"template":"{{name}}"}',
      '[{"name":"name","rule":{"name":{"_eq":1.50}}}]', '{"name":{"_nnull":true}}'),
    ('books', 'sort', NULL, 'name', NULL, NULL, NULL),
    ('books', 'author', 'm2o', NULL, '{"template":"{{name}}","filter":{"name":{"_nnull":true}}}',
      NULL, NULL),
    ('authors', 'works', 'o2m', NULL, '{"template":"{{name}}","fields":["name"]}', NULL, NULL);
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field, sort_field,
      one_collection_field, one_allowed_collections) VALUES
    ('books', 'author', 'authors', 'works', 'sort', NULL, NULL),
    ('pages', 'item', NULL, NULL, NULL, 'kind', 'authors,books');
  INSERT INTO system_policies (id, name) VALUES ('00000000-0000-4000-8000-000000000000', 'p');
  INSERT INTO system_permissions (policy, collection, action, fields, permissions, validation,
      presets)
    SELECT '00000000-0000-4000-8000-000000000000', c, a, f, p::json, v::json, s::json FROM (VALUES
      ('books', 'read', 'id, name,title', '{"_and":[{"name":{"_neq":9007199254740993}}]}', NULL,
        '{"name":"x","title":"y"}'),
      ('authors', 'read', 'id,name,works,books', '{"works":{"name":{"_eq":"a"}}}',
        '{"name":{"_nnull":true}}', NULL),
      ('books', 'update', '*', NULL, NULL, NULL),
      ('prizes', 'read', 'book', '{"book":{"author":{"name":{"_eq":"$CURRENT_USER"}}}}', NULL, NULL),
      ('pages', 'read', '*', '{"item:books":{"name":{"_nnull":true}}}', NULL, NULL),
      ('novels', 'read', '*', NULL, NULL, NULL)
    ) AS r (c, a, f, p, v, s);
  INSERT INTO system_presets (collection, filter, layout_query, layout_options) VALUES
    ('books', '{"name":{"_contains":"x"}}',
      '{"tabular":{"fields":["name","author.name"],"sort":["-name"],"limit":25}}',
      '{"tabular":{"widths":{"name":160},"summaries":{"name":"count"}},"cards":{"title":"{{name}}","imageSource":"name"}}');
  INSERT INTO system_dashboards (id, name) VALUES ('00000000-0000-4000-8000-000000000000', 'd');
  INSERT INTO system_panels (dashboard, type, position_x, position_y, width, height, options)
    SELECT id, 'list', 1, 1, 4, 4,
      '{"collection":"books","filter":{"author":{"name":{"_eq":"a"}},"name":{"_eq":"$name"}},"groupField":"name","displayTemplate":"{{name}}","limit":5}'
    FROM system_dashboards;
  INSERT INTO system_import_profiles (name, collection, mapping, options) VALUES ('p', 'books',
    '{"name":"name","by":{"field":"author","by":"name"}}',
    '{"match":"name","constants":{"name":"x"},"separator":"name"}');
  INSERT INTO system_comments (collection, item, comment) VALUES ('books', '1', 'x');
  INSERT INTO system_activity (id, action, collection, item) VALUES (1, 'create', 'books', '1');
  INSERT INTO system_revisions (id, activity, collection, item, data, delta) VALUES
    (1, 1, 'books', '1', '{"id":1,"name":"Notes\\u0000","sort":null}', '{"name":"Notes"}'),
    (2, 1, 'books', '2', '{"id":2,"title":"of an earlier field","name":"a"}', NULL),
    (3, 1, 'other', '1', '{"name":"stays"}', '{"name":"stays"}');`;

/** The rows of a query as texts. */
async function list(workshop: Workshop, text: string): Promise<string[]> {
  return (await workshop.rows(text)).map((row) => JSON.stringify(Object.values(row)));
}

t.test('renaming a field', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const rename = (name: string, field: string, to: string) =>
    workshop.change((alteration) => renameField(alteration, { collection: name, field, to }));
  const refused = (name: string, field: string, to: string) =>
    workshop.refusal((alteration) => renameField(alteration, { collection: name, field, to }));
  const shown = (text: string) => list(workshop, text);

  await t.test('keeps everything that refers to it', async (t) => {
    const catalog = await rename('books', 'name', 'title');
    const books = collection(catalog, 'books');
    t.ok(books.fields.has('title'));
    t.notOk(books.fields.has('name'));
    t.same(await shown('SELECT title, loud FROM books'), ['["Notes","NOTES"]']);
    t.same(await shown('SELECT name FROM named'), ['["Notes"]'], 'a view keeps its own names');
    t.same(
      await shown(
        'SELECT collection, display_template, sort_field, archive_field, item_duplication_fields FROM system_collections ORDER BY 1 LIMIT 2',
      ),
      [
        '["authors","{{name}}",null,null,null]',
        '["books","{{ title }}: {{author.name}}","sort","title",["title","author.name"]]',
      ],
    );
    t.same(
      await shown(
        'SELECT collection, field, "group", options::text, conditions::text, validation::text FROM system_fields ORDER BY id',
      ),
      [
        '["books","title",null,"{\\"template\\":\\"{{title}}\\"}","[{\\"name\\":\\"name\\",\\"rule\\":{\\"title\\":{\\"_eq\\":1.5}}}]","{\\"title\\":{\\"_nnull\\":true}}"]',
        '["books","sort","title",null,null,null]',
        '["books","author",null,"{\\"template\\":\\"{{name}}\\",\\"filter\\":{\\"name\\":{\\"_nnull\\":true}}}",null,null]',
        '["authors","works",null,"{\\"template\\":\\"{{title}}\\",\\"fields\\":[\\"title\\"]}",null,null]',
      ],
    );
    t.same(
      await shown(
        'SELECT collection, fields, permissions::text, validation::text, presets::text FROM system_permissions ORDER BY id LIMIT 5',
      ),
      [
        '["books","id, title","{\\"_and\\":[{\\"title\\":{\\"_neq\\":9007199254740993}}]}",null,"{\\"title\\":\\"x\\"}"]',
        '["authors","id,name,works,books","{\\"works\\":{\\"title\\":{\\"_eq\\":\\"a\\"}}}","{\\"name\\":{\\"_nnull\\":true}}",null]',
        '["books","*",null,null,null]',
        '["prizes","book","{\\"book\\":{\\"author\\":{\\"name\\":{\\"_eq\\":\\"$CURRENT_USER\\"}}}}",null,null]',
        '["pages","*","{\\"item:books\\":{\\"title\\":{\\"_nnull\\":true}}}",null,null]',
      ],
    );
    t.same(
      await shown(
        'SELECT filter::text, layout_query::text, layout_options::text FROM system_presets',
      ),
      [
        JSON.stringify([
          '{"title":{"_contains":"x"}}',
          '{"tabular":{"fields":["title","author.name"],"sort":["-title"],"limit":25}}',
          '{"tabular":{"widths":{"title":160},"summaries":{"title":"count"}},"cards":{"title":"{{title}}","imageSource":"title"}}',
        ]),
      ],
    );
    t.same(await shown('SELECT options::text FROM system_panels'), [
      JSON.stringify([
        '{"collection":"books","filter":{"author":{"name":{"_eq":"a"}},"title":{"_eq":"$name"}},"groupField":"title","displayTemplate":"{{title}}","limit":5}',
      ]),
    ]);
    t.same(await shown('SELECT mapping, options FROM system_import_profiles'), [
      JSON.stringify([
        { name: 'title', by: { field: 'author', by: 'name' } },
        { match: 'title', constants: { title: 'x' }, separator: 'name' },
      ]),
    ]);
    t.same(await shown('SELECT data::text, delta::text FROM system_revisions ORDER BY id'), [
      '["{ \\"id\\" : 1, \\"title\\" : \\"Notes\\\\u0000\\", \\"sort\\" : null }","{ \\"title\\" : \\"Notes\\" }"]',
      '["{ \\"id\\" : 2, \\"title\\" : \\"a\\" }",null]',
      '["{\\"name\\":\\"stays\\"}","{\\"name\\":\\"stays\\"}"]',
    ]);
  });

  await t.test('keeps relations and the names that come from it', async (t) => {
    const catalog = await rename('books', 'editor', 'lector');
    t.equal(catalog.relations.get('books')?.get('lector')?.kind, 'm2o');
    t.ok(catalog.relations.get('authors')?.has('books'), 'the name of the collection');
    await rename('books', 'author', 'writer');
    t.same(
      await shown(
        'SELECT many_field, one_field, sort_field FROM system_relations ORDER BY id LIMIT 1',
      ),
      ['["writer","works","sort"]'],
    );
    const after = await rename('authors', 'works', 'texts');
    t.equal(after.relations.get('authors')?.get('texts')?.kind, 'o2m');
    t.same(
      await shown(
        `SELECT fields, permissions::text FROM system_permissions WHERE collection = 'authors'`,
      ),
      ['["id,name,texts,books","{\\"texts\\":{\\"title\\":{\\"_eq\\":\\"a\\"}}}"]'],
    );
    await rename('books', 'sort', 'place');
    t.same(await shown('SELECT sort_field FROM system_relations WHERE sort_field IS NOT NULL'), [
      '["place"]',
    ]);
    await rename('pages', 'kind', 'of');
    t.same(
      await shown(
        'SELECT one_collection_field FROM system_relations WHERE one_collection_field IS NOT NULL',
      ),
      ['["of"]'],
    );
  });

  await t.test('serves views, partitioned tables and keys', async (t) => {
    const renamed = [
      ['named', 'name', 'called'],
      ['parted', 'a', 'b'],
      ['authors', 'id', 'number'],
      ['authors', 'former name', 'a,b "c"'],
    ] as const;
    for (const [name, field, to] of renamed) {
      const catalog = await rename(name, field, to);
      t.ok(collection(catalog, name).fields.has(to), `${name}.${to}`);
    }
    t.same(await shown('SELECT b FROM parted_1'), []);
  });

  await t.test('is refused for names in use and for what cannot be renamed', async (t) => {
    const taken = await refused('books', 'title', 'writer');
    t.match(taken.toJSON().extensions, {
      code: 'INVALID_PAYLOAD',
      reason_code: 'field_name_taken',
    });
    t.equal((await refused('authors', 'name', 'texts')).code, 'INVALID_PAYLOAD', 'a relation');
    for (const [name, field] of [
      ['books', 'nothing'],
      ['nothing', 'id'],
      ['system_users', 'email'],
      ['parted_1', 'b'],
    ] as const) {
      t.equal((await refused(name, field, 'x')).code, 'FORBIDDEN', `${name}.${field}`);
    }
    await rename('books', 'title', 'title');
    t.ok(collection(await workshop.catalog(), 'books').fields.has('title'), 'its own name');
  });
});

t.test('renaming a collection', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const rename = (from: string, to: string) =>
    workshop.change((alteration) => renameCollection(alteration, { collection: from, to }));
  const refused = (from: string, to: string) =>
    workshop.refusal((alteration) => renameCollection(alteration, { collection: from, to }));
  const shown = (text: string) => list(workshop, text);

  await t.test('keeps everything that refers to it', async (t) => {
    const catalog = await rename('books', 'novels');
    t.notOk(catalog.collections.has('books'));
    t.same(await shown('SELECT name FROM novels'), ['["Notes"]']);
    t.equal(catalog.relations.get('prizes')?.get('book')?.kind, 'm2o');
    t.ok(catalog.relations.get('authors')?.has('novels'), 'the reverse of a foreign key follows');
    t.same(await shown('SELECT collection, "group" FROM system_collections ORDER BY 1'), [
      '["authors","novels"]',
      '["novels",null]',
      '["shelf",null]',
    ]);
    t.same(await shown('SELECT DISTINCT collection FROM system_fields ORDER BY 1'), [
      '["authors"]',
      '["novels"]',
    ]);
    t.same(
      await shown(
        'SELECT many_collection, one_collection, one_allowed_collections FROM system_relations ORDER BY id',
      ),
      ['["novels","authors",null]', '["pages",null,"authors,novels"]'],
    );
    t.same(
      await shown('SELECT kind FROM pages ORDER BY id'),
      ['["novels"]', '["authors"]'],
      'stored names',
    );
    t.same(await shown('SELECT collection, action, fields FROM system_permissions ORDER BY id'), [
      '["novels","read","id, name,title"]',
      '["authors","read","id,name,works,novels"]',
      '["novels","update","*"]',
      '["prizes","read","book"]',
      '["pages","read","*"]',
    ]);
    t.same(
      await shown(`SELECT permissions::text FROM system_permissions WHERE collection = 'pages'`),
      ['["{\\"item:novels\\":{\\"name\\":{\\"_nnull\\":true}}}"]'],
    );
    for (const table of ['presets', 'comments', 'activity']) {
      t.same(await shown(`SELECT collection FROM system_${table}`), ['["novels"]'], table);
    }
    t.same(await shown(`SELECT options ->> 'collection' FROM system_panels`), ['["novels"]']);
    t.same(await shown('SELECT collection FROM system_import_profiles'), ['["novels"]']);
    t.same(await shown('SELECT collection FROM system_revisions ORDER BY id'), [
      '["novels"]',
      '["novels"]',
      '["other"]',
    ]);
  });

  await t.test('serves folders, views and partitioned tables', async (t) => {
    for (const [from, to] of [
      ['shelf', 'drawer'],
      ['named', 'titles'],
      ['parted', 'in parts'],
    ] as const) {
      const catalog = await rename(from, to);
      t.ok(catalog.collections.has(to), to);
      t.notOk(catalog.collections.has(from), from);
    }
  });

  await t.test('is refused for names in use and for what cannot be renamed', async (t) => {
    for (const to of ['authors', 'parted_1', 'books_pkey', 'drawer']) {
      t.match((await refused('other', to)).toJSON().extensions, {
        code: 'INVALID_PAYLOAD',
        reason_code: 'collection_name_taken',
      });
    }
    for (const from of ['nothing', 'system_users', 'parted_1']) {
      t.equal((await refused(from, 'x')).code, 'FORBIDDEN', from);
    }
    t.ok((await rename('other', 'other')).collections.has('other'), 'its own name');
  });
});
