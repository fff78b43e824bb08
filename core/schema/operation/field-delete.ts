/** Deletes fields: the columns with their data, and all references to the fields. */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { maskRevisions } from '#core/write/history/mask-revisions.ts';
import type { Alteration } from '../schema-change-context.ts';
import { refuseComputed, refuseViews } from './column-dependents.ts';
import { alterTable } from './field.ts';
import { collectionOfField, requireCollection, requireField, requireTable } from './find-target.ts';
import { derivedFields, type FieldAddress, revokeFields } from './revoke-field-rights.ts';

function key({ collection, field }: FieldAddress): string {
  return JSON.stringify([collection, field]);
}

/** The fields together with their dependents: the reverse fields of relations that are deleted. */
function withAliases(catalog: Catalog, fields: readonly FieldAddress[]): FieldAddress[] {
  const gone = new Map(fields.map((field) => [key(field), field]));
  for (const { collection, field } of fields) {
    for (const alias of derivedFields(catalog, { collection, field })) gone.set(key(alias), alias);
    for (const meta of requireCollection(catalog, collection).descriptor.relations) {
      const { manyField, oneCollection, oneField, oneCollectionField } = meta;
      if (manyField !== field && oneCollectionField !== field) continue;
      if (oneCollection === null || oneField === null) continue;
      const column = catalog.collections.get(oneCollection)?.fields.get(oneField)?.column ?? null;
      const alias = { collection: oneCollection, field: oneField };
      if (column === null) gone.set(key(alias), alias);
    }
  }
  return [...gone.values()];
}

/** `(a, b)` is one of the fields. */
function isOneOf(fields: readonly FieldAddress[], collection: Sql, field: Sql): Sql {
  const collections = fields.map((one) => one.collection);
  const names = fields.map((one) => one.field);
  return sql`(${collection}, ${field}) IN (
    SELECT c, f FROM unnest(${collections}::text[], ${names}::text[]) AS gone (c, f))`;
}

/**
 * Relations of the fields are deleted; other relations lose the members that refer to the fields.
 */
async function forgetRelations(
  { run, system }: Alteration,
  gone: readonly FieldAddress[],
): Promise<void> {
  const relations = systemTable(system, 'relations');
  const many = sql`many_collection`;
  await run(sql`
    DELETE FROM ${relations} WHERE ${isOneOf(gone, many, sql`many_field`)}
      OR ${isOneOf(gone, many, sql`one_collection_field`)}`);
  const ways = [
    ['one_collection', 'one_field'],
    ['many_collection', 'junction_field'],
    ['many_collection', 'sort_field'],
  ] as const;
  for (const [collection, member] of ways) {
    await run(sql`
      UPDATE ${relations} SET ${identifier(member)} = NULL
      WHERE ${isOneOf(gone, identifier(collection), identifier(member))}`);
  }
}

