import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { updateFields } from '#core/schema/operation/field-update.ts';
import type { FieldPatch, FieldTypeName } from '#core/schema/schema-change.ts';
import { fieldObject } from '#core/schema/schema-object.ts';
import { openWorkshop } from './workshop.ts';

const workshop = await openWorkshop(
  t,
  `CREATE TABLE pages (id serial PRIMARY KEY, title varchar(20) DEFAULT 'none' NOT NULL, n int, body text,
     slug varchar(50) UNIQUE, code varchar(10), data json, made timestamp DEFAULT CURRENT_TIMESTAMP);
   COMMENT ON COLUMN pages.body IS 'what it says';
   CREATE INDEX ON pages (n);
   INSERT INTO pages (title, n, body, slug, code) SELECT 'title ' || i, i, i::text, 's' || i, 'c' || i
     FROM generate_series(1, 20) i;
   INSERT INTO pages (title) VALUES ('empty');
   CREATE TABLE notes (id int PRIMARY KEY, page int REFERENCES pages, text text);
   CREATE VIEW titles AS SELECT title FROM pages;
   INSERT INTO system_fields (collection, field, special) VALUES ('pages', 'alias', 'o2m');
   INSERT INTO system_fields (collection, field, special, note, sort)
     VALUES ('pages', 'data', 'cast-json', 'kept', 9)`,
);

const update = (patches: readonly FieldPatch[], collection = 'pages') =>
  workshop.change((alteration) => updateFields(alteration, collection, patches));
const refuse = (patch: FieldPatch, collection = 'pages') =>
  workshop.refusal((alteration) => updateFields(alteration, collection, [patch]));
const force = (patch: FieldPatch, collection = 'pages') =>
  workshop.change((alteration) =>
    updateFields({ ...alteration, force: true }, collection, [patch]),
  );

function shown(catalog: Catalog, name: string, collection = 'pages') {
  const target = catalog.collections.get(collection);
  const field = target?.fields.get(name);
  if (target === undefined || field === undefined) throw new Error(`there is no ${name}`);
  return fieldObject(target, field);
}

t.test('what is written back as it was read changes nothing', async (t) => {
  const catalog = await workshop.catalog();
  const patches = [...(catalog.collections.get('pages')?.fields.keys() ?? [])].map((name) => {
    const { type, schema, meta } = shown(catalog, name);
    const written = schema === null ? null : { schema: pick(schema) };
    const special =
      meta === null ? null : { meta: { special: String(meta.special ?? '') || null } };
    return { field: name, type: typeName(type), ...written, ...special };
  });
  const statements: string[] = [];
  await workshop.change(async (alteration) => {
    const note = { ...alteration, run: async () => void statements.push('something') };
    await updateFields(
      note,
      'pages',
      patches.filter(({ field }) => field !== 'data' && field !== 'alias'),
    );
  });
  t.strictSame(statements, []);
});

function typeName(type: string): FieldTypeName {
  const known = ['integer', 'string', 'text', 'json', 'dateTime', 'alias'] as const;
  const found = known.find((one) => one === type);
  if (found === undefined) throw new Error(type);
  return found;
}

function pick(schema: NonNullable<ReturnType<typeof fieldObject>['schema']>) {
  const { default_value, max_length, numeric_precision, numeric_scale, is_nullable } = schema;
  const { is_unique, is_indexed, is_primary_key, has_auto_increment, comment } = schema;
  return {
    ...{ default_value, max_length, numeric_precision, numeric_scale, is_nullable },
    ...{ is_unique, is_indexed, is_primary_key, has_auto_increment, comment },
  };
}

