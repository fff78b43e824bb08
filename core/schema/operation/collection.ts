/** Creates collections and changes their metadata. */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { CollectionInput, NewReference } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import {
  type CollectionRow,
  checkGroups,
  insertCollections,
  writeCollection,
} from './collection-meta.ts';
import { createTable, describeFolder } from './collection-table.ts';
import { addReference, referenceKey } from './new-reference.ts';

/**
 * Names that are in use, whether or not their object is served.
 * @param schema the schema of the tables that get the names
 */
export async function takenNames(
  { catalog, ask }: Alteration,
  schema: string,
  names: readonly string[],
): Promise<Set<string>> {
  // Tables share a name space with views, indexes and sequences, and their row types with types.
  const rows = await ask<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class WHERE relname = ANY (${names}::text[])
      AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ${schema})
    UNION SELECT typname FROM pg_type WHERE typname = ANY (${names}::text[])
      AND typnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ${schema})`);
  return new Set([
    ...rows.map(({ name }) => name),
    ...names.filter((name) => catalog.collections.has(name)),
    ...catalog.leftOut.map(({ name }) => name),
  ]);
}

/** Metadata of dropped tables does not belong to new ones of the same name. */
export async function forgetFormer(
  { run, system }: Alteration,
  names: readonly string[],
): Promise<void> {
  await run(sql`
    DELETE FROM ${systemTable(system, 'fields')} WHERE collection = ANY (${names}::text[])`);
  await run(sql`
    DELETE FROM ${systemTable(system, 'relations')} WHERE many_collection = ANY (${names}::text[])`);
}

/**
 * Creates collections, all or none: a table with `schema`, a folder without it.
 * @param references fields of the new collections that refer to existing ones
 * @throws INVALID_PAYLOAD when a name is in use, or appears twice, or a field cannot be created
 */
export async function createCollections(
  alteration: Alteration,
  collections: readonly CollectionInput[],
  references: readonly NewReference[] = [],
): Promise<void> {
  const names = collections.map(({ collection }) => collection);
  const taken = await takenNames(alteration, alteration.home, names);
  for (const name of names) {
    if (taken.has(name)) throw invalidPayload(reason('collection_name_taken', { name }));
    taken.add(name);
  }
  const rows = collections.flatMap(({ collection, schema, meta }): CollectionRow[] =>
    // A folder is only its row of metadata.
    meta === null && schema !== null ? [] : [{ collection, meta: meta ?? {} }],
  );
  checkGroups(alteration.catalog, rows);
  const keys = references.map((reference) => referenceKey(alteration, reference));
  await alteration.lock(keys.map(({ target }) => ({ ...target, mode: 'SHARE ROW EXCLUSIVE' })));
  await forgetFormer(alteration, names);
  for (const input of collections) {
    if (input.schema === null) await describeFolder(alteration, input);
    else await createTable(alteration, input);
  }
  await insertCollections(alteration, rows);
  for (const [place, reference] of references.entries()) {
    const key = keys[place];
    if (key !== undefined) await addReference(alteration, reference, key);
  }
}

function requireCollection(catalog: Catalog, name: string): void {
  const collection = catalog.collections.get(name);
  if (collection === undefined || collection.system) {
    throw forbidden(reason('no_collection_to_change', { name }));
  }
}

/**
 * Changes the metadata of collections, all or none. A table without a row gets one. Names of fields
 * are not checked, because the fields may be created later.
 * @throws FORBIDDEN for an unknown collection and for system collections
 * @throws INVALID_PAYLOAD for a group that does not exist or that contains itself
 */
export async function updateCollections(
  alteration: Alteration,
  updates: readonly CollectionRow[],
): Promise<void> {
  for (const { collection } of updates) requireCollection(alteration.catalog, collection);
  checkGroups(alteration.catalog, updates);
  for (const update of updates) await writeCollection(alteration, update);
}
