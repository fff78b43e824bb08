// @quick

import t from 'tap';
import { sql } from '#core/database/sql.ts';
import { createField } from '#core/schema/operation/field.ts';
import type { FieldInput, FieldTypeName } from '#core/schema/schema-change.ts';
import { fieldObject } from '#core/schema/schema-object.ts';
import { openWorkshop } from './workshop.ts';

const workshop = await openWorkshop(
  t,
  `CREATE TABLE pages (id serial PRIMARY KEY, title text);
   CREATE TABLE plain (note text);
   CREATE TABLE filled (id int PRIMARY KEY);
   INSERT INTO filled SELECT generate_series(1, 3);
   CREATE VIEW seen AS SELECT id FROM filled;
   INSERT INTO system_collections (collection) VALUES ('folder');`,
);

const create = (collection: string, field: FieldInput) =>
  workshop.change((alteration) => createField(alteration, collection, field));
const refuse = (collection: string, field: FieldInput) =>
  workshop.refusal((alteration) => createField(alteration, collection, field));

function input(field: string, type: FieldTypeName | null, more: Partial<FieldInput> = {}) {
  return { field, type, schema: {}, meta: null, ...more };
}

/** The field as it is shown after it was made. */
async function made(collection: string, field: FieldInput) {
  const catalog = await create(collection, field);
  const target = catalog.collections.get(collection);
  const found = target?.fields.get(field.field);
  if (target === undefined || found === undefined) throw new Error('the field is not there');
  return fieldObject(target, found);
}

t.test('every type has its column, and is read as what it was made', async (t) => {
  const types: readonly [FieldTypeName, string, unknown, unknown][] = [
    ['string', 'character varying', 'a "quoted" \\ \'one\'', 'a "quoted" \\ \'one\''],
    ['text', 'text', 'x', 'x'],
    ['boolean', 'boolean', false, false],
    ['integer', 'integer', 5, 5],
    ['bigInteger', 'bigint', '9007199254740993', '9007199254740993'],
    ['float', 'double precision', 1.5, 1.5],
    ['decimal', 'numeric', '1.25', 1.25],
    ['date', 'date', '2024-02-29', '2024-02-29'],
    ['time', 'time without time zone', '10:30:00', '10:30:00'],
    ['dateTime', 'timestamp without time zone', '2024-02-29 10:00:00', '2024-02-29 10:00:00'],
    ['timestamp', 'timestamp with time zone', 'now()', 'now()'],
    ['json', 'json', { a: [1, "it's"] }, { a: [1, "it's"] }],
    ['csv', 'text', ['a', 'b'], 'a,b'],
    ['uuid', 'uuid', 'gen_random_uuid()', 'gen_random_uuid()'],
    ['hash', 'character varying', null, null],
    ['binary', 'bytea', null, null],
  ];
  for (const [type, dataType, given, shown] of types) {
    const field = await made(
      'pages',
      input(`of ${type}`, type, { schema: { default_value: given } }),
    );
    t.equal(field.type, type);
    t.equal(field.schema?.data_type, dataType, type);
    t.strictSame(field.schema?.default_value, shown, type);
    t.equal(field.schema?.is_nullable, true);
  }
  t.equal((await made('pages', input('d', 'decimal'))).schema?.numeric_scale, 5);
  t.equal((await made('pages', input('s', 'string'))).schema?.max_length, 255);
  const precise = input('p', 'decimal', { schema: { numeric_precision: 12, numeric_scale: 3 } });
  t.match((await made('pages', precise)).schema, { numeric_precision: 12, numeric_scale: 3 });
  const jsonb = input('b', 'json', { schema: { data_type: 'jsonb' } });
  t.equal((await made('pages', jsonb)).schema?.data_type, 'jsonb');
  const raw = input('r', 'unknown', { schema: { data_type: 'int4range' } });
  t.match(await made('pages', raw), { type: 'unknown', schema: { data_type: 'int4range' } });
});

