import t from 'tap';
import { deleteCollection } from '#core/schema/operation/collection-delete.ts';
import { collection } from '../../model/catalog/installation.ts';
import { openWorkshop } from './workshop.ts';

const SETUP = `
  CREATE TABLE authors (id serial PRIMARY KEY, name text, best integer);
  CREATE TABLE articles (id serial PRIMARY KEY, title text,
    author integer REFERENCES authors, parent integer REFERENCES articles);
  ALTER TABLE authors ADD FOREIGN KEY (best) REFERENCES articles;
  CREATE TABLE comments (id serial PRIMARY KEY, body text,
    article integer NOT NULL REFERENCES articles ON DELETE CASCADE);
  CREATE TABLE logical (id serial PRIMARY KEY, article integer);
  CREATE TABLE pages (id serial PRIMARY KEY, kind text, item text, title text);
  CREATE TABLE wide (a integer, b integer, PRIMARY KEY (a, b));
  CREATE TABLE narrow (id serial PRIMARY KEY, a integer, b integer,
    CONSTRAINT to_wide FOREIGN KEY (a, b) REFERENCES wide);
  CREATE TABLE held (id serial PRIMARY KEY);
  CREATE TABLE holder (held integer PRIMARY KEY REFERENCES held);
  CREATE TABLE seen (id serial PRIMARY KEY, a text);
  CREATE VIEW seeing AS SELECT id FROM seen;
  CREATE MATERIALIZED VIEW kept AS SELECT 1 AS id;
  CREATE TABLE part (id integer, PRIMARY KEY (id)) PARTITION BY RANGE (id);
  CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (9);
  INSERT INTO system_collections (collection, "group") VALUES ('articles', NULL),
    ('folder', NULL), ('authors', 'articles'), ('inside', 'folder');
  UPDATE system_collections SET sort_field = 'best', archive_field = 'name'
    WHERE collection = 'authors';
  INSERT INTO system_fields (collection, field, special) VALUES
    ('articles', 'title', NULL), ('authors', 'articles', 'o2m'), ('authors', 'name', NULL),
    ('articles', 'comments', 'o2m'), ('comments', 'article', 'm2o');
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
      one_collection_field, one_allowed_collections) VALUES
    ('articles', 'author', 'authors', 'articles', NULL, NULL),
    ('comments', 'article', 'articles', 'comments', NULL, NULL),
    ('logical', 'article', 'articles', 'logicals', NULL, NULL),
    ('pages', 'item', NULL, NULL, 'kind', 'authors,articles,comments');
  INSERT INTO system_policies (id, name) VALUES ('00000000-0000-4000-8000-000000000000', 'p');
  INSERT INTO system_permissions (policy, collection, action, fields)
    SELECT '00000000-0000-4000-8000-000000000000', c, 'read', f FROM (VALUES
      ('articles', '*'), ('authors', 'id,articles,best,name'), ('comments', 'article, body'),
      ('narrow', 'to_wide,a'), ('wide', 'narrow,a'), ('never_there', '*')) AS v (c, f);
  INSERT INTO system_presets (collection) VALUES ('articles'), ('authors');
  INSERT INTO system_comments (collection, item, comment) VALUES ('articles', '1', 'x');
  INSERT INTO system_activity (id, action, collection, item) VALUES
    (1, 'create', 'articles', '1'), (2, 'create', 'authors', '1');
  INSERT INTO system_revisions (id, activity, collection, item) VALUES (1, 1, 'articles', '1');
  INSERT INTO system_revisions (id, activity, collection, item, parent) VALUES
    (2, 2, 'authors', '1', 1), (3, 1, 'articles', '2', 1);
  INSERT INTO authors (name) VALUES ('a');
  INSERT INTO articles (author) VALUES (1);
  INSERT INTO comments (article, body) VALUES (1, 'stays');`;

t.test('deleting collections', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const remove = (name: string) =>
    workshop.change((alteration) => deleteCollection(alteration, name));
  const refused = (name: string) => workshop.refusal((a) => deleteCollection(a, name));
  const list = async (text: string) =>
    (await workshop.rows(text)).map((row) => Object.values(row).join(' '));

  await t.test('deletes everything about them and everything that refers to them', async (t) => {
    const catalog = await remove('articles');
    t.notOk(catalog.collections.has('articles'));
    t.same([...collection(catalog, 'authors').fields.keys()], ['id', 'name']);
    t.same([...collection(catalog, 'comments').fields.keys()], ['id', 'body']);
    t.same(await list('SELECT body FROM comments'), ['stays']);
    t.same(await list('SELECT collection, field FROM system_fields'), ['authors name']);
    t.same(await list('SELECT many_collection, one_allowed_collections FROM system_relations'), [
      'pages authors,comments',
    ]);
    t.same(await list('SELECT collection, fields FROM system_permissions ORDER BY 1'), [
      'authors id,name',
      'comments  body',
      'narrow to_wide,a',
      'never_there *',
      'wide narrow,a',
    ]);
    t.same(
      await list(
        'SELECT collection, "group", sort_field, archive_field FROM system_collections ORDER BY 1',
      ),
      ['authors   name', 'folder   ', 'inside folder  '],
    );
    t.same(await list('SELECT collection FROM system_presets'), ['authors']);
    t.same(await list('SELECT collection FROM system_comments'), []);
    t.same(await list('SELECT collection FROM system_activity'), ['authors']);
    t.same(await list('SELECT collection, parent FROM system_revisions'), ['authors ']);
    t.ok(collection(catalog, 'logical').fields.has('article'), 'no foreign key, no data lost');
  });

  await t.test('drops a foreign key of several columns and keeps those', async (t) => {
    const catalog = await remove('wide');
    t.same([...collection(catalog, 'narrow').fields.keys()], ['id', 'a', 'b']);
    t.same(collection(catalog, 'narrow').table?.foreignKeys, []);
    t.same(await list(`SELECT fields FROM system_permissions WHERE collection = 'narrow'`), ['a']);
  });

  await t.test('is refused where others could not be without them', async (t) => {
    const views = await refused('seen');
    t.match(views.toJSON().extensions, {
      code: 'UNPROCESSABLE_ENTITY',
      views: ['public.seeing'],
    });
    const key = await refused('held');
    t.match(key.toJSON().extensions, {
      code: 'UNPROCESSABLE_ENTITY',
      reason: /^holder\.held refers to held and belongs to the primary key of holder/,
    });
    await workshop.sql(
      'CREATE FUNCTION uses(pages) RETURNS text LANGUAGE sql AS $$ SELECT $1.kind $$',
    );
    const row = await refused('pages');
    t.match(row.toJSON().extensions, { code: 'UNPROCESSABLE_ENTITY', reason: /uses\(.*pages\)/ });
    for (const name of ['nothing', 'system_users', 'system_collections', 'part_1']) {
      t.equal((await refused(name)).code, 'FORBIDDEN', name);
    }
    t.ok((await workshop.catalog()).collections.has('held'));
  });

  await t.test('drops what stands behind the name, whatever it is', async (t) => {
    for (const name of ['seeing', 'seen', 'kept', 'part', 'inside', 'folder', 'authors']) {
      const catalog = await remove(name);
      t.notOk(catalog.collections.has(name), name);
    }
    t.same(await list(`SELECT collection FROM system_collections`), []);
    t.same(
      await list(`SELECT relname FROM pg_class WHERE relname IN ('part_1', 'seeing', 'kept')`),
      [],
    );
  });
});
