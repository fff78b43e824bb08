// @newest @quick

import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import {
  createCollections,
  createField,
  createRelation,
  updateCollection,
  updateCollections,
  updateField,
  updateFields,
  updateRelation,
} from '#core/schema/change-input.ts';

/** The reason for which a body is refused. */
function reason(parse: () => unknown): unknown {
  try {
    parse();
    return 'it was taken';
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INVALID_PAYLOAD') throw error;
    return error.details.reason?.sentence;
  }
}

t.test('makes changes out of bodies', async (t) => {
  t.strictSame(createField('a', { field: 'f', type: 'string' }), {
    kind: 'fields.create',
    collection: 'a',
    field: { field: 'f', type: 'string', schema: null, meta: null },
  });
  const special = { special: ['cast-json', 'uuid'] };
  t.match(createField('a', { field: 'f', type: null, meta: special, collection: 'a' }), {
    field: { type: null, meta: { special: 'cast-json,uuid' } },
  });
  t.strictSame(createCollections({ collection: 'a', schema: {}, meta: {} }), {
    kind: 'collections.create',
    collections: [{ collection: 'a', schema: {}, meta: {}, fields: [] }],
  });
  const fields = [{ field: 'id', type: 'uuid', schema: { is_primary_key: true } }];
  t.match(
    createCollections([
      { collection: 'a', fields },
      { collection: 'b', schema: null },
    ]),
    {
      collections: [
        { collection: 'a', schema: null, meta: null, fields: [{ field: 'id', meta: null }] },
        { collection: 'b', schema: null, fields: [] },
      ],
    },
  );
  t.strictSame(updateCollections([{ collection: 'a', meta: { note: 'n' } }]), {
    kind: 'collections.update',
    updates: [{ collection: 'a', meta: { note: 'n' } }],
  });
  t.strictSame(updateCollection('a', {}).updates, [{ collection: 'a', meta: {} }]);
  t.strictSame(updateField('a', 'f', { meta: { sort: 1 } }), {
    kind: 'fields.update',
    collection: 'a',
    fields: [{ field: 'f', meta: { sort: 1 } }],
  });
  t.strictSame(updateFields('a', [{ field: 'f', schema: null }]).fields, [
    { field: 'f', schema: null },
  ]);
  t.strictSame(createRelation({ collection: 'a', field: 'f' }), {
    kind: 'relations.create',
    relation: { collection: 'a', field: 'f', related_collection: null, schema: null, meta: null },
  });
  const relation = { collection: 'a', field: 'f', related_collection: 'b', schema: null };
  t.strictSame(updateRelation('a', 'f', relation, 'b'), {
    kind: 'relations.update',
    collection: 'a',
    field: 'f',
    schema: null,
  });
});

t.test('takes objects as they were read', async (t) => {
  const meta = { id: 7, collection: 'a', field: 'f', special: null, display_options: '{}' };
  const schema = { name: 'f', table: 'a', data_type: 'text', index_state: 'ready' };
  t.strictSame(
    updateField('a', 'f', { collection: 'a', field: 'f', type: 'text', meta, schema }).fields,
    [
      {
        field: 'f',
        type: 'text',
        meta: { special: null, display_options: '{}' },
        schema: { data_type: 'text' },
      },
    ],
  );
});

t.test('takes the length of a column under the name that existing clients use', (t) => {
  const sized = (schema: object) =>
    createField('a', { field: 'f', type: 'string', schema }).field.schema;
  t.strictSame(sized({ length: 36 }), { max_length: 36 });
  t.strictSame(sized({ max_length: 36, length: 255 }), { max_length: 36 });
  t.strictSame(sized({ length: null, is_unique: true }), { max_length: null, is_unique: true });
  const fields = [{ field: 'f', type: 'string', schema: { length: 36 } }];
  const { collections } = createCollections({ collection: 'c', schema: {}, fields });
  t.strictSame(collections[0]?.fields[0]?.schema, { max_length: 36 });
  const refused = reason(() =>
    createField('a', { field: 'f', type: 'string', schema: { length: 'x' } }),
  );
  t.equal(refused, '"schema.max_length" must be a number.');
  t.end();
});

