/**
 * Converts the result of introspection to collection descriptors. `select-served-tables.ts`
 * determines which tables become collections.
 */
import type {
  CollectionDescriptor,
  CollectionMeta,
  FieldMeta,
  RelationMeta,
  TableDescriptor,
  UnservedTable,
} from './descriptor.ts';
import type {
  CollectionRow,
  FieldRow,
  FoundTable,
  Introspection,
  RelationRow,
} from './introspect.ts';
import { selectServedTables } from './select-served-tables.ts';

export interface BuiltDescriptors {
  readonly collections: readonly CollectionDescriptor[];
  readonly leftOut: readonly UnservedTable[];
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

/** Combines tables with their metadata. */
export function describeTables(
  tables: Iterable<readonly [string, TableDescriptor | null]>,
  found: Pick<Introspection, 'collections' | 'fields' | 'relations'>,
): CollectionDescriptor[] {
  const metas = new Map(found.collections.map((row) => [row.collection, collectionMeta(row)]));
  const fields = groupBy(found.fields, (row) => row.collection);
  const relations = groupBy(found.relations, (row) => row.many_collection);
  return Array.from(tables, ([name, table]) => ({
    name,
    table,
    meta: metas.get(name) ?? null,
    fields: (fields.get(name) ?? []).map(fieldMeta),
    relations: (relations.get(name) ?? []).map(relationMeta),
  }));
}

/** The description of a table, without the properties that only its selection needs. */
export function descriptorOf({ oid: _, readable: __, ...table }: FoundTable): TableDescriptor {
  return table;
}

/**
 * The collections of a database: tables in the order of introspection, then folders.
 * @param schemas the served schemas in their order
 * @param system the schema of the system tables
 */
export function buildDescriptors(
  found: Introspection,
  schemas: readonly string[],
  system: string,
): BuiltDescriptors {
  const candidates = found.tables.map((table) => ({ ...table, width: table.columns.length }));
  const described = found.collections.map(({ collection }) => collection);
  const { served, folders, leftOut } = selectServedTables(candidates, found.schemas, described, {
    ...{ schemas, system },
  });
  const tables = [
    ...Array.from(served, ([name, { width: _, ...table }]) => [name, descriptorOf(table)] as const),
    ...folders.map((name) => [name, null] as const),
  ];
  return { collections: describeTables(tables, found), leftOut };
}
