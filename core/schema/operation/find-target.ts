/** Finds the collections and fields that a change names, and checks that they can be changed. */
import type { Catalog, Collection, Field } from '#core/catalog/catalog.ts';
import type { TableDescriptor } from '#core/catalog/descriptor.ts';
import { isBuiltIn } from '#core/catalog/system-descriptors.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';

/** @throws FORBIDDEN when the collection does not exist */
export function collectionNamed(catalog: Catalog, name: string): Collection {
  const collection = catalog.collections.get(name);
  if (collection === undefined) throw forbidden(`There is no collection ${name}.`);
  return collection;
}

/**
 * The collection of a field that is created or deleted.
 * @throws FORBIDDEN also for the built-in fields of system collections
 */
export function collectionOfField(catalog: Catalog, name: string, field: string): Collection {
  const collection = collectionNamed(catalog, name);
  if (!isBuiltIn(collection, field)) return collection;
  throw forbidden(`${name} belongs to Sluice; its field ${field} is fixed.`);
}

/** @throws FORBIDDEN when the field does not exist */
export function fieldNamed(collection: Collection, name: string): Field {
  const field = collection.fields.get(name);
  if (field === undefined) throw forbidden(`${collection.name} has no field ${name}.`);
  return field;
}

/**
 * The table whose columns can be changed.
 * @throws INVALID_PAYLOAD for folders, views and foreign tables
 */
export function tableOf({ name, table }: Collection): TableDescriptor {
  if (table === null) throw invalidPayload(`${name} is a folder, which has no columns.`);
  if (table.kind !== 'table' && table.kind !== 'partitioned') {
    throw invalidPayload(`${name} is a ${table.kind}, whose columns are not changed here.`);
  }
  return table;
}