t.test('uniqueness, index, comment and key come with the column', async (t) => {
  const field = await made(
    'pages',
    input('slug', 'string', {
      schema: {
        is_unique: true,
        is_indexed: true,
        is_nullable: false,
        default_value: 'x',
        comment: "it's \\ ; --",
      },
    }),
  );
  t.match(field.schema, {
    is_unique: true,
    is_indexed: true,
    is_nullable: false,
    comment: "it's \\ ; --",
  });
  const names = await workshop.rows(`SELECT indexname FROM pg_indexes WHERE tablename = 'pages'`);
  t.ok(names.some(({ indexname }) => indexname === 'pages_slug_unique'));
  t.ok(names.some(({ indexname }) => indexname === 'pages_slug_index'));
  const key = input('id', 'bigInteger', {
    schema: { is_primary_key: true, has_auto_increment: true },
  });
  t.match((await made('plain', key)).schema, {
    is_primary_key: true,
    has_auto_increment: true,
    is_nullable: false,
    data_type: 'bigint',
  });
  const second = input('id2', 'integer', { schema: { is_primary_key: true } });
  t.equal((await refuse('plain', second)).code, 'INVALID_PAYLOAD');
});

t.test('metadata: a row where there is something to say, at the end of its group', async (t) => {
  t.equal((await made('filled', input('bare', 'integer'))).meta, null);
  const first = await made('filled', input('first', 'integer', { meta: { interface: 'input' } }));
  t.match(first.meta, { sort: 1, interface: 'input', width: 'full' });
  const csv = await made('filled', input('tags', 'csv'));
  t.match(csv, { type: 'csv', meta: { sort: 2, special: 'cast-csv' } });
  const secret = input('secret', 'hash', { meta: { special: 'hash,conceal' } });
  t.match(await made('filled', secret), { type: 'hash', meta: { special: 'hash,conceal' } });
  const grouped = input('within', 'integer', { meta: { group: 'box' } });
  t.equal((await made('filled', grouped)).meta?.sort, 1);
  const chosen = input('chosen', 'integer', { meta: { sort: 40, options: { a: ["it's"] } } });
  t.match((await made('filled', chosen)).meta, { sort: 40, options: { a: ["it's"] } });
});

t.test('an alias has a row and no column', async (t) => {
  t.match(await made('filled', input('divider', null, { schema: null })), {
    type: 'alias',
    schema: null,
  });
  t.match(await made('filled', input('children', 'o2m')), {
    type: 'alias',
    schema: null,
    meta: { special: 'o2m' },
  });
  t.match(await made('folder', input('notice', 'alias')), { type: 'alias' });
});

t.test('a default is a value of its type, whatever it says', async (t) => {
  await workshop.sql('CREATE TABLE victims (id int PRIMARY KEY)');
  const hostile = [
    `x'; DROP TABLE victims; --`,
    `x\\'; DROP TABLE victims; --`,
    `') ; DROP TABLE victims; --`,
    '$$; DROP TABLE victims; $$',
    '(SELECT password FROM system_users LIMIT 1)',
    `nextval('pages_id_seq')`,
    'current_user',
    'now()',
    'pg_sleep(10)',
    `E'\\x41'`,
  ];
  const catalog = await workshop.change(async (alteration) => {
    for (const [index, text] of hostile.entries()) {
      const schema = { default_value: text, comment: text };
      await createField(alteration, 'pages', input(`hostile ${index}`, 'string', { schema }));
      await createField(alteration, 'pages', input(`json ${index}`, 'json', { schema }));
      for (const type of ['integer', 'boolean', 'timestamp', 'uuid', 'decimal'] as const) {
        if (text === 'now()' && type === 'timestamp') continue;
        await alteration.ask(sql`SAVEPOINT before`);
        const field = input('refused', type, { schema });
        await t.rejects(createField(alteration, 'pages', field), { code: 'INVALID_PAYLOAD' });
        await alteration.ask(sql`ROLLBACK TO before`);
      }
    }
  });
  const pages = catalog.collections.get('pages');
  await workshop.sql('INSERT INTO pages DEFAULT VALUES');
  const [row] = await workshop.rows('SELECT * FROM pages');
  for (const [index, text] of hostile.entries()) {
    t.equal(row[`hostile ${index}`], text);
    t.equal(row[`json ${index}`], text);
    t.equal(pages?.fields.get(`hostile ${index}`)?.column?.comment, text);
  }
  t.strictSame(await workshop.rows('SELECT * FROM victims'), []);
});

