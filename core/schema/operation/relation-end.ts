/** The two ends of a relation, and what is known about it. */
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { RelationMeta, TableDescriptor } from '#core/catalog/descriptor.ts';
import type { ManyToOne } from '#core/catalog/relation.ts';
import { isBuiltIn } from '#core/catalog/system-descriptors.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import type { ForeignKeyOrder } from './foreign-key.ts';
import type { RelationAddress } from './relation-meta.ts';

/** Kinds of tables that can have foreign keys, or be referred to. */
export function ownTable({ table }: Collection): TableDescriptor | null {
  return table?.kind === 'table' || table?.kind === 'partitioned' ? table : null;
}

/**
 * The referring collection and its column.
 * @throws INVALID_PAYLOAD when one does not exist, or the column is the primary key
 */
export function manySide(catalog: Catalog, { collection, field }: RelationAddress) {
  const many = catalog.collections.get(collection);
  if (many === undefined || many.table === null) {
    throw invalidPayload(`There is no collection ${collection} with a table.`);
  }
  if (isBuiltIn(many, field)) {
    throw forbidden(`${collection} belongs to Sluice; its field ${field} is fixed.`);
  }
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

/**
 * The target of a relation: a collection whose key is one field.
 * @throws INVALID_PAYLOAD when it does not exist, or has another key
 */
export function oneSide(catalog: Catalog, name: string): { one: Collection; key: ColumnField } {
  const one = catalog.collections.get(name);
  if (one === undefined) throw invalidPayload(`There is no collection ${name}.`);
  const [key, ...others] = one.primaryKey;
  if (key === undefined || others.length > 0) {
    throw invalidPayload(`${name} has no primary key of one field to refer to.`);
  }
  return { one, key };
}

/** What is known about a relation: metadata, a foreign key, or both. */
export interface KnownRelation {
  readonly many: Collection;
  readonly meta: RelationMeta | null;
  /** Null when the relation leads to several collections. */
  readonly pointer: ManyToOne | null;
}

/** The relation of a field; null when there is none. */
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
    throw forbidden(`There is no relation ${address.collection}.${address.field} to change.`);
  }
  return found;
}

/** The current foreign key; null when the relation has none. */
export function keyOf(catalog: Catalog, { many, pointer }: KnownRelation): ForeignKeyOrder | null {
  const target = catalog.collections.get(pointer?.one.collection ?? '')?.table ?? null;
  const key = pointer?.foreignKey ?? null;
  if (many.table === null || target === null || key === null) return null;
  const { name, columns, targetColumns, onDelete, onUpdate } = key;
  return { name, table: many.table, columns, target, targetColumns, onDelete, onUpdate };
}
