/** Creates a field: its column with default, key, indexes and comment, and its metadata. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, type Sql, sql } from '#core/database/sql.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import { columnDefinition, commentOn, isColumnType } from '../column-type.ts';
import type { FieldInput } from '../schema-change.ts';
import type { Alteration, TableName } from '../schema-change-context.ts';
import { insertFieldMeta, newFieldMeta } from './field-meta.ts';
import { collectionOfField, requireTable } from './find-target.ts';
import { defaultReverseField, revokeFields } from './revoke-field-rights.ts';

/** ALTER TABLE with one action. */
export function alterTable({ schema, name }: TableName, action: Sql): Sql {
  return sql`ALTER TABLE ${identifier(schema, name)} ${action}`;
}

/**
 * Completes a new column after its definition: its indexes and its comment. The primary key has its
 * own index.
 */
export async function finishColumn(
  alteration: Alteration,
  collection: string,
  table: TableName,
  { field, schema }: Pick<FieldInput, 'field' | 'schema'>,
): Promise<void> {
  if (schema === null) return;
  const order = { collection, field, table };
  if (!schema.is_primary_key) {
    if (schema.is_unique) await alteration.index({ ...order, unique: true });
    if (schema.is_indexed) await alteration.index({ ...order, unique: false });
  }
  if (schema.comment) await alteration.run(commentOn(table, field, schema.comment));
}

/** @throws CONTAINS_NULL_VALUES with the number of items that would lack the value */
async function refuseMissing(
  alteration: Alteration,
  { name, table }: Collection,
  { field, schema }: FieldInput,
): Promise<void> {
  const required = schema?.is_nullable === false || schema?.is_primary_key === true;
  const filled = schema?.has_auto_increment || (schema?.default_value ?? null) !== null;
  if (!required || filled || table === null) return;
  const [{ rows } = { rows: 0 }] = await alteration.ask<{ rows: number }>(
    sql`SELECT count(*)::float8 AS rows FROM ${identifier(table.schema, table.name)}`,
  );
  if (rows === 0) return;
  const why = reason('required_field_without_default', { rows, collection: name });
  throw new ServiceError('CONTAINS_NULL_VALUES', { collection: name, field, rows, reason: why });
}

async function addColumn(
  alteration: Alteration,
  collection: Collection,
  table: TableDescriptor,
  field: FieldInput,
): Promise<void> {
  const isKey = field.schema?.is_primary_key === true;
  if (isKey && table.primaryKey !== null) {
    throw invalidPayload(reason('primary_key_exists', { name: collection.name }));
  }
  const definition = await columnDefinition(alteration, field);
  // PostgreSQL would refuse it too; this check needs no lock.
  await refuseMissing(alteration, collection, field);
  await alteration.lock([table]);
  await alteration.run(alterTable(table, sql`ADD COLUMN ${definition}`));
  if (isKey)
    await alteration.run(alterTable(table, sql`ADD PRIMARY KEY (${identifier(field.field)})`));
  await finishColumn(alteration, collection.name, table, field);
}

/**
 * Creates a field.
 * @throws FORBIDDEN when the collection does not exist, or the field is one of a system
 *   collection
 * @throws INVALID_PAYLOAD when the field exists already, or cannot be created as described
 * @throws CONTAINS_NULL_VALUES when it is required and items would lack it
 */
export async function createField(
  alteration: Alteration,
  collectionName: string,
  field: FieldInput,
): Promise<void> {
  const collection = collectionOfField(alteration.catalog, collectionName, field.field);
  if (collection.fields.has(field.field)) {
    throw invalidPayload(
      reason('field_name_taken', { collection: collectionName, field: field.field }),
    );
  }
  if (isColumnType(field.type)) {
    await addColumn(alteration, collection, requireTable(collection), field);
  }
  const meta = newFieldMeta(field);
  const address = { collection: collectionName, field: field.field };
  if (meta !== null) await insertFieldMeta(alteration, address, meta);
  // A permission on a reverse field of this name does not apply to the new field.
  await revokeFields(
    alteration,
    defaultReverseField(alteration.catalog, collectionName, field.field),
  );
}
