// @newest @quick
/** What the form of a new item in the Admin App begins with. */
import t from 'tap';
import { initialItem } from '#ops/app/source/form/initial-item.ts';
import { plainField } from '#ops/app/source/model/plain-field.ts';

/** A field of a document or an array with a default. */
function field(name: string, dataType: string, value: unknown) {
  const schema = {
    ...{ name, table: 'thing', data_type: dataType, default_value: value, max_length: null },
    ...{ numeric_precision: null, numeric_scale: null, is_nullable: true, is_unique: false },
    ...{ is_indexed: false, is_primary_key: false, has_auto_increment: false, comment: null },
    ...{ foreign_key_table: null, foreign_key_column: null },
  };
  return plainField({ name, type: 'json', schema }, null);
}

t.test('the default of an array is a list', async (t) => {
  const fields = [
    field('none', 'text[]', '{}'),
    field('some', 'text[]', '{a,b}'),
    field('document', 'jsonb', { a: 1 }),
    field('empty', 'jsonb', '{}'),
  ];
  t.strictSame(initialItem(fields, undefined), { none: [], document: { a: 1 }, empty: '{}' });
});