t.test('default, nullability, uniqueness, index, comment and length change', async (t) => {
  const catalog = await update([
    { field: 'body', schema: { default_value: "it's", comment: null } },
    { field: 'slug', schema: { is_unique: false, max_length: 60 } },
    { field: 'n', schema: { is_indexed: false } },
    { field: 'code', schema: { is_unique: true, is_indexed: true, comment: 'a; --' } },
  ]);
  t.match(shown(catalog, 'body').schema, { default_value: "it's", comment: null });
  t.match(shown(catalog, 'slug').schema, { is_unique: false, max_length: 60 });
  t.match(shown(catalog, 'n').schema, { is_indexed: false });
  t.match(shown(catalog, 'code').schema, { is_unique: true, is_indexed: true, comment: 'a; --' });
  const back = await update([
    { field: 'code', schema: { is_unique: false, is_indexed: false } },
    { field: 'body', schema: { default_value: null } },
  ]);
  t.match(shown(back, 'code').schema, { is_unique: false, is_indexed: false });
  t.equal(shown(back, 'body').schema?.default_value, null);
});

t.test('metadata changes where it is given, and a field without a row gets one', async (t) => {
  const catalog = await update([
    { field: 'n', meta: { note: 'hello', required: false } },
    { field: 'data', meta: { sort: 1 } },
  ]);
  t.match(shown(catalog, 'n').meta, { note: 'hello', sort: null, width: 'full' });
  t.match(shown(catalog, 'data').meta, { note: 'kept', sort: 1, special: 'cast-json' });
});

t.test('special flags alone leave the column as it is', async (t) => {
  const file = () => workshop.rows(`SELECT pg_relation_filenode('pages')`);
  const before = await file();
  const csv = await update([{ field: 'body', meta: { special: 'cast-csv' } }]);
  t.match(shown(csv, 'body'), { type: 'csv', schema: { data_type: 'text' } });
  const text = await update([{ field: 'body', type: 'text' }]);
  t.match(shown(text, 'body'), { type: 'text', meta: { special: null } });
  const typed = await update([{ field: 'body', type: 'csv' }]);
  t.match(shown(typed, 'body'), { type: 'csv', meta: { special: 'cast-csv' } });
  await update([{ field: 'body', type: 'text' }]);
  t.strictSame(await file(), before);
});

t.test('a type changes when nothing is lost', async (t) => {
  const file = () => workshop.rows(`SELECT pg_relation_filenode('notes')`);
  const catalog = await update([
    { field: 'n', type: 'string' },
    { field: 'body', type: 'integer' },
  ]);
  t.match(shown(catalog, 'n'), { type: 'string', schema: { max_length: 255 } });
  t.match(shown(catalog, 'body'), { type: 'integer', schema: { data_type: 'integer' } });
  t.strictSame(await workshop.rows('SELECT n, body FROM pages WHERE id = 7'), [
    { n: '7', body: 7 },
  ]);
  const back = await update([
    { field: 'n', type: 'decimal', schema: { numeric_precision: 6, numeric_scale: 2 } },
    { field: 'body', type: 'text' },
  ]);
  t.match(shown(back, 'n'), {
    type: 'decimal',
    schema: { numeric_precision: 6, numeric_scale: 2 },
  });
  t.match(shown(await update([{ field: 'n', type: 'integer' }]), 'n'), { type: 'integer' });
  await update([{ field: 'text', type: 'string', schema: { max_length: 9 } }], 'notes');
  const before = await file();
  await update([{ field: 'text', schema: { max_length: 900 } }], 'notes');
  await update([{ field: 'text', type: 'text' }], 'notes');
  t.strictSame(await file(), before, 'without writing the table anew');
});

t.test('a default goes along with its type, or is asked for', async (t) => {
  await workshop.sql(`ALTER TABLE pages ADD COLUMN d1 varchar(9) DEFAULT '12',
    ADD COLUMN d2 varchar(9) DEFAULT 'x'`);
  t.equal(shown(await update([{ field: 'd1', type: 'integer' }]), 'd1').schema?.default_value, 12);
  await workshop.sql('UPDATE pages SET d2 = NULL');
  t.equal((await refuse({ field: 'd2', type: 'integer' })).code, 'INVALID_PAYLOAD');
  const given = await update([{ field: 'd2', type: 'integer', schema: { default_value: 3 } }]);
  t.equal(shown(given, 'd2').schema?.default_value, 3);
  const none = await update([{ field: 'd2', type: 'string', schema: { default_value: null } }]);
  t.equal(shown(none, 'd2').schema?.default_value, null);
});

