/**
 * Derives MikroORM's entities from the catalog: one for each table with a primary key. An entity
 * has the name of its collection, a property the name of its column.
 */
import { type EntityCtor, EntitySchema } from '@mikro-orm/core';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { ManyToOne } from '#core/model/catalog/relation.ts';
import { declaration, type Property, type Row, scalar } from './entity-property.ts';

export type Entity = EntitySchema<Row, never, EntityCtor<Row>>;

/** Finds the entity of a collection at the time when the relation is resolved. */
export type Resolve = (collection: string) => EntitySchema;

/** Names that MikroORM can quote in SQL, because it interprets dots and question marks. */
const PLAIN_NAME = /^[\p{L}\p{N}_ -]+$/u;
/** Names that are safe as a member in the code that MikroORM generates. */
const MEMBER_NAME = /^[A-Za-z_]\w*$/;

function isReserved(name: string): boolean {
  return name.startsWith('__') || name === 'toJSON' || name in Object.prototype;
}

/** The property of a column: its name, or its position when the name is not safe as a member. */
function propertyName({ name, position }: { name: string; position: number }): string {
  return MEMBER_NAME.test(name) && !isReserved(name) ? name : `column_${position}`;
}

/** Whether the collection is a table that can be an entity. */
export function isEntity({ table, primaryKey }: Collection): boolean {
  if (table === null || primaryKey.length === 0) return false;
  const names = [table.schema, table.name, ...table.columns.map(({ name }) => name)];
  return names.every((name) => PLAIN_NAME.test(name));
}

/** The references of a collection to the single key of another entity, by column. */
export function references(catalog: Catalog, collection: Collection): Map<string, ManyToOne> {
  const found = new Map<string, ManyToOne>();
  for (const relation of catalog.relations.get(collection.name)?.values() ?? []) {
    if (relation.kind !== 'm2o' || relation.foreignKey === null) continue;
    const [column, ...more] = relation.many.columns;
    const target = catalog.collections.get(relation.one.collection);
    if (column === undefined || more.length > 0 || target === undefined) continue;
    const [key, ...rest] = target.primaryKey;
    const toKey = rest.length === 0 && key?.name === relation.one.columns[0];
    if (toKey && isEntity(target)) found.set(column, relation);
  }
  return found;
}

/** A reference, read and written as its key. */
function reference(relation: ManyToOne, primary: boolean, common: object, resolve: Resolve) {
  const { one, foreignKey } = relation;
  return {
    kind: 'm:1',
    entity: () => resolve(one.collection),
    mapToPk: true,
    primary,
    referencedColumnNames: [...one.columns],
    ...(foreignKey === null
      ? {}
      : {
          foreignKeyName: foreignKey.name,
          deleteRule: foreignKey.onDelete.toLowerCase(),
          updateRule: foreignKey.onUpdate.toLowerCase(),
        }),
    ...common,
  } satisfies Property;
}

/** The entity of a collection that satisfies {@link isEntity}. */
export function buildEntity(catalog: Catalog, collection: Collection, resolve: Resolve): Entity {
  const { name, table, primaryKey } = collection;
  const keys = new Set(primaryKey.map((field) => field.name));
  const relations = references(catalog, collection);
  const properties: Record<string, Property> = {};
  for (const column of table?.columns ?? []) {
    const relation = relations.get(column.name);
    const primary = keys.has(column.name);
    properties[propertyName(column)] =
      relation === undefined
        ? scalar(column, primary)
        : reference(relation, primary, declaration(column), resolve);
  }
  return new EntitySchema<Row, never, EntityCtor<Row>>({
    name,
    tableName: table?.name ?? name,
    ...(table === null ? {} : { schema: table.schema }),
    properties,
  });
}
