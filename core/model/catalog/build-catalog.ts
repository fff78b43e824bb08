/** Builds the catalog from its descriptors. */

import { TimeSlice } from '#core/base/process/time-slice.ts';
import { SYSTEM_PREFIX, systemName } from '../system-collections/name.ts';
import { INTERNAL_TABLES, SYSTEM_COLLECTIONS } from '../system-collections/registry.ts';
import type { Catalog, Collection, ColumnField, Field } from './catalog.ts';
import { columnTyping } from './column-typing.ts';
import type {
  CatalogDescriptor,
  CollectionDescriptor,
  ColumnDescriptor,
  FieldMeta,
} from './descriptor.ts';
import { findRelations } from './relation-graph.ts';
import { withSystemFields } from './system-descriptors.ts';

/** Its table has the schema of the system tables and functions. */
const USERS = systemName('users');

function columnField(
  column: ColumnDescriptor,
  meta: FieldMeta | null,
  system: string,
): ColumnField {
  const special = meta?.special ?? [];
  return Object.freeze({
    name: column.name,
    ...columnTyping(column, special, system),
    column,
    special,
    meta,
  });
}

function aliasField(meta: FieldMeta): Field {
  return Object.freeze({
    name: meta.field,
    type: 'alias',
    codec: null,
    column: null,
    special: meta.special,
    meta,
  });
}

function buildCollection(descriptor: CollectionDescriptor, system: string): Collection {
  const { name, table, meta } = descriptor;
  const metas = new Map(descriptor.fields.map((entry) => [entry.field, entry]));
  const columns = new Map(
    (table?.columns ?? []).map((column) => [
      column.name,
      columnField(column, metas.get(column.name) ?? null, system),
    ]),
  );
  const fields = new Map<string, Field>(columns);
  for (const entry of descriptor.fields) {
    if (!fields.has(entry.field)) fields.set(entry.field, aliasField(entry));
  }
  const key = (table?.primaryKey ?? []).map((column) => columns.get(column));
  return Object.freeze({
    name,
    table,
    meta,
    system: name.startsWith(SYSTEM_PREFIX),
    singleton: meta?.singleton ?? SYSTEM_COLLECTIONS.get(name)?.service === 'single',
    fields,
    // A key with an unreadable column is not a key.
    primaryKey: key.every((field) => field !== undefined) ? key : [],
    descriptor,
  });
}

/** Fields with a flag that has no effect. */
function emptyPromises(collections: Catalog['collections']): string[] {
  return [...collections.values()].flatMap(({ name, fields }) =>
    [...fields.values()]
      .filter(({ special }) => special.includes('encrypt'))
      .map(
        (field) =>
          `${name}.${field.name} has the flag encrypt, which is not offered: its values are stored as they are`,
      ),
  );
}

/**
 * Builds the catalog and yields to the event loop every few milliseconds.
 * @param previous the catalog before: a collection whose descriptor is the same object is reused,
 *   so that what was computed from it stays valid
 */
export async function buildCatalog(
  descriptor: CatalogDescriptor,
  previous?: Catalog,
): Promise<Catalog> {
  const collections = new Map<string, Collection>();
  const users = descriptor.collections.find(({ name }) => name === USERS);
  const system = users?.table?.schema ?? 'public';
  const slice = new TimeSlice();
  for (const published of descriptor.collections) {
    if (INTERNAL_TABLES.has(published.name)) continue;
    const entry = withSystemFields(published);
    const known = previous?.collections.get(entry.name);
    const same = known !== undefined && known.descriptor === entry;
    collections.set(entry.name, same ? known : buildCollection(entry, system));
    await slice.rest();
  }
  const { relations, warnings } = await findRelations(collections);
  const { version, leftOut } = descriptor;
  return Object.freeze({
    version,
    collections,
    relations,
    leftOut,
    warnings: [...warnings, ...emptyPromises(collections)],
  });
}
