// @newest @quick

import t from 'tap';
import * as v from 'valibot';
import { fieldMetaInput } from '#core/schema/metadata-input.ts';
import { fieldInput, schemaChange } from '#core/schema/schema-change.ts';

const field = (members: object) => ({
  ...{ field: 'title', type: 'string', schema: null, meta: null },
  ...members,
});

t.test('flags come as a list or a comma list, and are kept as a comma list', async (t) => {
  const special = (value: unknown) => v.parse(fieldMetaInput, { special: value }).special;
  t.equal(special(['uuid', 'conceal']), 'uuid,conceal');
  t.equal(special(' uuid , conceal,'), 'uuid,conceal');
  t.equal(special([]), null);
  t.equal(special(''), null);
  t.equal(special(null), null);
  t.notOk(v.is(fieldMetaInput, { special: ['a,b'] }));
  t.notOk(v.is(fieldMetaInput, { special: 'x'.repeat(65) }));
});

t.test(
  'what is read with an object may be written back, unknown members are dropped',
  async (t) => {
    const read = { id: 1, collection: 'pages', field: 'title', system: true, note: 'x' };
    t.strictSame(v.parse(fieldMetaInput, read), { note: 'x' });
    t.strictSame(v.parse(fieldMetaInput, { nonsense: 1, note: 'x' }), { note: 'x' });
    const schema = { name: 'title', table: 'pages', index_state: 'ready', max_length: 5 };
    t.strictSame(v.parse(fieldInput, field({ schema })).schema, { max_length: 5 });
    t.notOk(v.is(fieldInput, field({ schema: { max_length: -1 } })));
    t.notOk(v.is(fieldInput, field({ schema: { max_length: '5); DROP' } })));
    t.notOk(v.is(fieldInput, field({ type: 'integer); DROP TABLE x' })));
  },
);

t.test('names are what PostgreSQL takes whole', async (t) => {
  const ok = (name: string) => v.is(fieldInput, field({ field: name }));
  for (const name of [
    'a',
    'bad name!',
    'ü'.repeat(31),
    'a'.repeat(63),
    '"; --',
    'x.y',
    'système',
  ]) {
    t.ok(ok(name), name);
  }
  for (const name of [
    '',
    ' ',
    ' a',
    'a/b',
    'ü'.repeat(32),
    'a'.repeat(64),
    'a\nb',
    'a\0',
    '\ud800',
    'directus_x',
  ]) {
    t.notOk(ok(name), JSON.stringify(name));
  }
  const collection = (name: string) => {
    const made = { collection: name, schema: {}, meta: null, fields: [] };
    return v.is(schemaChange, { kind: 'collections.create', collections: [made] });
  };
  t.ok(collection('pages'));
  t.notOk(collection('system_pages'));
});

t.test('a change survives being stored and parsed again', async (t) => {
  const change = v.parse(schemaChange, {
    kind: 'fields.update',
    collection: 'pages',
    fields: [{ field: 'title', schema: { is_unique: true }, meta: { special: ['a', 'b'] } }],
  });
  t.strictSame(v.parse(schemaChange, JSON.parse(JSON.stringify(change))), change);
  t.notOk(v.is(schemaChange, { kind: 'tables.drop', collection: 'pages' }));
});
