/** Making, changing and dissolving relations: the foreign key, its index and the row that tells more. */
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { RelationMeta, TableDescriptor } from '#core/catalog/descriptor.ts';
import type { ManyToOne } from '#core/catalog/relation.ts';
import { isIndexed } from '#core/catalog/relation-graph.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import type { Alteration } from '../alteration.ts';
import type { RelationInput, RelationSchemaInput } from '../change.ts';
import { indexName } from '../index-name.ts';
import type { RelationMetaInput } from '../meta.ts';
import {
  addForeignKey,
  dropForeignKey,
  type ForeignKeyOrder,
  refuseOrphans,
  refuseOtherType,
  replaceForeignKey,
  tablesOf,
} from './foreign-key.ts';
import {
  checkRelation,
  deleteRelationRow,
  insertRelation,
  type RelationAddress,
  updateRelationRow,
} from './relation-meta.ts';

/** Tables whose rows can be held to a foreign key, or be referred to by one. */
function ownTable({ table }: Collection): TableDescriptor | null {
  return table?.kind === 'table' || table?.kind === 'partitioned' ? table : null;
}

/** The items that are to refer, and the column by which. */
function manySide(catalog: Catalog, { collection, field }: RelationAddress) {
  const many = catalog.collections.get(collection);
  if (many === undefined || many.table === null) {
    throw invalidPayload(`There is no collection ${collection} with a table.`);
  }
  if (many.system) throw forbidden(`${collection} belongs to Sluice; its relations are fixed.`);
  const own = many.fields.get(field);
  if (own === undefined || own.column === null) {
    throw invalidPayload(`${collection} has no field ${field} with a column.`);
  }
  const [key, ...others] = many.primaryKey;
  if (key?.name === field && others.length === 0) {
    throw invalidPayload(`The field ${field} is the primary key of ${collection}.`);
  }
  return { many, column: own.column };
}

/** What may be referred to: a collection whose key is one field. */
function oneSide(catalog: Catalog, name: string): { one: Collection; key: ColumnField } {
  const one = catalog.collections.get(name);
  if (one === undefined) throw invalidPayload(`There is no collection ${name}.`);
  const [key, ...others] = one.primaryKey;
  if (key === undefined || others.length > 0) {
    throw invalidPayload(`${name} has no primary key of one field to refer to.`);
  }
  return { one, key };
}

/** What is known of a relation: a row, a foreign key, or both. */
interface Known {
  readonly many: Collection;
  readonly meta: RelationMeta | null;
  /** Null when the row leads to no single collection. */
  readonly pointer: ManyToOne | null;
}

function find(catalog: Catalog, { collection, field }: RelationAddress): Known | null {
  const many = catalog.collections.get(collection);
  if (many === undefined) return null;
  const meta = many.descriptor.relations.find(({ manyField }) => manyField === field) ?? null;
  const relation = catalog.relations.get(collection)?.get(field);
  const pointer = relation?.kind === 'm2o' ? relation : null;
  return meta === null && pointer === null ? null : { many, meta, pointer };
}

function known(catalog: Catalog, address: RelationAddress): Known {
  const found = find(catalog, address);
  if (found === null || found.many.system) {
    throw forbidden(`There is no relation ${address.collection}.${address.field} to change.`);
  }
  return found;
}

/** The foreign key as it is; null when the relation has none. */
function keyOf(catalog: Catalog, { many, pointer }: Known): ForeignKeyOrder | null {
  const target = catalog.collections.get(pointer?.one.collection ?? '')?.table ?? null;
  const key = pointer?.foreignKey ?? null;
  if (many.table === null || target === null || key === null) return null;
  const { name, columns, targetColumns, onDelete, onUpdate } = key;
  return { name, table: many.table, columns, target, targetColumns, onDelete, onUpdate };
}