t.test('passes over members that it does not know, unless handling is strict', async (t) => {
  const schema = { name: 'f', length: 3, table: 'a', comment: 'c' };
  const known = {
    field: 'f',
    type: 'string',
    schema,
    meta: { id: 1, note: 'n', options: { a: 1 } },
  };
  const strictly = (body: unknown) => reason(() => createCollections(body, true));
  const all = (field: object) => ({ collection: 'a', schema: { name: 'a' }, fields: [field] });
  createCollections(all(known), true);
  for (const [more, place] of [
    [{ extra: 1 }, 'fields.extra'],
    [{ meta: { a: 1 } }, 'fields.meta.a'],
    [{ schema: { is_uniqe: true } }, 'fields.schema.is_uniqe'],
  ] as const) {
    const { field } = createField('a', { ...known, ...more });
    t.equal(field.field, 'f');
    t.notMatch(JSON.stringify(field), /extra|is_uniqe|"a":1\}\}/);
    t.equal(strictly(all({ ...known, ...more })), `The body takes no "${place}".`);
  }
  t.equal(strictly([{ ...all(known), color: 1 }]), 'The body takes no "color".');
  t.equal(
    strictly({ ...all(known), name: 'a' }),
    'The body takes no "name".',
    'only where it belongs',
  );
});

t.test('names what is wrong with a body', async (t) => {
  const field = (body: unknown) => reason(() => createField('a', body));
  t.equal(field(undefined), 'The body must be an object.');
  t.equal(field([]), 'The body must be an object.');
  t.equal(field({ type: 'string' }), '"field" is missing.');
  t.equal(field({ field: 'f' }), '"type" is missing.');
  t.match(field({ field: 'f', type: 'strnig' }), /^"type" must be one of "string", "text", /);
  t.equal(field({ field: '', type: 'text' }), 'A field needs a name.');
  t.equal(field({ field: 'f', type: 'text', meta: [] }), '"meta" must be an object.');
  t.equal(
    field({ field: 'f', type: 'text', meta: { hidden: 'yes' } }),
    '"meta.hidden" must be true or false.',
  );
  t.equal(
    field({ field: 'f', type: 'text', schema: { max_length: 1.5 } }),
    '"schema.max_length" must be a whole number.',
  );
  t.equal(
    field({ field: 'f', type: 'text', meta: { interface: 'x'.repeat(65) } }),
    '"meta.interface" must have up to 64 characters.',
  );
  t.equal(
    field({ field: 'f', type: 'text', meta: { special: 1 } }),
    '"meta.special" must be a text, or a list of texts.',
  );
  const other = { field: 'f', type: 'text', collection: 'b' };
  t.equal(field(other), '"collection" cannot be changed: it is "a".');
  t.equal(
    reason(() => updateField('a', 'f', { field: 'g' })),
    '"field" cannot be changed: it is "f".',
    'no renaming',
  );
  t.equal(
    reason(() => updateFields('a', { field: 'f' })),
    'The body must be a list.',
  );
  t.equal(
    reason(() => updateFields('a', [{ meta: {} }])),
    '"0.field" is missing.',
  );
  t.equal(
    reason(() => updateCollections({ collection: 'a', meta: {} })),
    'The body must be a list.',
  );
  t.equal(
    reason(() => createCollections({ collection: 'a', fields: {} })),
    '"fields" must be a list.',
  );
  t.equal(
    reason(() => createCollections([{ collection: 'a' }, { collection: 'a/b' }])),
    'The name of a collection has no slash.',
  );
  t.equal(
    reason(() => createRelation({ collection: 'a', field: 'f', schema: { on_delete: 'DROP' } })),
    '"schema.on_delete" must be one of "NO ACTION", "SET NULL", "SET DEFAULT", "CASCADE", "RESTRICT".',
  );
  t.equal(
    reason(() => updateRelation('a', 'f', { related_collection: 'c' }, 'b')),
    '"related_collection" cannot be changed: it is "b".',
  );
});

t.test('refuses text that PostgreSQL cannot hold', async (t) => {
  const expected = 'It contains a text that is not valid Unicode.';
  for (const text of ['\0', 'a\0b', '\ud800', '\udfff\ud800']) {
    t.equal(
      reason(() => createField('a', { field: text, type: 'text' })),
      expected,
    );
    const options = { deep: [{ [text]: 1 }] };
    t.equal(
      reason(() => createField('a', { field: 'f', type: 'text', meta: { options } })),
      expected,
    );
    t.equal(
      reason(() => createField('a', { field: 'f', type: 'text', schema: { comment: text } })),
      expected,
    );
  }
});
