/**
 * Puts what introspection found together into collection descriptors: which tables become
 * collections, which are left out and why, and which metadata belongs to each.
 */
import { SYSTEM_PREFIX } from './catalog.ts';
import type {
  CollectionDescriptor,
  CollectionMeta,
  FieldMeta,
  LeftOut,
  RelationMeta,
  TableDescriptor,
} from './descriptor.ts';
import type {
  CollectionRow,
  FieldRow,
  FoundTable,
  Introspection,
  RelationRow,
} from './introspect.ts';
import { isInternalTable, isSystemCollection } from './system-collection.ts';

export interface Composition {
  readonly collections: readonly CollectionDescriptor[];
  readonly leftOut: readonly LeftOut[];
  /** Collections that relations are recorded for and that are not served. */
  readonly orphans: readonly string[];
}

/** The entries of a comma list. */
function entries(text: string | null): readonly string[] {
  if (text === null) return [];
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function collectionMeta(row: CollectionRow): CollectionMeta {
  const { accountability } = row;
  return {
    singleton: row.singleton,
    sortField: row.sort_field,
    accountability:
      accountability === 'all' || accountability === 'activity' ? accountability : null,
    row,
  };
}

function fieldMeta(row: FieldRow): FieldMeta {
  return {
    field: row.field,
    special: entries(row.special),
    searchable: row.searchable,
    required: row.required ?? false,
    row,
  };
}

function relationMeta(row: RelationRow): RelationMeta {
  return {
    id: row.id,
    manyCollection: row.many_collection,
    manyField: row.many_field,
    oneCollection: row.one_collection,
    oneField: row.one_field,
    oneCollectionField: row.one_collection_field,
    oneAllowedCollections:
      row.one_allowed_collections === null ? null : entries(row.one_allowed_collections),
    junctionField: row.junction_field,
    sortField: row.sort_field,
    oneDeselectAction: row.one_deselect_action === 'delete' ? 'delete' : 'nullify',
  };
}

/** Why a table cannot be a collection; null when it can. */
function fault(
  table: FoundTable,
  system: string,
  taken: ReadonlyMap<string, TableDescriptor>,
): string | null {
  if (table.name.startsWith(SYSTEM_PREFIX)) {
    const own = table.schema === system && isSystemCollection(table.name);
    if (!own) return `Its name begins with ${SYSTEM_PREFIX}, which is reserved.`;
  }
  if (table.name.includes('/')) return 'Its name contains a slash, which a path cannot address.';
  if (table.columns.length === 0) {
    return table.readable
      ? 'It has no columns.'
      : 'The database role may not read it: it needs USAGE on the schema and SELECT on the table.';
  }
  const earlier = taken.get(table.name);
  return earlier === undefined
    ? null
    : `Its name is taken by the table in the schema ${earlier.schema}.`;
}

/** Splits the tables into those that are served, by their names, and those that are not. */
function choose(found: Introspection, schemas: readonly string[], system: string) {
  const served = new Map<string, TableDescriptor>();
  const leftOut: LeftOut[] = schemas
    .filter((schema) => !found.schemas.has(schema))
    .map((schema) => ({ schema, name: '', reason: 'The schema does not exist.' }));
  for (const candidate of found.tables) {
    if (candidate.schema === system && isInternalTable(candidate.name)) continue;
    const reason = fault(candidate, system, served);
    const { readable: _, ...table } = candidate;
    if (reason === null) served.set(table.name, table);
    else leftOut.push({ schema: table.schema, name: table.name, reason });
  }
  return { served, leftOut };
}

/** Names of folders: metadata without a table, and not because the table was left out. */
function folders(found: Introspection, served: ReadonlySet<string>, leftOut: readonly LeftOut[]) {
  const hidden = new Set(leftOut.map(({ name }) => name));
  return found.collections
    .map(({ collection }) => collection)
    .filter((name) => !served.has(name) && !hidden.has(name))
    .filter((name) => !name.startsWith(SYSTEM_PREFIX) && !name.includes('/'));
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/**
 * The collections of a database, tables in the order they were found and folders after them.
 * @param schemas the served schemas in their order
 * @param system the schema of the system tables
 */
export function compose(
  found: Introspection,
  schemas: readonly string[],
  system: string,
): Composition {
  const { served, leftOut } = choose(found, schemas, system);
  const metas = new Map(found.collections.map((row) => [row.collection, collectionMeta(row)]));
  const fields = groupBy(found.fields, (row) => row.collection);
  const relations = groupBy(found.relations, (row) => row.many_collection);
  const names = [...served.keys(), ...folders(found, new Set(served.keys()), leftOut)];
  const collections = names.map((name) => ({
    name,
    table: served.get(name) ?? null,
    meta: metas.get(name) ?? null,
    fields: (fields.get(name) ?? []).map(fieldMeta),
    relations: (relations.get(name) ?? []).map(relationMeta),
  }));
  const known = new Set(names);
  const orphans = [...relations.keys()].filter((name) => !known.has(name));
  return { collections, leftOut, orphans };
}