t.test('a key that counts becomes wider with its sequence', async (t) => {
  await workshop.sql('CREATE TABLE wide (id serial PRIMARY KEY, x int)');
  const catalog = await update([{ field: 'id', type: 'bigInteger' }], 'wide');
  t.match(shown(catalog, 'id', 'wide').schema, { data_type: 'bigint', has_auto_increment: true });
  const sequences = await workshop.rows(
    `SELECT data_type::text FROM pg_sequences WHERE sequencename = 'wide_id_seq'`,
  );
  t.strictSame(sequences, [{ data_type: 'bigint' }]);
  t.equal((await refuse({ field: 'id', type: 'string' }, 'wide')).code, 'INVALID_PAYLOAD');
});

t.test('what would be lost is counted and shown, and given up only on demand', async (t) => {
  await workshop.sql(`CREATE TABLE loss (a int, b int, was text, pin text, at timestamp, real numeric,
      n int NOT NULL, PRIMARY KEY (a, b));
    INSERT INTO loss SELECT i, -i, CASE WHEN i % 2 = 0 THEN i::text ELSE 'odd ' || i END,
      '1234' || i, '2024-01-01 10:00', i + 0.5, i FROM generate_series(1, 30) i;
    INSERT INTO system_fields (collection, field, special) VALUES ('loss', 'pin', 'conceal')`);
  const error = await refuse({ field: 'was', type: 'integer' }, 'loss');
  t.equal(error.code, 'UNPROCESSABLE_ENTITY');
  t.match(error.details, { collection: 'loss', field: 'was', rows: 15 });
  const { values } = error.details;
  t.ok(Array.isArray(values));
  if (!Array.isArray(values)) return;
  t.equal(values.length, 10);
  t.strictSame(values[0], { key: ['1', '-1'], value: 'odd 1' });
  const pin = await refuse({ field: 'pin', type: 'string', schema: { max_length: 5 } }, 'loss');
  t.match(pin.details, { rows: 21, values: [{ value: '**********' }] });
  for (const [field, type] of [
    ['at', 'date'],
    ['at', 'time'],
    ['real', 'integer'],
    ['n', 'boolean'],
    ['was', 'uuid'],
    ['was', 'json'],
    ['n', 'date'],
    ['real', 'timestamp'],
  ] as const) {
    const lost = await refuse({ field, type }, 'loss');
    t.equal(lost.code, 'UNPROCESSABLE_ENTITY', `${field} as ${type}`);
  }
  t.equal(
    shown(await force({ field: 'was', type: 'integer' }, 'loss'), 'was', 'loss').type,
    'integer',
  );
  await force({ field: 'pin', type: 'string', schema: { max_length: 5 } }, 'loss');
  await force({ field: 'at', type: 'date' }, 'loss');
  t.strictSame(
    await workshop.rows('SELECT was, pin, at::text FROM loss WHERE a IN (1, 2, 30) ORDER BY a'),
    [
      { was: null, pin: '12341', at: '2024-01-01' },
      { was: 2, pin: '12342', at: '2024-01-01' },
      { was: 30, pin: '12343', at: '2024-01-01' },
    ],
  );
  const functions = await workshop.rows(`SELECT proname FROM pg_proc WHERE proname ~ '^sluice_'`);
  t.strictSame(functions, [], 'and nothing is left behind');
});

