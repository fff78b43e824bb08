/** The API representation of relations, from the referring side; derived from the catalog alone. */
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type {
  ColumnDescriptor,
  ForeignKeyDescriptor,
  ReferentialAction,
  RelationMeta,
  TableDescriptor,
} from '#core/model/catalog/descriptor.ts';
import type { AnyToOne, ManyToOne } from '#core/model/catalog/relation.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';
import type { MetaObject } from './schema-object.ts';

/** The foreign key of a relation. */
export interface ForeignKeyObject {
  readonly constraint_name: string;
  readonly table: string;
  /** Several columns are joined by commas, in the order of the key. */
  readonly column: string;
  readonly foreign_key_schema: string;
  readonly foreign_key_table: string;
  readonly foreign_key_column: string;
  readonly on_update: ReferentialAction;
  readonly on_delete: ReferentialAction;
}

/** The field of the related collection that lists the referring items. */
export interface ReverseObject {
  readonly field: string;
  /**
   * The field of the referring items that leads on to the items that they connect, where they are
   * rows of a junction; else null.
   */
  readonly junction_field: string | null;
  /** The effect on an item that is removed from the list. */
  readonly deselect_action: 'nullify' | 'delete';
}

export interface RelationObject {
  /** The referring collection and field. */
  readonly collection: string;
  readonly field: string;
  /** Null for a many-to-any relation. */
  readonly related_collection: string | null;
  /** Null without a foreign key. */
  readonly schema: ForeignKeyObject | null;
  /** The row of `system_relations`; null when only a foreign key exists. */
  readonly meta: MetaObject | null;
}

function foreignKeyObject(table: TableDescriptor, key: ForeignKeyDescriptor): ForeignKeyObject {
  return {
    constraint_name: key.name,
    table: table.name,
    column: key.columns.join(','),
    foreign_key_schema: key.targetSchema,
    foreign_key_table: key.targetTable,
    foreign_key_column: key.targetColumns.join(','),
    on_update: key.onUpdate,
    on_delete: key.onDelete,
  };
}

function relationMeta(meta: RelationMeta, system: boolean): MetaObject {
  return {
    // The relations of system collections have no metadata.
    id: meta.id === 0 ? null : meta.id,
    many_collection: meta.manyCollection,
    many_field: meta.manyField,
    one_collection: meta.oneCollection,
    one_field: meta.oneField,
    one_collection_field: meta.oneCollectionField,
    one_allowed_collections: meta.oneAllowedCollections,
    junction_field: meta.junctionField,
    sort_field: meta.sortField,
    one_deselect_action: meta.oneDeselectAction,
    ...(system ? { system: true } : {}),
  };
}

/** A value that the database makes and that tells nothing of the items: a counter, a time. */
function isMade({ identity, sequence, defaultExpression, typeName }: ColumnDescriptor): boolean {
  if (identity !== null || sequence !== null) return true;
  return defaultExpression !== null && /^(timestamp|date|time|uuid)/.test(typeName);
}

/**
 * The field that leads on from rows of a junction that no metadata names: a table whose key, or a
 * unique index, consists of two foreign keys, and that has no data of its own.
 */
function pureJunctionField(
  catalog: Catalog,
  collection: Collection,
  { field }: ManyToOne,
): string | null {
  const { table, name } = collection;
  if (table === null) return null;
  const pointers = [...(catalog.relations.get(name)?.values() ?? [])].filter(
    (relation) => relation.kind === 'm2o',
  );
  const [onward, ...others] = pointers.filter((relation) => relation.field !== field);
  if (pointers.length !== 2 || onward === undefined || others.length > 0) return null;
  const linked = new Set(pointers.flatMap(({ many }) => many.columns));
  const links = (columns: readonly (string | null)[]) =>
    columns.length === linked.size && columns.every((column) => linked.has(column ?? ''));
  const isUnique = table.indexes.some(
    ({ unique, partial, columns }) => unique && !partial && links(columns),
  );
  const hasOwnData = table.columns.some((column) => !linked.has(column.name) && !isMade(column));
  return isUnique && !hasOwnData ? onward.field : null;
}

/**
 * The reverse of a relation; the one with the same metadata, where a relation has several. Null for
 * relations to several collections, and where the name of the list is taken.
 */
export function reverseObject(
  catalog: Catalog,
  collection: Collection,
  field: string,
): ReverseObject | null {
  const relation = catalog.relations.get(collection.name)?.get(field);
  if (relation?.kind !== 'm2o') return null;
  const lists = [...(catalog.relations.get(relation.one.collection)?.values() ?? [])].filter(
    (list) =>
      list.kind !== 'm2o' &&
      list.kind !== 'a2o' &&
      list.many.collection === collection.name &&
      list.manyField === relation.field,
  );
  const list = lists.find(({ meta }) => meta === relation.meta) ?? lists[0];
  if (list === undefined || list.kind === 'm2o' || list.kind === 'a2o') return null;
  return {
    field: list.field,
    junction_field: list.junctionField ?? pureJunctionField(catalog, collection, relation),
    deselect_action: list.deselect,
  };
}

/** The API representation of a relation, from the referring side. */
function relationObject(collection: Collection, relation: ManyToOne | AnyToOne): RelationObject {
  const { table, name } = collection;
  const foreignKey = relation.kind === 'm2o' ? relation.foreignKey : null;
  return {
    collection: name,
    field: relation.field,
    related_collection: relation.kind === 'm2o' ? relation.one.collection : null,
    schema: table === null || foreignKey === null ? null : foreignKeyObject(table, foreignKey),
    meta:
      relation.meta === null
        ? null
        : relationMeta(relation.meta, isBuiltIn(collection, relation.field)),
  };
}

/** Metadata whose collection does not exist; included so that clients can delete it. */
function brokenObject(collection: Collection, meta: RelationMeta): RelationObject {
  return {
    collection: collection.name,
    field: meta.manyField,
    related_collection: meta.oneCollection,
    schema: null,
    meta: relationMeta(meta, isBuiltIn(collection, meta.manyField)),
  };
}

/** The relations of a collection to other collections; those with metadata first. */
export function relationObjects(catalog: Catalog, collection: Collection): RelationObject[] {
  const relations = [...(catalog.relations.get(collection.name)?.values() ?? [])];
  const working = relations.flatMap((relation) =>
    relation.kind === 'm2o' || relation.kind === 'a2o' ? relationObject(collection, relation) : [],
  );
  const known = new Set(working.map(({ field }) => field));
  const broken = collection.descriptor.relations
    .filter(({ manyField }) => !known.has(manyField))
    .map((meta) => brokenObject(collection, meta));
  return [...working, ...broken];
}
