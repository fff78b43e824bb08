/**
 * The place in a statement from which names are looked up: a collection, the alias its table has
 * there, and the caller's grants. Every clause finds its columns here and nowhere else.
 */
import type { Grants } from '#core/access/grant.ts';
import type { Catalog, Collection, ColumnField, Field } from '#core/catalog/catalog.ts';
import { identifier, type Sql } from '#core/database/sql.ts';
import { forbidden } from '#core/errors/service-error.ts';

export interface Scope {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly collection: Collection;
  /** Alias of the collection's table in the statement. */
  readonly alias: string;
  /** Where this scope stands in the request, `root` at the top. */
  readonly path: string;
}

/** A collection that the caller may use, with the table behind it. */
export interface Table {
  readonly collection: Collection;
  readonly from: Sql;
}

/** The one answer to what does not exist and to what may not be seen. */
function noCollection(name: string, path: string): Error {
  return forbidden(
    `You have no permission to access collection "${name}" or it does not exist (queried in ${path}).`,
  );
}

function noField(scope: Scope, name: string, clause: string): Error {
  return forbidden(
    `You have no permission to access field "${name}" in collection "${scope.collection.name}" ` +
      `or it does not exist (queried in ${clause} of ${scope.path}).`,
  );
}

/**
 * Opens the scope of a collection of user data.
 * @throws ServiceError FORBIDDEN when it does not exist, is Sluice's own, or may not be seen
 */
export function openScope(catalog: Catalog, grants: Grants, name: string): Scope {
  const collection = catalog.collections.get(name);
  if (!collection || collection.system || collection.table === null || !grants.admin) {
    throw noCollection(name, 'root');
  }
  return { catalog, grants, collection, alias: 't', path: 'root' };
}

/** The table of a scope's collection, qualified. */
export function tableOf(scope: Scope): Sql {
  const { table, name } = scope.collection;
  if (table === null) throw noCollection(name, scope.path);
  return identifier(table.schema, table.name);
}

function isColumnField(field: Field | undefined): field is ColumnField {
  return field !== undefined && field.column !== null;
}

/**
 * Finds a column that the caller may read.
 * @param clause the query parameter that names it, for the error
 * @throws ServiceError FORBIDDEN naming field and path
 */
export function readableColumn(scope: Scope, name: string, clause: string): ColumnField {
  const field = scope.collection.fields.get(name);
  if (!isColumnField(field)) throw noField(scope, name, clause);
  return field;
}

/** Every column that the caller may read, in the order of the table. */
export function readableColumns(scope: Scope): ColumnField[] {
  return [...scope.collection.fields.values()].filter(isColumnField);
}

/** A column of the scope's table as SQL. */
export function columnOf(scope: Scope, field: ColumnField): Sql {
  return identifier(scope.alias, field.column.name);
}
