import t from 'tap';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { relationObjects } from '#core/schema/relation-object.ts';
import { collectionObject, fieldObject } from '#core/schema/schema-object.ts';
import { collection, install } from '../model/catalog/installation.ts';

function field(catalog: Catalog, name: string, of: string) {
  const owner = collection(catalog, name);
  const found = owner.fields.get(of);
  if (found === undefined) throw new Error(`there is no field ${name}.${of}`);
  return fieldObject(owner, found);
}

t.test('shows collections, fields and relations', async (t) => {
  const { open, sql } = await install(
    t,
    `CREATE TYPE mood AS ENUM ('sad', 'it''s fine');
     CREATE DOMAIN price AS numeric(10, 2) DEFAULT 9.50;
     CREATE TABLE author (id serial PRIMARY KEY, name text NOT NULL, email varchar(80) UNIQUE);
     COMMENT ON TABLE author IS 'who writes';
     COMMENT ON COLUMN author.name IS 'as printed';
     CREATE TABLE "odd ""type(1)" (
       id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
       author integer REFERENCES author ON DELETE SET NULL,
       slug varchar(20) DEFAULT 'it''s now()',
       flag boolean DEFAULT true,
       small integer DEFAULT -5,
       big bigint DEFAULT 9007199254740993,
       share real DEFAULT 0.25,
       cost price,
       exact numeric(12, 3) DEFAULT 1.5,
       mood mood DEFAULT 'it''s fine',
       extra jsonb DEFAULT '{"a": [1]}',
       names text[] DEFAULT '{a,b}',
       made timestamp(3) with time zone DEFAULT now(),
       day date DEFAULT '2020-01-01',
       nothing text DEFAULT NULL,
       sum integer DEFAULT 1 + 2,
       upper text GENERATED ALWAYS AS (upper(slug)) STORED,
       counted bigint GENERATED ALWAYS AS IDENTITY
     );
     CREATE INDEX ON "odd ""type(1)" (slug);
     CREATE INDEX ON "odd ""type(1)" (day) WHERE day > '2000-01-01';
     CREATE INDEX ON "odd ""type(1)" (small, big);
     CREATE TABLE pair (a integer, b integer, PRIMARY KEY (a, b));
     CREATE TABLE two (
       x integer, y integer, CONSTRAINT to_pair FOREIGN KEY (x, y) REFERENCES pair (a, b));
     CREATE VIEW seen AS SELECT id, name FROM author;`,
  );
  await sql(
    `INSERT INTO system_collections (collection, note) VALUES ('author', 'n'), ('folder', NULL);
     INSERT INTO system_fields (collection, field, special, display_options) VALUES
       ('author', 'name', 'conceal, uuid', '{"a": 1}'),
       ('author', 'email', NULL, '"text"'),
       ('author', 'books', 'o2m', NULL);
     INSERT INTO system_relations (many_collection, many_field, one_collection, one_field,
       one_allowed_collections) VALUES
       ('odd "type(1)', 'author', 'author', 'books', NULL),
       ('two', 'gone', NULL, NULL, 'author,pair');`,
  );
  const catalog = (await open(true)).current();
  const odd = 'odd "type(1)';

  t.test('collections', async (t) => {
    const author = collectionObject(collection(catalog, 'author'));
    t.match(author, {
      collection: 'author',
      meta: { collection: 'author', note: 'n', hidden: false, group: null },
      schema: { schema: 'public', name: 'author', comment: 'who writes' },
    });
    t.strictSame(collectionObject(collection(catalog, 'pair')).meta, null, 'without a row');
    t.strictSame(collectionObject(collection(catalog, 'folder')).schema, null, 'without a table');
    t.match(collectionObject(collection(catalog, 'seen')), { schema: { name: 'seen' } });
    t.strictSame(collectionObject(collection(catalog, 'pair')).schema?.primary_key, ['a', 'b']);
    t.notOk('primary_key' in (author.schema ?? {}), 'of one field its column tells');
    const users = collectionObject(collection(catalog, 'system_users'));
    t.match(users.meta, { collection: 'system_users', system: true, accountability: 'all' });
    const settings = collectionObject(collection(catalog, 'system_settings'));
    t.match(settings.meta, { singleton: true, system: true });
    t.strictSame(
      Object.keys(users.meta ?? {}).sort(),
      [...Object.keys(author.meta ?? {}), 'system'].sort(),
      'own ones have the same members',
    );
  });

  t.test('defaults are of the type of the field', async (t) => {
    const shown = [...collection(catalog, odd).fields.values()].map(({ name }) => {
      return [name, field(catalog, odd, name).schema?.default_value];
    });
    t.match(Object.fromEntries(shown), {
      id: 'gen_random_uuid()',
      author: null,
      slug: "it's now()",
      flag: true,
      small: -5,
      big: '9007199254740993',
      share: 0.25,
      cost: 9.5,
      exact: 1.5,
      mood: "it's fine",
      extra: { a: [1] },
      names: '{a,b}',
      made: 'now()',
      day: '2020-01-01',
      nothing: null,
      sum: '(1 + 2)',
      upper: null,
      counted: null,
    });
    t.match(field(catalog, 'author', 'id').schema?.default_value, /^nextval\(/);
  });

  t.test('columns', async (t) => {
    t.strictSame(field(catalog, 'author', 'email').schema, {
      name: 'email',
      table: 'author',
      schema: 'public',
      data_type: 'character varying',
      default_value: null,
      generation_expression: null,
      max_length: 80,
      numeric_precision: null,
      numeric_scale: null,
      is_generated: false,
      is_nullable: true,
      is_unique: true,
      is_indexed: false,
      is_primary_key: false,
      has_auto_increment: false,
      foreign_key_schema: null,
      foreign_key_table: null,
      foreign_key_column: null,
      comment: null,
      index_state: 'ready',
    });
    t.strictSame(field(catalog, 'author', 'id').schema?.index_state, undefined);
    t.strictSame(field(catalog, odd, 'mood').schema?.enum_values, ['sad', "it's fine"]);
    t.match(field(catalog, 'system_users', 'last_access').meta, { readonly: true });
    t.match(field(catalog, 'system_users', 'email').meta, { readonly: false });
    t.match(field(catalog, 'author', 'id').schema, {
      is_primary_key: true,
      is_unique: false,
      is_indexed: false,
      has_auto_increment: true,
      numeric_precision: 32,
      numeric_scale: 0,
    });
    t.match(field(catalog, odd, 'author').schema, {
      foreign_key_schema: 'public',
      foreign_key_table: 'author',
      foreign_key_column: 'id',
    });
    t.match(field(catalog, odd, 'upper').schema, { is_generated: true });
    t.match(field(catalog, odd, 'counted').schema, { has_auto_increment: true });
    t.match(field(catalog, odd, 'slug').schema, { is_indexed: true, index_state: 'ready' });
    t.match(field(catalog, odd, 'day').schema, { is_indexed: false }, 'an index of some rows');
    t.match(field(catalog, odd, 'small').schema, { is_indexed: false }, 'an index of several');
    const types = ['made', 'mood', 'names', 'cost', 'exact'];
    t.strictSame(
      types.map((name) => field(catalog, odd, name).schema?.data_type),
      ['timestamp with time zone', 'public.mood', 'text[]', 'public.price', 'numeric'],
    );
  });

  t.test('metadata of fields', async (t) => {
    t.match(field(catalog, 'author', 'name').meta, {
      special: 'conceal,uuid',
      display_options: '{"a":1}',
    });
    t.match(field(catalog, 'author', 'email').meta, { special: null, display_options: 'text' });
    t.strictSame(field(catalog, odd, 'slug').meta, null);
    const books = field(catalog, 'author', 'books');
    t.match(books, { type: 'alias', meta: { special: 'o2m' } });
    t.strictSame(books.schema, null);
    t.match(field(catalog, 'system_users', 'password').meta, {
      collection: 'system_users',
      field: 'password',
      special: 'hash,conceal',
      system: true,
    });
    t.match(field(catalog, 'system_users', 'title').meta, { system: true, width: 'full' });
    t.strictSame(
      Object.keys(field(catalog, 'system_users', 'title').meta ?? {}).sort(),
      [...Object.keys(books.meta ?? {}), 'system'].sort(),
      'own ones have the same members',
    );
  });

  t.test('relations', async (t) => {
    t.strictSame(relationObjects(catalog, collection(catalog, odd)), [
      {
        collection: odd,
        field: 'author',
        related_collection: 'author',
        schema: {
          constraint_name: `${odd}_author_fkey`,
          table: odd,
          column: 'author',
          foreign_key_schema: 'public',
          foreign_key_table: 'author',
          foreign_key_column: 'id',
          on_update: 'NO ACTION',
          on_delete: 'SET NULL',
        },
        meta: {
          id: 1,
          many_collection: odd,
          many_field: 'author',
          one_collection: 'author',
          one_field: 'books',
          one_collection_field: null,
          one_allowed_collections: null,
          junction_field: null,
          sort_field: null,
          one_deselect_action: 'nullify',
        },
      },
    ]);
    t.match(relationObjects(catalog, collection(catalog, 'two')), [
      { field: 'to_pair', related_collection: 'pair', meta: null, schema: { column: 'x,y' } },
      {
        field: 'gone',
        related_collection: null,
        schema: null,
        meta: { one_allowed_collections: ['author', 'pair'] },
      },
    ]);
    const [parent] = relationObjects(catalog, collection(catalog, 'system_roles'));
    t.match(parent, { field: 'parent', meta: { id: null, one_field: 'children', system: true } });
  });
});