/** Removes members of metadata that refer to the fields; display templates stay unchanged. */
async function forgetMentions(
  { run, system }: Alteration,
  gone: readonly FieldAddress[],
): Promise<void> {
  const collections = systemTable(system, 'collections');
  for (const member of ['archive_field', 'sort_field'] as const) {
    await run(sql`
      UPDATE ${collections} SET ${identifier(member)} = NULL
      WHERE ${isOneOf(gone, sql`collection`, identifier(member))}`);
  }
  // Only lists that contain one are rewritten, because rewriting changes their notation.
  await run(sql`
    UPDATE ${collections} AS c SET item_duplication_fields = (
      SELECT coalesce(json_agg(e.value ORDER BY e.place), '[]')
      FROM json_array_elements(c.item_duplication_fields) WITH ORDINALITY AS e (value, place)
      WHERE NOT ${isOneOf(gone, sql`c.collection`, sql`e.value #>> '{}'`)})
    WHERE json_typeof(c.item_duplication_fields) = 'array' AND EXISTS (
      SELECT FROM json_array_elements(
        CASE json_typeof(c.item_duplication_fields) WHEN 'array' THEN c.item_duplication_fields
          ELSE '[]' END) AS e (value)
      WHERE ${isOneOf(gone, sql`c.collection`, sql`e.value #>> '{}'`)})`);
  const fields = systemTable(system, 'fields');
  await run(sql`
    DELETE FROM ${fields} WHERE ${isOneOf(gone, sql`collection`, sql`field`)}`);
  await run(sql`
    UPDATE ${fields} SET "group" = NULL WHERE ${isOneOf(gone, sql`collection`, sql`"group"`)}`);
}

/**
 * Removes presets of permissions for these fields, which would apply to a new field of the same
 * name.
 */
async function forgetPresets(
  { run, system }: Alteration,
  gone: readonly FieldAddress[],
): Promise<void> {
  await run(sql`
    UPDATE ${systemTable(system, 'permissions')} AS p SET presets = (
      SELECT json_object_agg(e.key, e.value)
      FROM json_each(p.presets) AS e
      WHERE NOT ${isOneOf(gone, sql`p.collection`, sql`e.key`)})
    WHERE json_typeof(p.presets) = 'object' AND EXISTS (
      SELECT FROM json_object_keys(
        CASE json_typeof(p.presets) WHEN 'object' THEN p.presets ELSE '{}' END) AS e (key)
      WHERE ${isOneOf(gone, sql`p.collection`, sql`e.key`)})`);
}

/** @throws UNPROCESSABLE_ENTITY for a field that the collection requires */
function refuseLast({ name, table }: Collection, columns: readonly string[]): void {
  const all = table?.columns ?? [];
  const keyColumn = columns.find((column) => table?.primaryKey?.includes(column));
  const refuse = (why: Reason) =>
    new ServiceError('UNPROCESSABLE_ENTITY', { collection: name, reason: why });
  if (keyColumn !== undefined) {
    throw refuse(reason('primary_key_stays', { field: keyColumn, collection: name }));
  }
  if (all.every((column) => columns.includes(column.name))) {
    throw refuse(reason('last_column_stays', { collection: name }));
  }
}

/**
 * Masks the values of concealed columns in history, because the deleted field no longer marks them
 * as concealed.
 */
async function maskHistory(
  { run, system }: Alteration,
  { name, fields }: Collection,
  columns: readonly string[],
): Promise<void> {
  const concealed = columns.filter((column) => {
    const field = fields.get(column);
    return field !== undefined && isConcealed(field);
  });
  if (concealed.length > 0) await run(maskRevisions(system, name, concealed));
}

/** The columns of the fields, by their collection. */
function columnsByCollection(catalog: Catalog, fields: readonly FieldAddress[]) {
  const columns = new Map<Collection, string[]>();
  for (const address of fields) {
    const collection = requireCollection(catalog, address.collection);
    const { column, name } = requireField(collection, address.field);
    if (column === null) continue;
    columns.set(collection, [...(columns.get(collection) ?? []), name]);
  }
  return columns;
}

/**
 * Deletes fields with their columns and all references; the tables must be locked.
 * @throws UNPROCESSABLE_ENTITY for a primary key, a last column, and columns that views depend on
 */
export async function removeFields(
  alteration: Alteration,
  fields: readonly FieldAddress[],
): Promise<void> {
  if (fields.length === 0) return;
  for (const [collection, columns] of columnsByCollection(alteration.catalog, fields)) {
    const table = requireTable(collection);
    refuseLast(collection, columns);
    await refuseViews(alteration, table, columns);
    await refuseComputed(alteration, table, columns);
    const drops = columns.map((column) => sql`DROP COLUMN ${identifier(column)}`);
    await alteration.run(alterTable(table, join(drops)));
    await maskHistory(alteration, collection, columns);
  }
  const gone = withAliases(alteration.catalog, fields);
  await forgetRelations(alteration, gone);
  await forgetMentions(alteration, gone);
  await forgetPresets(alteration, gone);
  await revokeFields(alteration, gone);
}

/**
 * Deletes a field.
 * @throws FORBIDDEN when it does not exist, or belongs to a system collection
 * @throws UNPROCESSABLE_ENTITY as {@link removeFields}
 */
export async function deleteField(alteration: Alteration, address: FieldAddress): Promise<void> {
  const collection = collectionOfField(alteration.catalog, address.collection, address.field);
  const { column, name } = requireField(collection, address.field);
  if (column !== null) {
    const table = requireTable(collection);
    refuseLast(collection, [name]);
    await refuseViews(alteration, table, [name]);
    // Most of the history is masked before the table is locked; the rest under the lock.
    await maskHistory(alteration, collection, [name]);
    const targets = (table.foreignKeys ?? [])
      .filter((foreignKey) => foreignKey.columns.includes(name))
      .map(({ targetSchema, targetTable }) => ({ schema: targetSchema, name: targetTable }));
    await alteration.lock([table, ...targets]);
  }
  await removeFields(alteration, [address]);
}
