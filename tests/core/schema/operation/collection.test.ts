// @quick

import t from 'tap';
import { createCollections, updateCollections } from '#core/schema/operation/collection.ts';
import type { CollectionInput } from '#core/schema/schema-change.ts';
import { collectionObject, fieldObject } from '#core/schema/schema-object.ts';
import { collection } from '../../model/catalog/installation.ts';
import { openWorkshop } from './workshop.ts';

const SETUP = `
  CREATE TABLE plain (id serial PRIMARY KEY);
  CREATE TABLE "with/slash" (id serial PRIMARY KEY);
  CREATE INDEX taken_index ON plain (id);
  CREATE TYPE mood AS ENUM ('sad');
  INSERT INTO system_fields (collection, field, special) VALUES ('former', 'id', 'uuid');
  INSERT INTO system_relations (many_collection, many_field, one_collection)
    VALUES ('former', 'up', 'plain');`;

function input(name: string, others: Partial<CollectionInput> = {}): CollectionInput {
  return { collection: name, schema: {}, meta: null, fields: [], ...others };
}

t.test('collections', async (t) => {
  const workshop = await openWorkshop(t, SETUP);
  const create = (...collections: CollectionInput[]) =>
    workshop.change((alteration) => createCollections(alteration, collections));
  const refused = async (...collections: CollectionInput[]) =>
    (await workshop.refusal((a) => createCollections(a, collections))).toJSON().extensions;

  await t.test('get a key with auto increment where none is given', async (t) => {
    const catalog = await create(input('bare', { meta: {} }));
    const bare = collection(catalog, 'bare');
    t.match(collectionObject(bare), {
      meta: { collection: 'bare', accountability: 'all', group: null, singleton: false },
      schema: { schema: 'public', name: 'bare', comment: null },
    });
    const id = bare.fields.get('id');
    t.match(id && fieldObject(bare, id), {
      type: 'integer',
      schema: { is_primary_key: true, has_auto_increment: true, is_nullable: false },
      meta: { hidden: true, readonly: true, interface: 'numeric', sort: 1 },
    });
    t.same([...bare.fields.keys()], ['id']);
  });

  await t.test('have the fields that are given, with keys, indexes and comments', async (t) => {
    const catalog = await create(
      input('full "of" it', {
        schema: { comment: `it's \\ full` },
        fields: [
          { field: 'a', type: 'uuid', schema: { is_primary_key: true }, meta: { special: 'uuid' } },
          { field: 'b', type: 'integer', schema: { is_primary_key: true }, meta: null },
          { field: 'c d', type: 'string', schema: { is_unique: true, comment: 'a "c"' }, meta: {} },
          { field: 'when', type: 'timestamp', schema: { default_value: 'now()' }, meta: null },
          {
            field: 'n',
            type: 'decimal',
            schema: { is_indexed: true, is_nullable: false },
            meta: null,
          },
          { field: 'list', type: 'csv', schema: null, meta: { group: 'box' } },
          { field: 'box', type: 'alias', schema: null, meta: { special: 'alias,no-data,group' } },
          { field: 'others', type: 'o2m', schema: null, meta: { sort: 9, group: 'box' } },
          { field: 'secret', type: 'hash', schema: null, meta: { group: 'box' } },
        ],
      }),
    );
    const full = collection(catalog, 'full "of" it');
    t.equal(full.table?.comment, `it's \\ full`);
    t.equal(full.meta, null, 'no row without meta');
    t.same(
      full.primaryKey.map(({ name }) => name),
      ['a', 'b'],
    );
    const seen = [...full.fields.values()].map((field) => {
      const { type, schema, meta } = fieldObject(full, field);
      const flags = [schema?.is_unique && 'unique', schema?.is_indexed && 'indexed'];
      return [
        field.name,
        type,
        ...flags.filter(Boolean),
        meta?.sort ?? null,
        meta?.special ?? null,
      ];
    });
    t.strictSame(seen, [
      ['a', 'uuid', 1, 'uuid'],
      ['b', 'integer', null, null],
      ['c d', 'string', 'unique', 2, null],
      ['when', 'timestamp', null, null],
      ['n', 'decimal', 'indexed', null, null],
      ['list', 'csv', 1, 'cast-csv'],
      ['secret', 'hash', 3, 'hash'],
      ['box', 'alias', 3, 'alias,no-data,group'],
      ['others', 'alias', 9, 'o2m'],
    ]);
    t.equal(full.fields.get('c d')?.column?.comment, 'a "c"');
  });

  await t.test('may be folders, and groups of each other in any order', async (t) => {
    const catalog = await create(
      input('inner', { meta: { group: 'outer', translations: [{ language: 'de' }] } }),
      input('outer', { schema: null, meta: { icon: 'folder' } }),
      input('bottom', {
        schema: null,
        fields: [{ field: 'note', type: 'alias', schema: null, meta: null }],
      }),
    );
    t.match(collectionObject(collection(catalog, 'outer')), {
      schema: null,
      meta: { icon: 'folder', group: null },
    });
    t.match(collection(catalog, 'inner').meta?.row, {
      group: 'outer',
      translations: [{ language: 'de' }],
    });
    t.equal(collection(catalog, 'bottom').fields.get('note')?.type, 'alias');
  });

  await t.test('do not inherit the metadata of a dropped table', async (t) => {
    const catalog = await create(input('former'));
    t.same(collection(catalog, 'former').fields.get('id')?.special, []);
    t.same(collection(catalog, 'former').descriptor.relations, []);
  });

  await t.test('are refused where they cannot be, all or none', async (t) => {
    const field = { field: 'x', type: 'integer', schema: null, meta: null } as const;
    const alias = {
      field: 'x',
      type: 'alias',
      schema: { is_primary_key: true },
      meta: null,
    } as const;
    const cases: [CollectionInput[], RegExp][] = [
      [[input('plain')], /name plain is already in use/],
      [[input('outer')], /name outer is already in use/],
      [[input('plain', { schema: null, meta: {} })], /name plain is already in use/],
      [[input('with/slash')], /name with\/slash is already in use/],
      [[input('taken_index')], /name taken_index is already in use/],
      [[input('plain_id_seq')], /name plain_id_seq is already in use/],
      [[input('mood')], /name mood is already in use/],
      [[input('twice'), input('twice')], /name twice is already in use/],
      [[input('new'), input('plain')], /name plain is already in use/],
      [[input('new', { fields: [field, field] })], /x is given twice/],
      [[input('new', { fields: [{ ...field, field: 'id' }] })], /field id is not one/],
      [[input('new', { fields: [alias] })], /x has no column/],
      [[input('new', { schema: null, fields: [field] })], /is a folder/],
      [[input('new', { meta: { group: 'nowhere' } })], /is no collection with metadata/],
      [[input('new', { meta: { group: 'plain' } })], /is no collection with metadata/],
      [[input('new', { meta: { group: 'new' } })], /within itself/],
      [
        [input('new', { meta: { group: 'other' } }), input('other', { meta: { group: 'new' } })],
        /within itself/,
      ],
      [[input('new', { fields: [{ ...field, type: 'unknown' }] })], /data_type/],
    ];
    for (const [collections, reason] of cases) {
      const extensions = await refused(...collections);
      t.match(extensions, { code: 'INVALID_PAYLOAD', reason }, JSON.stringify(collections));
    }
    t.notOk((await workshop.catalog()).collections.has('new'));
  });

  await t.test('change their metadata, all or none', async (t) => {
    const update = (...updates: Parameters<typeof updateCollections>[1]) =>
      workshop.change((alteration) => updateCollections(alteration, updates));
    const same = await update({ collection: 'plain', meta: {} });
    t.equal(collection(same, 'plain').meta, null, 'nothing to tell, no row');
    const catalog = await update(
      { collection: 'plain', meta: { note: 'now with a row', singleton: true } },
      { collection: 'inner', meta: { sort_field: 'later', group: null } },
      { collection: 'bare', meta: {} },
    );
    t.match(collection(catalog, 'plain').meta?.row, {
      note: 'now with a row',
      accountability: 'all',
    });
    t.ok(collection(catalog, 'plain').singleton);
    t.match(collection(catalog, 'inner').meta?.row, {
      sort_field: 'later',
      group: null,
      translations: [{ language: 'de' }],
    });
    await update({ collection: 'plain', meta: { group: 'inner' } });
    const cases: [Parameters<typeof updateCollections>[1], string][] = [
      [[{ collection: 'nothing', meta: {} }], 'FORBIDDEN'],
      [[{ collection: 'system_users', meta: { note: 'x' } }], 'FORBIDDEN'],
      [[{ collection: 'with/slash', meta: {} }], 'FORBIDDEN'],
      [[{ collection: 'bare', meta: { group: 'nothing' } }], 'INVALID_PAYLOAD'],
      [[{ collection: 'inner', meta: { group: 'plain' } }], 'INVALID_PAYLOAD'],
      [
        [
          { collection: 'bare', meta: { note: 'stays away' } },
          { collection: 'nothing', meta: {} },
        ],
        'FORBIDDEN',
      ],
    ];
    for (const [updates, code] of cases) {
      const error = await workshop.refusal((a) => updateCollections(a, updates));
      t.equal(error.code, code, JSON.stringify(updates));
    }
    t.equal(collection(await workshop.catalog(), 'bare').meta?.row.note, null);
  });
});