/** Makes the foreign key of a field, where both sides are tables; nobody waits until it is sure. */
async function constrain(
  alteration: Alteration,
  address: RelationAddress,
  related: string,
  schema: RelationSchemaInput | null,
): Promise<void> {
  const { many, column } = manySide(alteration.catalog, address);
  const { one, key } = oneSide(alteration.catalog, related);
  const [table, target] = [ownTable(many), ownTable(one)];
  if (table === null || target === null) return;
  const { collection, field } = address;
  const order: ForeignKeyOrder = {
    name: indexName(collection, field, 'foreign'),
    table,
    columns: [field],
    target,
    targetColumns: [key.name],
    onDelete: schema?.on_delete ?? 'NO ACTION',
    onUpdate: schema?.on_update ?? 'NO ACTION',
  };
  await refuseOtherType(alteration, column, one);
  await refuseOrphans(alteration, address, order);
  await alteration.lock(tablesOf(order, 'SHARE ROW EXCLUSIVE'));
  await addForeignKey(alteration, order);
  if (isIndexed(table, [field])) return;
  await alteration.index({ collection, field, table, unique: false });
}

/**
 * Makes a relation. To one collection it gets a foreign key, and an index where none serves it:
 * without one every read of the related items, and every delete of what they refer to, would scan
 * the table. To any of several there is only the row, because no foreign key could say that.
 * @throws INVALID_PAYLOAD when something named is not there, or the relation is there already
 * @throws INVALID_FOREIGN_KEY when values refer to nothing
 */
export async function createRelation(
  alteration: Alteration,
  { collection, field, related_collection: related, schema, meta }: RelationInput,
): Promise<void> {
  const { catalog } = alteration;
  const address = { collection, field };
  manySide(catalog, address);
  if (find(catalog, address) !== null) {
    throw invalidPayload(`The field ${field} of ${collection} has a relation already.`);
  }
  if (related !== null) oneSide(catalog, related);
  const row = { ...address, related, meta: meta ?? {} };
  checkRelation(catalog, row);
  if (related !== null) await constrain(alteration, address, related, schema);
  await insertRelation(alteration, row);
}

/** The members of a row as callers write them. */
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
  found: Known,
  schema: RelationSchemaInput,
): Promise<void> {
  const { pointer } = found;
  if (pointer === null) {
    if ((schema.on_delete ?? schema.on_update ?? null) === null) return;
    throw invalidPayload('A relation to any of several collections has no foreign key.');
  }
  const key = keyOf(alteration.catalog, found);
  if (key === null) return constrain(alteration, address, pointer.one.collection, schema);
  const { on_delete = key.onDelete, on_update = key.onUpdate } = schema;
  const onDelete = on_delete ?? 'NO ACTION';
  const onUpdate = on_update ?? 'NO ACTION';
  if (onDelete === key.onDelete && onUpdate === key.onUpdate) return;
  await alteration.lock(tablesOf(key, 'ACCESS EXCLUSIVE'));
  await replaceForeignKey(alteration, { ...key, onDelete, onUpdate });
}

/**
 * Changes what a foreign key does, and the row of a relation; one that is known from a foreign key
 * alone gets its row. Members that are not given stay as they are.
 * @throws FORBIDDEN when there is no such relation
 */
export async function updateRelation(
  alteration: Alteration,
  address: RelationAddress,
  { schema, meta }: Pick<Partial<RelationInput>, 'schema' | 'meta'>,
): Promise<void> {
  const { collection, field } = address;
  const found = known(alteration.catalog, address);
  const related = found.meta?.oneCollection ?? found.pointer?.one.collection ?? null;
  const given = meta ?? null;
  if (given !== null) {
    const row = { collection, field, related, meta: { ...written(found.meta), ...given } };
    checkRelation(alteration.catalog, row);
  }
  if (schema) await changeActions(alteration, address, found, schema);
  if (given === null) return;
  if (found.meta !== null) await updateRelationRow(alteration, address, given);
  else await insertRelation(alteration, { collection, field, related, meta: given });
}

/**
 * Dissolves a relation: its foreign key and its row go, the column stays with its values, and so
 * does its index.
 * @throws FORBIDDEN when there is no such relation
 */
export async function deleteRelation(
  alteration: Alteration,
  address: RelationAddress,
): Promise<void> {
  const found = known(alteration.catalog, address);
  const key = keyOf(alteration.catalog, found);
  if (key !== null) {
    await alteration.lock(tablesOf(key, 'ACCESS EXCLUSIVE'));
    await dropForeignKey(alteration, key);
  }
  if (found.meta !== null) await deleteRelationRow(alteration, address);
}
