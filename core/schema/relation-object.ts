/** Relations as they are shown, seen from the items that refer; made from the catalog alone. */
import type { Catalog, Collection } from '#core/catalog/catalog.ts';
import type {
  ForeignKeyDescriptor,
  ReferentialAction,
  RelationMeta,
  TableDescriptor,
} from '#core/catalog/descriptor.ts';
import type { AnyToOne, ManyToOne } from '#core/catalog/relation.ts';
import { isBuiltIn } from '#core/catalog/system-descriptors.ts';
import type { MetaObject } from './schema-object.ts';

/** The foreign key behind a relation. */
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

export interface RelationObject {
  /** The collection whose items refer, and the field by which they do. */
  readonly collection: string;
  readonly field: string;
  /** Null when items of several collections are referred to. */
  readonly related_collection: string | null;
  /** Null without a foreign key. */
  readonly schema: ForeignKeyObject | null;
  /** The row of `system_relations`; null when the foreign key alone tells of the relation. */
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
    // The relations of Sluice's own collections stand in no table.
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

/** A relation as it is shown, seen from the items that refer. */
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

/** A row of metadata that leads nowhere, shown so that it can be seen and taken away. */
function brokenObject(collection: Collection, meta: RelationMeta): RelationObject {
  return {
    collection: collection.name,
    field: meta.manyField,
    related_collection: meta.oneCollection,
    schema: null,
    meta: relationMeta(meta, isBuiltIn(collection, meta.manyField)),
  };
}

/** The relations by which the items of a collection refer to others, those of the metadata first. */
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
