/**
 * The allowed imports of a caller: the collections, and the columns of a file. Each row is checked
 * during the import, as a create or an update of the same item.
 */
import type { Rights } from '#core/access/rights.ts';
import { reason } from '#core/base/errors/reason.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { forbidden, type ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';

/**
 * Columns with references that an import does not check: those of many-to-any relations, of
 * relations without a foreign key, and of foreign keys without a relation.
 */
function unjudgedLinks({ relations }: Catalog, collection: Collection): Set<string> {
  const own = [...(relations.get(collection.name)?.values() ?? [])];
  const judged = new Set(
    own.flatMap((relation) => (relation.kind === 'm2o' ? (relation.foreignKey?.name ?? []) : [])),
  );
  const columns = own.flatMap((relation) => {
    if (relation.kind === 'a2o') return [...relation.many.columns, relation.discriminator];
    return relation.kind === 'm2o' && relation.foreignKey === null ? relation.many.columns : [];
  });
  const keys = collection.table?.foreignKeys ?? [];
  const unjudged = keys.filter(({ name }) => !judged.has(name));
  return new Set([...columns, ...unjudged.flatMap((key) => key.columns)]);
}

/**
 * The fields that the caller's files may contain; null: all. The permissions for a row determine
 * which of them it may set.
 */
function importFields(
  rights: Rights,
  catalog: Catalog,
  collection: Collection,
): readonly string[] | null {
  if (rights.admin) return null;
  const permissions = [
    ...rights.of(collection.name, 'create'),
    ...rights.of(collection.name, 'update'),
  ];
  const key = new Set(collection.primaryKey.map(({ name }) => name));
  const unjudged = unjudgedLinks(catalog, collection);
  return [...collection.fields.values()]
    .filter(({ column }) => column !== null && !unjudged.has(column.name))
    .map(({ name }) => name)
    .filter(
      (name) =>
        key.has(name) || permissions.some(({ fields }) => fields === null || fields.has(name)),
    );
}

/** The error for a collection that does not exist or that the caller may not import into. */
export function notImportable(name: string): ServiceError {
  return refusal({ collection: name }, { to: 'import into' });
}

/** The target of an import. */
export interface ImportDestination {
  readonly collection: string;
  /** The fields that the file may contain; null: all. */
  readonly fields: readonly string[] | null;
}

/**
 * The allowed import of a caller into a collection.
 * @throws ServiceError FORBIDDEN when no import is allowed, also for collections whose items have
 * no key
 */
export function importDestination(
  rights: Rights,
  catalog: Catalog,
  name: string,
): ImportDestination {
  const collection = catalog.collections.get(name);
  const known =
    rights.of(name, 'create').length > 0 || rights.of(name, 'update').length > 0 || rights.admin;
  if (!known || !collection || collection.system || collection.table === null) {
    throw notImportable(name);
  }
  if (collection.primaryKey.length === 0) {
    throw forbidden(reason('import_collection_without_key', { name }));
  }
  return { collection: name, fields: importFields(rights, catalog, collection) };
}
