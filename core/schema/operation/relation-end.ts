/** The two ends of a relation, and its existing definition. */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import type { Catalog, Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { RelationMeta, TableDescriptor } from '#core/model/catalog/descriptor.ts';
import type { ManyToOne } from '#core/model/catalog/relation.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';
import type { ForeignKeyRequest } from './foreign-key.ts';
import type { RelationAddress } from './relation-meta.ts';

/** Kinds of tables that can have foreign keys, or be referred to. */
export function isForeignKeyTable({ table }: Collection): TableDescriptor | null {
  return table?.kind === 'table' || table?.kind === 'partitioned' ? table : null;
}

/**
 * The referring collection and its column.
 * @throws INVALID_PAYLOAD when one does not exist, or the column is the primary key
 */
export function referringSide(catalog: Catalog, { collection, field }: RelationAddress) {
  const many = catalog.collections.get(collection);
  if (many === undefined || many.table === null) {
    throw invalidPayload(reason('no_collection_with_table', { collection }));
  }
  if (isBuiltIn(many, field)) {
    throw forbidden(reason('system_relation_field_fixed', { collection, field }));
  }
  const own = many.fields.get(field);
  if (own === undefined || own.column === null) {
    throw invalidPayload(reason('no_field_with_column', { collection, field }));
  }
  const [key, ...others] = many.primaryKey;
  if (key?.name === field && others.length === 0) {
    throw invalidPayload(reason('relation_on_primary_key', { field, collection }));
  }
  return { many, column: own.column };
}

/**
 * The target of a relation: a collection whose key is one field.
 * @throws INVALID_PAYLOAD when it does not exist, or has another key
 */
export function referencedSide(
  catalog: Catalog,
  name: string,
): { one: Collection; key: ColumnField } {
  const one = catalog.collections.get(name);
  if (one === undefined) throw invalidPayload(reason('no_such_collection', { name }));
  const [key, ...others] = one.primaryKey;
  if (key === undefined || others.length > 0) {
    throw invalidPayload(reason('target_without_single_key', { name }));
  }
  return { one, key };
}

/** The existing definition of a relation: metadata, a foreign key, or both. */
export interface KnownRelation {
  readonly many: Collection;
  readonly meta: RelationMeta | null;
  /** Null when the relation has several target collections. */
  readonly pointer: ManyToOne | null;
}

/** The relation of a field; null without one. */
export function findRelation(
  catalog: Catalog,
  { collection, field }: RelationAddress,
): KnownRelation | null {
  const many = catalog.collections.get(collection);
  if (many === undefined) return null;
  const meta = many.descriptor.relations.find(({ manyField }) => manyField === field) ?? null;
  const relation = catalog.relations.get(collection)?.get(field);
  const pointer = relation?.kind === 'm2o' ? relation : null;
  return meta === null && pointer === null ? null : { many, meta, pointer };
}

/** @throws FORBIDDEN when the relation does not exist, and for those of system collections */
export function knownRelation(catalog: Catalog, address: RelationAddress): KnownRelation {
  const found = findRelation(catalog, address);
  if (found === null || isBuiltIn(found.many, address.field)) {
    throw forbidden(
      reason('no_relation_to_change', { collection: address.collection, field: address.field }),
    );
  }
  return found;
}

/** The current foreign key; null when the relation has none. */
export function foreignKeyOf(
  catalog: Catalog,
  { many, pointer }: KnownRelation,
): ForeignKeyRequest | null {
  const target = catalog.collections.get(pointer?.one.collection ?? '')?.table ?? null;
  const key = pointer?.foreignKey ?? null;
  if (many.table === null || target === null || key === null) return null;
  const { name, columns, targetColumns, onDelete, onUpdate } = key;
  return { name, table: many.table, columns, target, targetColumns, onDelete, onUpdate };
}