t.test('texts survive as what they say, digits and offsets included', async (t) => {
  await workshop.sql('CREATE TABLE said (id int PRIMARY KEY, text text)');
  const cases: readonly [string, FieldTypeName, boolean, object?][] = [
    ['12', 'integer', true],
    ['1.5', 'integer', false],
    ['99999999999', 'integer', false],
    ['0.1234567890123', 'float', true],
    ['0.12345678901234567', 'float', false],
    ['1.123456', 'decimal', false],
    ['2024-01-01', 'date', true],
    ['2024-01-01 10:00', 'date', false],
    ['2024-01-01T10:00:00+02:00', 'dateTime', false],
    ['2024-01-01T10:00:00+02:00', 'timestamp', true],
    ['10:30', 'time', true],
    ['2024-01-01 10:30', 'time', false],
    ['true', 'boolean', true],
    ['perhaps', 'boolean', false],
    ['{"a":1}', 'json', true],
    ['{', 'json', false],
    ['a\\b', 'binary', true],
    ['abc', 'string', true, { max_length: 3 }],
    ['abcd', 'string', false, { max_length: 3 }],
    ['', 'integer', false],
  ];
  await workshop.change(async (alteration) => {
    for (const [text, type, fit, schema = {}] of cases) {
      await alteration.ask(sql`SAVEPOINT before`);
      await alteration.ask(sql`INSERT INTO public.said VALUES (1, ${text})`);
      const fits = await updateFields(alteration, 'said', [{ field: 'text', type, schema }]).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof ServiceError)) throw error;
          return false;
        },
      );
      t.equal(fits, fit, `${text} as ${type}`);
      await alteration.ask(sql`ROLLBACK TO before`);
    }
  });
});

t.test('what no field of its kind can become is refused', async (t) => {
  const code = async (patch: FieldPatch, collection?: string) =>
    (await refuse(patch, collection)).code;
  t.equal(await code({ field: 'nothing', meta: {} }), 'FORBIDDEN');
  t.equal(await code({ field: 'x', meta: {} }, 'nothing'), 'FORBIDDEN');
  t.equal(await code({ field: 'id', schema: { is_nullable: true } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'n', schema: { is_primary_key: true } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'n', schema: { has_auto_increment: true } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'id', schema: { default_value: 5 } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'n', type: 'alias' }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'n', type: null }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'alias', type: 'integer' }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'n', type: 'unknown' }), 'INVALID_PAYLOAD');
  t.equal(
    await code({ field: 'title', schema: { default_value: 'x'.repeat(21) } }),
    'INVALID_PAYLOAD',
  );
  t.equal(await code({ field: 'n', schema: { default_value: 'x); DROP' } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'n', type: 'geometry' }), 'UNPROCESSABLE_ENTITY');
  const views = await refuse({ field: 'title', type: 'text' });
  t.match(views, { code: 'UNPROCESSABLE_ENTITY', details: { views: ['public.titles'] } });
  const nulls = await refuse({ field: 'slug', schema: { is_nullable: false } });
  t.match(nulls, { code: 'CONTAINS_NULL_VALUES', details: { rows: 1, field: 'slug' } });
  // A foreign key binds the types of both its columns.
  t.equal(await code({ field: 'page', type: 'uuid' }, 'notes'), 'UNPROCESSABLE_ENTITY');
  t.equal(
    await code({ field: 'title', schema: { is_nullable: false } }, 'titles'),
    'INVALID_PAYLOAD',
  );
});

t.test('of a list of fields all change or none', async (t) => {
  const before = shown(await workshop.catalog(), 'n');
  await workshop.refusal((alteration) =>
    updateFields(alteration, 'pages', [
      { field: 'n', schema: { comment: 'changed' }, meta: { note: 'changed' } },
      { field: 'slug', schema: { is_nullable: false } },
    ]),
  );
  t.strictSame(shown(await workshop.catalog(), 'n'), before);
});

t.test('of system collections only the index of a field can be changed', async (t) => {
  const catalog = await update([{ field: 'title', schema: { is_indexed: true } }], 'system_users');
  t.equal(shown(catalog, 'title', 'system_users').schema?.is_indexed, true);
  const code = async (patch: FieldPatch) => (await refuse(patch, 'system_users')).code;
  t.equal(await code({ field: 'title', schema: { is_unique: true } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'title', meta: { note: 'x' } }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'title', type: 'text' }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'title' }), 'INVALID_PAYLOAD');
  t.equal(await code({ field: 'password', meta: { special: null } }), 'INVALID_PAYLOAD');
});
