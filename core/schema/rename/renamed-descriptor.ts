/**
 * The descriptors of the catalog after a rename, without asking the database. They show which
 * relations get another name as well, because they are named after the collection or field.
 */
import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { tableKey } from '#core/model/catalog/column-relations.ts';
import type {
  CollectionDescriptor,
  ForeignKeyDescriptor,
  RelationMeta,
  TableDescriptor,
} from '#core/model/catalog/descriptor.ts';
import type { RenamedField, RenamedNames } from './renamed-names.ts';

/** The collections of tables, by schema and name of the table. */
type Owners = ReadonlyMap<string, string>;

function renamedForeignKey(
  names: RenamedNames,
  owners: Owners,
  collection: string,
  key: ForeignKeyDescriptor,
): ForeignKeyDescriptor {
  const target = owners.get(tableKey(key.targetSchema, key.targetTable));
  const columns = key.columns.map((column) => names.field(collection, column));
  if (target === undefined) return { ...key, columns };
  const targetTable =
    names.collection(target) === target ? key.targetTable : names.collection(target);
  const targetColumns = key.targetColumns.map((column) => names.field(target, column));
  return { ...key, columns, targetTable, targetColumns };
}

function renamedTable(
  names: RenamedNames,
  owners: Owners,
  collection: string,
  table: TableDescriptor,
): TableDescriptor {
  const rename = (column: string) => names.field(collection, column);
  const renameAll = (columns: readonly string[]) => columns.map(rename);
  return {
    ...table,
    name: names.collection(collection) === collection ? table.name : names.collection(collection),
    columns: table.columns.map((column) => ({ ...column, name: rename(column.name) })),
    primaryKey: table.primaryKey && renameAll(table.primaryKey),
    uniques: table.uniques.map((unique) => ({ ...unique, columns: renameAll(unique.columns) })),
    indexes: table.indexes.map((index) => ({
      ...index,
      columns: index.columns.map((column) => column && rename(column)),
    })),
    foreignKeys: table.foreignKeys.map((key) => renamedForeignKey(names, owners, collection, key)),
  };
}

function renamedRelation(names: RenamedNames, relation: RelationMeta): RelationMeta {
  const { manyCollection, oneCollection } = relation;
  const ofMany = (field: string | null) => field && names.field(manyCollection, field);
  const { oneField, oneAllowedCollections } = relation;
  return {
    ...relation,
    manyCollection: names.collection(manyCollection),
    manyField: names.field(manyCollection, relation.manyField),
    oneCollection: oneCollection && names.collection(oneCollection),
    oneField: oneField && oneCollection ? names.field(oneCollection, oneField) : oneField,
    oneCollectionField: ofMany(relation.oneCollectionField),
    junctionField: ofMany(relation.junctionField),
    sortField: ofMany(relation.sortField),
    oneAllowedCollections: oneAllowedCollections?.map((name) => names.collection(name)) ?? null,
  };
}

/** The descriptor of a collection after the rename. */
function renamedDescriptor(
  names: RenamedNames,
  owners: Owners,
  descriptor: CollectionDescriptor,
): CollectionDescriptor {
  const { name, table, fields, relations } = descriptor;
  return {
    ...descriptor,
    name: names.collection(name),
    table: table && renamedTable(names, owners, name, table),
    fields: fields.map((meta) => ({ ...meta, field: names.field(name, meta.field) })),
    relations: relations.map((relation) => renamedRelation(names, relation)),
  };
}

/** Identifies a reverse field by the relation that it reverses. */
function reversedKey(collection: string, field: string, metaId: number | null): string {
  return JSON.stringify([collection, field, metaId]);
}

/**
 * The reverse fields that no metadata names and that are named differently after the rename, such
 * as `authors.books` after `books` became `novels`.
 */
export async function renamedReverseFields(names: RenamedNames): Promise<readonly RenamedField[]> {
  const { catalog } = names;
  const owners = new Map<string, string>();
  for (const { name, table } of catalog.collections.values()) {
    if (table !== null) owners.set(tableKey(table.schema, table.name), name);
  }
  const collections = [...catalog.collections.values()].map(({ descriptor }) =>
    renamedDescriptor(names, owners, descriptor),
  );
  const after = await buildCatalog({ ...catalog, collections });
  const reversed = reverseFields(after);
  return [...reverseFields(catalog).values()].flatMap(({ collection, field, relation }) => {
    const { many, manyField, meta } = relation;
    const key = reversedKey(
      names.collection(many.collection),
      names.field(many.collection, manyField),
      meta?.id ?? null,
    );
    const to = reversed.get(key)?.field ?? field;
    return to === field ? [] : [{ collection, field, to }];
  });
}

/** The reverse fields that no metadata names. */
function reverseFields(catalog: Catalog) {
  const all = [...catalog.relations.values()].flatMap((relations) => [...relations.values()]);
  return new Map(
    all.flatMap((relation) => {
      if (relation.kind === 'm2o' || relation.kind === 'a2o' || !relation.derived) return [];
      const { collection, field, many, manyField, meta } = relation;
      const key = reversedKey(many.collection, manyField, meta?.id ?? null);
      return [[key, { collection, field, relation }] as const];
    }),
  );
}
