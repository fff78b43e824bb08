/**
 * The table of a new collection: its columns, key, indexes and comments, and the metadata of its
 * fields.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, join, literal, sql } from '#core/database/sql.ts';
import { columnDefinition, isColumnType } from '../column-type.ts';
import type { CollectionInput, FieldInput } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import { finishColumn } from './field.ts';
import { insertFieldMeta, newFieldMeta } from './field-meta.ts';

/** The key of a collection that is created without one. */
const KEY: FieldInput = {
  field: 'id',
  type: 'integer',
  schema: { is_primary_key: true, has_auto_increment: true },
  meta: { hidden: true, readonly: true, interface: 'numeric' },
};

/** The marked primary key of the fields, else the column with auto increment. */
function keyOf(fields: readonly FieldInput[]): readonly string[] {
  const marked = fields.filter(({ schema }) => schema?.is_primary_key);
  const key = marked.length > 0 ? marked : fields.filter((one) => one.schema?.has_auto_increment);
  return key.map(({ field }) => field);
}

function withKey(fields: readonly FieldInput[]): readonly FieldInput[] {
  return keyOf(fields).length > 0 ? fields : [KEY, ...fields];
}

/** @throws INVALID_PAYLOAD for names that appear twice, and keys without a column */
function checkFields(collection: string, fields: readonly FieldInput[], key: readonly string[]) {
  const names = new Set<string>();
  for (const { field, type } of fields) {
    if (names.has(field)) {
      const why =
        fields[0] === KEY && field === KEY.field
          ? reason('primary_key_missing', { collection })
          : reason('field_given_twice', { field });
      throw invalidPayload(why, { field });
    }
    names.add(field);
    if (key.includes(field) && !isColumnType(type)) {
      throw invalidPayload(reason('primary_key_without_column', { field }), { field });
    }
  }
}

/**
 * The position of a field in its group is its position in the list, unless the field specifies one.
 */
async function describeFields(
  alteration: Alteration,
  collection: string,
  fields: readonly FieldInput[],
): Promise<void> {
  const last = new Map<string | null, number>();
  for (const input of fields) {
    const meta = newFieldMeta(input);
    if (meta === null) continue;
    const group = meta.group ?? null;
    const place = (last.get(group) ?? 0) + 1;
    last.set(group, place);
    await insertFieldMeta(alteration, { collection, field: input.field }, meta, place);
  }
}

/** Creates the metadata of fields in a folder, where no field has a column. */
export async function describeFolder(
  alteration: Alteration,
  { collection, fields }: CollectionInput,
): Promise<void> {
  checkFields(collection, fields, []);
  const column = fields.find(({ type }) => isColumnType(type));
  if (column !== undefined) {
    throw invalidPayload(reason('folder_with_column', { collection, field: column.field }));
  }
  await describeFields(alteration, collection, fields);
}

/**
 * Creates the table of a collection. When no field is the primary key, it gets a first column `id`
 * with auto increment.
 * @throws INVALID_PAYLOAD when a field cannot be created as described
 */
export async function createTable(
  alteration: Alteration,
  { collection, schema, fields: given }: CollectionInput,
): Promise<void> {
  const fields = withKey(given);
  const key = keyOf(fields);
  checkFields(collection, fields, key);
  const table = { schema: alteration.home, name: collection };
  const columns = fields.filter(({ type }) => isColumnType(type));
  const definitions = [];
  for (const column of columns) definitions.push(await columnDefinition(alteration, column));
  const name = identifier(table.schema, table.name);
  await alteration.run(sql`CREATE TABLE ${name} (
    ${join(definitions)},
    PRIMARY KEY (${join(key.map((column) => identifier(column)))}))`);
  const comment = schema?.comment ?? null;
  if (comment !== null) await alteration.run(sql`COMMENT ON TABLE ${name} IS ${literal(comment)}`);
  for (const column of columns) await finishColumn(alteration, collection, table, column);
  await describeFields(alteration, collection, fields);
}