t.test('names are whatever PostgreSQL takes', async (t) => {
  const names = [
    'bad name!',
    '"; DROP TABLE pages; --',
    'a.b',
    'a?b',
    'select',
    'Ünï',
    "it's",
    '\\',
    'q'.repeat(63),
  ];
  const schema = { is_indexed: true };
  const catalog = await workshop.change(async (alteration) => {
    for (const name of names)
      await createField(alteration, 'pages', input(name, 'integer', { schema }));
  });
  const pages = catalog.collections.get('pages');
  for (const name of names) {
    t.ok(pages?.fields.get(name)?.column, name);
    t.ok(pages?.table?.indexes.some(({ columns }) => columns[0] === name && columns.length === 1));
  }
});

t.test('what cannot be made is refused, and nothing of it stays', async (t) => {
  t.equal((await refuse('nothing', input('a', 'integer'))).code, 'FORBIDDEN');
  t.equal((await refuse('system_roles', input('a', 'integer'))).code, 'FORBIDDEN');
  t.equal((await refuse('system_users', input('email', 'string'))).code, 'FORBIDDEN');
  t.equal((await refuse('pages', input('title', 'integer'))).code, 'INVALID_PAYLOAD');
  t.equal((await refuse('folder', input('a', 'integer'))).code, 'INVALID_PAYLOAD');
  t.equal((await refuse('seen', input('a', 'integer'))).code, 'INVALID_PAYLOAD');
  t.equal((await refuse('pages', input('g', 'geometry.Point'))).code, 'UNPROCESSABLE_ENTITY');
  t.equal((await refuse('pages', input('u', 'unknown'))).code, 'INVALID_PAYLOAD');
  const untrue = { schema: { data_type: 'int; DROP TABLE pages' } };
  t.equal((await refuse('pages', input('u', 'unknown', untrue))).code, 'INVALID_PAYLOAD');
  const long = { schema: { max_length: 2, default_value: 'abc' } };
  t.equal((await refuse('pages', input('l', 'string', long))).code, 'INVALID_PAYLOAD');
  const counting = { schema: { has_auto_increment: true } };
  t.equal((await refuse('pages', input('c', 'string', counting))).code, 'INVALID_PAYLOAD');
  const required = await refuse(
    'filled',
    input('must', 'integer', { schema: { is_nullable: false } }),
  );
  t.equal(required.code, 'CONTAINS_NULL_VALUES');
  t.match(required.details, { collection: 'filled', field: 'must', rows: 3 });
  const counted = { schema: { has_auto_increment: true } };
  t.equal((await made('filled', input('counted', 'integer', counted))).schema?.is_nullable, false);
  const given = { schema: { is_nullable: false, default_value: 7 } };
  t.equal((await made('filled', input('given', 'integer', given))).schema?.is_nullable, false);
  t.strictSame(await workshop.rows('SELECT given, counted FROM filled ORDER BY id'), [
    { given: 7, counted: 1 },
    { given: 7, counted: 2 },
    { given: 7, counted: 3 },
  ]);
});

t.test('a column with a constant default does not rewrite its table', async (t) => {
  const file = async () =>
    (await workshop.rows(`SELECT pg_relation_filenode('filled') AS file`))[0];
  const before = await file();
  await made(
    'filled',
    input('quick', 'string', { schema: { default_value: 'x', is_nullable: false } }),
  );
  await made('filled', input('moment', 'timestamp', { schema: { default_value: 'now()' } }));
  t.strictSame(await file(), before);
});
