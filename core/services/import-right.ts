/**
 * What a caller may import. A file is imported as a whole, by COPY and by key. So only permissions
 * that hold for every row count; a caller with others is refused. Which items the rows may refer to
 * is checked during the import.
 */
import type { Permission, Rights } from '#core/access/rights.ts';
import type { Catalog, Collection } from '#core/catalog/catalog.ts';
import { forbidden } from '#core/errors/service-error.ts';
import { fieldRules } from '#core/validation/field-rule.ts';

/** Flags of fields whose values the server fills in, or whose readers see only a mask. */
const MADE = /^(?:(?:date|user|role)-(?:created|updated)|conceal|hash)$/;

/** The permissions that hold for every row. */
function unconditional(permissions: readonly Permission[]): readonly Permission[] {
  return permissions.filter(({ rule }) => rule === null);
}

function covers(permissions: readonly Permission[], name: string): boolean {
  return permissions.some(({ fields }) => fields === null || fields.has(name));
}

/** Why rows would have to be judged one by one; null when there is no reason. */
function obstacle(
  catalog: Catalog,
  collection: Collection,
  create: readonly Permission[],
  update: readonly Permission[],
): string | null {
  if (create.length === 0 || unconditional(update).length === 0) {
    return 'An import needs the right to create items, and to update any of them.';
  }
  const all = [...create, ...update];
  if (
    all.some(({ validation }) => validation !== null) ||
    fieldRules(catalog, collection).length > 0
  ) {
    return 'Values that must pass validation cannot be imported.';
  }
  return all.some(({ presets }) => Object.keys(presets).length > 0)
    ? 'Rights with presets do not cover imports.'
    : null;
}

/**
 * Columns that refer to items which an import does not check: those of many-to-any relations, of
 * relations without a foreign key, and of foreign keys that are no relation.
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

/** The fields that the caller's files may contain; null: all. */
function importFields(
  rights: Rights,
  catalog: Catalog,
  collection: Collection,
): readonly string[] | null {
  if (rights.admin) return null;
  const create = rights.of(collection.name, 'create');
  const update = rights.of(collection.name, 'update');
  const reason = obstacle(catalog, collection, create, update);
  if (reason !== null) throw forbidden(reason);
  const key = new Set(collection.primaryKey.map(({ name }) => name));
  const updatable = unconditional(update);
  // The result reveals which items existed and had the same values already.
  const readable = unconditional(rights.of(collection.name, 'read'));
  const unjudged = unjudgedLinks(catalog, collection);
  return [...collection.fields.values()]
    .filter(({ column, special }) => {
      if (column === null || unjudged.has(column.name)) return false;
      return !special.some((flag) => MADE.test(flag));
    })
    .map(({ name }) => name)
    .filter((name) => covers(create, name) && covers(readable, name))
    .filter((name) => key.has(name) || covers(updatable, name));
}

/** The target of an import. */
export interface Destination {
  readonly collection: string;
  /** The fields that the file may contain; null: all. */
  readonly fields: readonly string[] | null;
}

/**
 * What a caller may import into a collection.
 * @throws ServiceError FORBIDDEN when nothing, also for collections whose items have no key
 */
export function importDestination(rights: Rights, catalog: Catalog, name: string): Destination {
  const collection = catalog.collections.get(name);
  const known = rights.admin || rights.of(name, 'create').length > 0;
  if (!known || !collection || collection.system || collection.table === null) {
    throw forbidden(
      `You have no permission to import into collection "${name}" or it does not exist.`,
    );
  }
  if (collection.primaryKey.length === 0) {
    throw forbidden(`Items of "${name}" have no key and cannot be imported.`);
  }
  return { collection: name, fields: importFields(rights, catalog, collection) };
}
