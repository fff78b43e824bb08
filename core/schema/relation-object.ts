/** The API representation of relations, from the referring side; derived from the catalog alone. */
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type {
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
