/** Creates, changes and deletes relations: the foreign key, its index and the metadata. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { RelationMeta } from '#core/model/catalog/descriptor.ts';
import { isIndexed } from '#core/model/catalog/relation-graph.ts';
import { indexName } from '../index-name.ts';
import type { RelationMetaInput } from '../metadata-input.ts';
import type { RelationInput, RelationSchemaInput } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import {
  addForeignKey,
  dropForeignKey,
  type ForeignKeyRequest,
  foreignKeyTables,
  refuseIncomparableTypes,
  refuseOrphans,
  replaceForeignKey,
} from './foreign-key.ts';
import {
  findRelation,
  foreignKeyOf,
  isForeignKeyTable,
  type KnownRelation,
  knownRelation,
  referencedSide,
  referringSide,
} from './relation-end.ts';
import {
  checkRelation,
  deleteRelationRow,
  insertRelation,
  type RelationAddress,
  updateRelationRow,
} from './relation-meta.ts';
import { defaultReverseField, derivedFields, revokeFields } from './revoke-field-rights.ts';

/**
 * Creates the foreign key of a field when both sides are tables. The check of existing values
 * blocks no session.
 */
async function constrain(
  alteration: Alteration,
  address: RelationAddress,
  related: string,
  schema: RelationSchemaInput | null,
): Promise<void> {
  const { many, column } = referringSide(alteration.catalog, address);
  const { one, key } = referencedSide(alteration.catalog, related);
  const [table, target] = [isForeignKeyTable(many), isForeignKeyTable(one)];
  if (table === null || target === null) return;
  const { collection, field } = address;
  const order: ForeignKeyRequest = {
    name: indexName(collection, field, 'foreign'),
    table,
    columns: [field],
    target,
    targetColumns: [key.name],
    onDelete: schema?.on_delete ?? 'NO ACTION',
    onUpdate: schema?.on_update ?? 'NO ACTION',
  };
  await refuseIncomparableTypes(alteration, column, one);
  await refuseOrphans(alteration, address, order);
  await alteration.lock(foreignKeyTables(order, 'SHARE ROW EXCLUSIVE'));
  await addForeignKey(alteration, order);
  if (isIndexed(table, [field])) return;
  await alteration.index({ collection, field, table, unique: false });
}

/**
 * Creates a relation. A relation to one collection gets a foreign key, and an index if necessary.
 * Without an index, each read of the related items and each delete of a referenced item scans the
 * table. A many-to-any relation has only metadata, because no foreign key can express it.
 * @throws INVALID_PAYLOAD when a part does not exist, or the relation already exists
 * @throws INVALID_FOREIGN_KEY when values have no match
 */
export async function createRelation(
  alteration: Alteration,
  { collection, field, related_collection: related, schema, meta }: RelationInput,
): Promise<void> {
  const { catalog } = alteration;
  const address = { collection, field };
  referringSide(catalog, address);
  if (findRelation(catalog, address) !== null) {
    throw invalidPayload(reason('relation_exists', { field, collection }));
  }
  if (related !== null) referencedSide(catalog, related);
  const row = { ...address, related, meta: meta ?? {} };
  checkRelation(catalog, row);
  if (related !== null) await constrain(alteration, address, related, schema);
  await insertRelation(alteration, row);
  if (related !== null && (row.meta.one_field ?? null) === null) {
    await revokeFields(alteration, defaultReverseField(catalog, related, collection));
  }
}

/** Permissions on another reverse field do not apply to the new one of that name. */
async function revokeRenamed(
  alteration: Alteration,
  address: RelationAddress,
  related: string,
): Promise<void> {
  const { catalog } = alteration;
  const names = [
    ...derivedFields(catalog, address),
    ...defaultReverseField(catalog, related, address.collection),
  ];
  await revokeFields(alteration, names);
}

/** The members of a row with their names in requests. */
function written(meta: RelationMeta | null): RelationMetaInput {
  if (meta === null) return {};
  return {
    one_field: meta.oneField,
    one_collection_field: meta.oneCollectionField,
    one_allowed_collections: meta.oneAllowedCollections?.join(',') ?? null,
    junction_field: meta.junctionField,
    sort_field: meta.sortField,
    one_deselect_action: meta.oneDeselectAction,
  };
}

async function changeActions(
  alteration: Alteration,
  address: RelationAddress,
  found: KnownRelation,
  schema: RelationSchemaInput,
): Promise<void> {
  const { pointer } = found;
  if (pointer === null) {
    if ((schema.on_delete ?? schema.on_update ?? null) === null) return;
    throw invalidPayload(reason('relation_to_any_without_foreign_key'));
  }
  const key = foreignKeyOf(alteration.catalog, found);
  if (key === null) return constrain(alteration, address, pointer.one.collection, schema);
  const { on_delete = key.onDelete, on_update = key.onUpdate } = schema;
  const onDelete = on_delete ?? 'NO ACTION';
  const onUpdate = on_update ?? 'NO ACTION';
  if (onDelete === key.onDelete && onUpdate === key.onUpdate) return;
  await alteration.lock(foreignKeyTables(key, 'ACCESS EXCLUSIVE'));
  await replaceForeignKey(alteration, { ...key, onDelete, onUpdate });
}

/**
 * Changes the actions of a foreign key, and the metadata of a relation; a relation without metadata
 * gets it. Missing members stay unchanged.
 * @throws FORBIDDEN when the relation does not exist
 */
export async function updateRelation(
  alteration: Alteration,
  address: RelationAddress,
  { schema, meta }: Pick<Partial<RelationInput>, 'schema' | 'meta'>,
): Promise<void> {
  const { collection, field } = address;
  const found = knownRelation(alteration.catalog, address);
  const related = found.meta?.oneCollection ?? found.pointer?.one.collection ?? null;
  const given = meta ?? null;
  if (given !== null) {
    const row = { collection, field, related, meta: { ...written(found.meta), ...given } };
    checkRelation(alteration.catalog, row);
  }
  if (schema) await changeActions(alteration, address, found, schema);
  if (given === null) return;
  const { one_field: way } = given;
  if (related !== null && way !== undefined && way !== (found.meta?.oneField ?? null)) {
    await revokeRenamed(alteration, address, related);
  }
  if (found.meta !== null) await updateRelationRow(alteration, address, given);
  else await insertRelation(alteration, { collection, field, related, meta: given });
}

/**
 * Deletes a relation: its foreign key and its metadata. The column remains with its values and its
 * index.
 * @throws FORBIDDEN when the relation does not exist
 */
export async function deleteRelation(
  alteration: Alteration,
  address: RelationAddress,
): Promise<void> {
  const found = knownRelation(alteration.catalog, address);
  const key = foreignKeyOf(alteration.catalog, found);
  if (key !== null) {
    await alteration.lock(foreignKeyTables(key, 'ACCESS EXCLUSIVE'));
    await dropForeignKey(alteration, key);
  }
  if (found.meta !== null) await deleteRelationRow(alteration, address);
  await revokeFields(alteration, derivedFields(alteration.catalog, address));
}
