import t from 'tap';
import { createField } from '#core/schema/operation/field.ts';
import { deleteField } from '#core/schema/operation/field-delete.ts';
import { openWorkshop } from './workshop.ts';

const workshop = await openWorkshop(
  t,
  `CREATE TABLE authors (id int PRIMARY KEY, name text UNIQUE, other text);
   CREATE TABLE books (id int PRIMARY KEY, author int REFERENCES authors, title text, sort int,
     state text, kind text, item text, a int, b int, lone text REFERENCES authors (name),
     total int GENERATED ALWAYS AS (a + b) STORED);
   CREATE TABLE pair (x int, y int, z int, PRIMARY KEY (x, y));
   CREATE TABLE single (note text);
   CREATE VIEW titles AS SELECT id, title FROM books;
   INSERT INTO system_collections (collection, archive_field, sort_field, display_template,
       item_duplication_fields)
     VALUES ('books', 'state', 'sort', '{{state}}', '["state", "title", {"deep": ["state"]}]'),
       ('authors', 'other', 'name', NULL, NULL);
   INSERT INTO system_fields (collection, field, special, "group") VALUES
     ('authors', 'books', 'o2m', NULL), ('books', 'author', 'm2o', NULL),
     ('books', 'box', 'alias', NULL), ('books', 'sort', NULL, 'box'), ('books', 'state', NULL, NULL);
   INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
       sort_field, junction_field, one_collection_field, one_allowed_collections)
     VALUES ('books', 'author', 'authors', 'books', 'sort', NULL, NULL, NULL),
       ('books', 'item', NULL, NULL, NULL, 'author', 'kind', 'authors');
   INSERT INTO system_policies (id, name) VALUES ('00000000-0000-4000-8000-000000000001', 'p');
   INSERT INTO system_permissions (policy, collection, action, fields, presets) VALUES
     ('00000000-0000-4000-8000-000000000001', 'books', 'read', 'id, state,title',
       '{"state": "new", "title": "t"}'),
     ('00000000-0000-4000-8000-000000000001', 'books', 'update', 'state', NULL),
     ('00000000-0000-4000-8000-000000000001', 'authors', 'read', 'state,books', '[1]'),
     ('00000000-0000-4000-8000-000000000001', 'books', 'create', '*', 'null')`,
);

const remove = (collection: string, field: string) =>
  workshop.change((alteration) => deleteField(alteration, { collection, field }));
const refuse = (collection: string, field: string) =>
  workshop.refusal((alteration) => deleteField(alteration, { collection, field }));
const rights = () =>
  workshop.rows('SELECT collection, action, fields, presets FROM system_permissions ORDER BY id');

t.test('what must stay stays, and the reason names why', async (t) => {
  t.equal((await refuse('books', 'nothing')).code, 'FORBIDDEN');
  t.equal((await refuse('nothing', 'id')).code, 'FORBIDDEN');
  t.equal((await refuse('system_users', 'title')).code, 'FORBIDDEN');
  t.equal((await refuse('books', 'id')).code, 'UNPROCESSABLE_ENTITY');
  t.equal((await refuse('pair', 'y')).code, 'UNPROCESSABLE_ENTITY');
  t.equal((await refuse('single', 'note')).code, 'UNPROCESSABLE_ENTITY');
  t.equal((await refuse('titles', 'title')).code, 'INVALID_PAYLOAD');
  t.match(await refuse('books', 'title'), {
    code: 'UNPROCESSABLE_ENTITY',
    details: { views: ['public.titles'], reason: { sentence: /public\.titles/ } },
  });
  // A foreign key from elsewhere, and a column that is computed from it.
  t.match(await refuse('authors', 'name'), { code: 'UNPROCESSABLE_ENTITY', message: /lone/ });
  t.match(await refuse('books', 'a'), { code: 'UNPROCESSABLE_ENTITY', message: /total/ });
  t.equal((await workshop.rows('SELECT * FROM system_fields')).length, 5);
});

t.test('a column goes with its data and everything that names it', async (t) => {
  const catalog = await remove('books', 'state');
  t.notOk(catalog.collections.get('books')?.fields.has('state'));
  t.strictSame(
    await workshop.rows(`SELECT archive_field, sort_field, display_template, item_duplication_fields
      FROM system_collections ORDER BY collection`),
    [
      {
        archive_field: 'other',
        sort_field: 'name',
        display_template: null,
        item_duplication_fields: null,
      },
      {
        archive_field: null,
        sort_field: 'sort',
        display_template: '{{state}}',
        item_duplication_fields: ['title', { deep: ['state'] }],
      },
    ],
  );
  t.strictSame(await rights(), [
    { collection: 'books', action: 'read', fields: 'id,title', presets: { title: 't' } },
    { collection: 'books', action: 'update', fields: null, presets: null },
    { collection: 'authors', action: 'read', fields: 'state,books', presets: [1] },
    { collection: 'books', action: 'create', fields: '*', presets: null },
  ]);
});

t.test('a field made again under the name has no rights of the old one', async (t) => {
  const before = await rights();
  await workshop.change((alteration) =>
    createField(alteration, 'books', { field: 'state', type: 'text', schema: {}, meta: null }),
  );
  t.strictSame(await rights(), before);
});

t.test('relations forget what is gone, and go with the field that they start from', async (t) => {
  const relations = () =>
    workshop.rows(`SELECT many_field, one_field, sort_field, junction_field
      FROM system_relations ORDER BY many_field`);
  await remove('books', 'sort');
  t.match(await relations(), [{ many_field: 'author', sort_field: null }, { many_field: 'item' }]);
  await remove('books', 'author');
  t.match(await relations(), [{ many_field: 'item', junction_field: null }]);
  const fields = await workshop.rows(`SELECT collection, field FROM system_fields`);
  t.strictSame(fields, [{ collection: 'books', field: 'box' }], 'the way back is gone too');
  t.match((await rights())[2], { fields: 'state' }, 'with its rights');
  await remove('books', 'kind');
  t.strictSame(await relations(), [], 'and so does one that cannot tell where it leads');
});

t.test('an alias goes without touching the database, its relation stays', async (t) => {
  await workshop.sql(`ALTER TABLE books ADD COLUMN writer int REFERENCES authors;
    INSERT INTO system_fields (collection, field, special) VALUES ('authors', 'written', 'o2m');
    INSERT INTO system_fields (collection, field, "group") VALUES ('books', 'writer', 'box');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
      VALUES ('books', 'writer', 'authors', 'written')`);
  const catalog = await remove('authors', 'written');
  t.ok(catalog.collections.get('books')?.fields.has('writer'));
  t.match(await workshop.rows('SELECT many_field, one_field FROM system_relations'), [
    { many_field: 'writer', one_field: null },
  ]);
  await remove('books', 'box');
  t.match(await workshop.rows(`SELECT "group" FROM system_fields WHERE field = 'writer'`), [
    { group: null },
  ]);
});
