/** Finds the collections and fields of a change, and checks that they can be changed. */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import type { Catalog, Collection, Field } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';

/** @throws FORBIDDEN when the collection does not exist */
export function requireCollection(catalog: Catalog, name: string): Collection {
  const collection = catalog.collections.get(name);
  if (collection === undefined) throw forbidden(reason('no_such_collection', { name }));
  return collection;
}

/**
 * The collection of a field that is created or deleted.
 * @throws FORBIDDEN also for the built-in fields of system collections
 */
export function collectionOfField(catalog: Catalog, name: string, field: string): Collection {
  const collection = requireCollection(catalog, name);
  if (!isBuiltIn(collection, field)) return collection;
  throw forbidden(reason('system_field_fixed', { collection: name, field }));
}

/** @throws FORBIDDEN when the field does not exist */
export function requireField(collection: Collection, name: string): Field {
  const field = collection.fields.get(name);
  if (field === undefined)
    throw forbidden(reason('no_such_field', { collection: collection.name, field: name }));
  return field;
}

/**
 * The table whose columns can be changed.
 * @throws INVALID_PAYLOAD for folders, views and foreign tables
 */
export function requireTable({ name, table }: Collection): TableDescriptor {
  if (table === null) throw invalidPayload(reason('folder_without_columns', { name }));
  if (table.kind !== 'table' && table.kind !== 'partitioned') {
    throw invalidPayload(reason('columns_unchangeable', { name, kind: table.kind }));
  }
  return table;
}
