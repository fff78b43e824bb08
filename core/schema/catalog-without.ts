/** The catalog during a change, without the parts that the change has already removed. */

import { buildCatalog } from '#core/model/catalog/build-catalog.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { CollectionDescriptor, TableDescriptor } from '#core/model/catalog/descriptor.ts';

/** The removed parts, by collection name. */
export interface Dropped {
  readonly collections?: ReadonlySet<string>;
  /** Names of fields. */
  readonly fields?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Fields of relations, with the constraint of their foreign key if there was one. */
  readonly relations?: ReadonlyMap<string, ReadonlyMap<string, string | null>>;
}

function tableWithout(
  table: TableDescriptor,
  fields: ReadonlySet<string>,
  constraints: ReadonlySet<string | null>,
): TableDescriptor {
  return {
    ...table,
    columns: table.columns.filter(({ name }) => !fields.has(name)),
    foreignKeys: table.foreignKeys.filter(({ name }) => !constraints.has(name)),
  };
}

/** Removes names of constraints and columns from lists; everything else stays the same object. */
function without(descriptor: CollectionDescriptor, gone: Dropped): CollectionDescriptor {
  const { name, table } = descriptor;
  const fields = gone.fields?.get(name) ?? new Set<string>();
  const relations = gone.relations?.get(name) ?? new Map<string, string | null>();
  if (fields.size === 0 && relations.size === 0) return descriptor;
  return {
    ...descriptor,
    table: table === null ? null : tableWithout(table, fields, new Set(relations.values())),
    fields: descriptor.fields.filter(({ field }) => !fields.has(field)),
    relations: descriptor.relations.filter(({ manyField }) => !relations.has(manyField)),
  };
}

/** The catalog without the removed parts. */
export function catalogWithout(catalog: Catalog, gone: Dropped): Promise<Catalog> {
  const { version, leftOut } = catalog;
  const collections = [...catalog.collections.values()]
    .filter(({ name }) => !(gone.collections?.has(name) ?? false))
    .map(({ descriptor }) => without(descriptor, gone));
  return buildCatalog({ version, collections, leftOut }, catalog);
}
