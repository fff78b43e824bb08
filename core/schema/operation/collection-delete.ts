/**
 * Deletes a collection with all dependent data: permissions, history, comments, presets, relations,
 * and the fields of other collections that refer to it.
 */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import { identifier, raw, type Sql, sql } from '#core/database/sql.ts';
import type { TableDescriptor, TableKind } from '#core/model/catalog/descriptor.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Alteration } from '../schema-change-context.ts';
import { type CollectionDependents, dependentsOf } from './collection-dependents.ts';
import { refuseViews } from './column-dependents.ts';
import { removeFields } from './field-delete.ts';
import { dropForeignKey } from './foreign-key.ts';
import { revokeFields } from './revoke-field-rights.ts';

/** The word for each kind of table in DROP. */
const DROPPED: Readonly<Record<TableKind, string>> = {
  table: 'TABLE',
  partitioned: 'TABLE',
  view: 'VIEW',
  'materialized view': 'MATERIALIZED VIEW',
  'foreign table': 'FOREIGN TABLE',
};

/** Tables with a column `collection` that contain history or comments. */
const HISTORY = ['revisions', 'activity', 'comments'];
const METADATA_TABLES = ['permissions', 'presets', 'fields', 'import_objects'];

function deletion({ system }: Alteration, table: string, collection: string): Sql {
  return sql`DELETE FROM ${systemTable(system, table)} WHERE collection = ${collection}`;
}

/** Every statement uses an index, however much history other collections have. */
async function deleteHistory(alteration: Alteration, name: string): Promise<void> {
  const revisions = systemTable(alteration.system, 'revisions');
  // Revisions of other collections remain, but lose their parent when it is deleted here.
  await alteration.run(sql`
    UPDATE ${revisions} SET parent = NULL
    WHERE collection <> ${name} AND parent IN (SELECT id FROM ${revisions} WHERE collection = ${name})`);
  for (const table of HISTORY) await alteration.run(deletion(alteration, table, name));
}

/** Removes the collection from many-to-any relations that allow it. */
async function disallow(alteration: Alteration, name: string): Promise<void> {
  const { catalog, run, system } = alteration;
  for (const { descriptor } of catalog.collections.values()) {
    for (const { id, oneAllowedCollections } of descriptor.relations) {
      if (oneAllowedCollections === null || !oneAllowedCollections.includes(name)) continue;
      const left = oneAllowedCollections.filter((allowed) => allowed !== name);
      await run(sql`
        UPDATE ${systemTable(system, 'relations')} SET one_allowed_collections = ${left.join(',')}
        WHERE id = ${id}`);
    }
  }
}

async function deleteMetadata(
  alteration: Alteration,
  name: string,
  { aliases }: CollectionDependents,
): Promise<void> {
  const { run, system } = alteration;
  for (const table of METADATA_TABLES) await run(deletion(alteration, table, name));
  for (const { collection, field } of aliases) {
    await run(sql`
      DELETE FROM ${systemTable(system, 'fields')}
      WHERE collection = ${collection} AND field = ${field}`);
  }
  await revokeFields(alteration, aliases);
  await run(sql`
    DELETE FROM ${systemTable(system, 'relations')}
    WHERE many_collection = ${name} OR one_collection = ${name}`);
  await disallow(alteration, name);
  await run(sql`
    UPDATE ${systemTable(system, 'collections')} SET "group" = NULL WHERE "group" = ${name}`);
  await run(deletion(alteration, 'collections', name));
}

/** Only tables can be locked individually: locking a view also locks the tables that it reads. */
function isTable(table: TableDescriptor | null): table is TableDescriptor {
  return table?.kind === 'table' || table?.kind === 'partitioned';
}

/**
 * Deletes a collection: its table with all items, or its view, and all dependent data. Fields of
 * other collections whose foreign key refers to it are dropped with their data.
 * @throws FORBIDDEN for an unknown collection and for system collections
 * @throws UNPROCESSABLE_ENTITY when views or other objects depend on it
 */
export async function deleteCollection(alteration: Alteration, name: string): Promise<void> {
  const collection = alteration.catalog.collections.get(name);
  if (collection === undefined || collection.system) {
    throw forbidden(reason('no_collection_to_delete', { name }));
  }
  const { table } = collection;
  const dependents = dependentsOf(alteration.catalog, collection);
  if (table !== null) await refuseViews(alteration, table, [...collection.fields.keys()]);
  // Most of the history is deleted before the table is locked; the rest under the lock.
  await deleteHistory(alteration, name);
  const tables = [...(isTable(table) ? [table] : []), ...dependents.tables];
  if (tables.length > 0) await alteration.lock(tables);
  await deleteHistory(alteration, name);
  for (const key of dependents.wideKeys) await dropForeignKey(alteration, key);
  await removeFields(alteration, dependents.references);
  if (table !== null) {
    const { schema, name: tableName, kind } = table;
    await alteration.run(sql`DROP ${raw(DROPPED[kind])} ${identifier(schema, tableName)}`);
  }
  await deleteMetadata(alteration, name, dependents);
}
