/**
 * Replaces renamed fields and collections in the metadata, in permissions and in presets, so that
 * each still means the same items and fields.
 */
import { parseExactJson, writeExactJson } from '#core/base/json/exact-json.ts';
import { identifier, join, raw, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Alteration } from '../schema-change-context.ts';
import type { RenamedNames } from './renamed-names.ts';
import { type Owner, type Renaming, STORED_NAMES, type StoredNames } from './stored-names.ts';

interface StoredRow extends Owner {
  readonly key: string;
  /** The texts of the columns, documents first. */
  readonly texts: readonly (string | null)[];
}

/** Rewrites the rows of one table that contain a renamed name. */
async function renameStored(
  { ask, run, system }: Alteration,
  names: RenamedNames,
  { table: name, key, keyType, owner, documents, texts }: StoredNames,
): Promise<void> {
  const table = systemTable(system, name);
  const columns = [...Object.keys(documents), ...Object.keys(texts)];
  const columnTexts = columns.map((column) => sql`${identifier(column)}::text`);
  const rows = await ask<StoredRow>(sql`
    SELECT ${identifier(key)}::text AS key, ${owner.collection}::text AS collection,
      ${owner.field}::text AS field, ARRAY[${join(columnTexts)}] AS texts
    FROM ${table}`);
  for (const row of rows) {
    const changes = columns.flatMap((column, index) => {
      const before = row.texts[index] ?? null;
      if (before === null) return [];
      const inDocument = documents[column];
      const inText = texts[column];
      const after =
        inDocument === undefined
          ? (inText?.(names, row, before) ?? before)
          : renamedDocument(inDocument, names, row, before);
      if (after === before) return [];
      const value = inDocument === undefined ? sql`${after}` : sql`${after}::json`;
      return [sql`${identifier(column)} = ${value}`];
    });
    if (changes.length === 0) continue;
    await run(sql`UPDATE ${table} SET ${join(changes)}
      WHERE ${identifier(key)} = ${row.key}::${raw(keyType)}`);
  }
}

/** The text of a document after the rename; its own text when nothing changes. */
function renamedDocument(
  rename: Renaming,
  names: RenamedNames,
  owner: Owner,
  text: string,
): string {
  const value = parseExactJson(text);
  const after = writeExactJson(rename(names, owner, value));
  return after === writeExactJson(value) ? text : after;
}

/** Columns with the name of a field, each with the column of its collection. */
const FIELD_COLUMNS = [
  ['relations', 'many_collection', 'many_field'],
  ['relations', 'many_collection', 'one_collection_field'],
  ['relations', 'many_collection', 'junction_field'],
  ['relations', 'many_collection', 'sort_field'],
  ['relations', 'one_collection', 'one_field'],
  ['collections', 'collection', 'archive_field'],
  ['collections', 'collection', 'sort_field'],
  ['fields', 'collection', 'field'],
  ['fields', 'collection', 'group'],
] as const;

/** Columns with the name of a collection, besides those of the history. */
const COLLECTION_COLUMNS = [
  ['relations', 'many_collection'],
  ['relations', 'one_collection'],
  ['fields', 'collection'],
  ['permissions', 'collection'],
  ['presets', 'collection'],
  ['import_profiles', 'collection'],
  ['jobs', 'collection'],
  ['import_objects', 'collection'],
] as const;

async function renameFieldColumns(
  { run, system }: Alteration,
  { fields }: RenamedNames,
): Promise<void> {
  const renamed = sql`unnest(${fields.map(({ collection }) => collection)}::text[],
    ${fields.map(({ field }) => field)}::text[], ${fields.map(({ to }) => to)}::text[])
    AS r (collection, field, name)`;
  for (const [table, collection, field] of FIELD_COLUMNS) {
    await run(sql`
      UPDATE ${systemTable(system, table)} AS t SET ${identifier(field)} = r.name FROM ${renamed}
      WHERE t.${identifier(collection)} = r.collection AND t.${identifier(field)} = r.field`);
  }
}

async function renameCollectionColumns(
  { run, system }: Alteration,
  { catalog, renamedCollection }: RenamedNames,
): Promise<void> {
  if (renamedCollection === null) return;
  const { collection: from, to } = renamedCollection;
  for (const [table, column] of COLLECTION_COLUMNS) {
    await run(sql`UPDATE ${systemTable(system, table)} SET ${identifier(column)} = ${to}
      WHERE ${identifier(column)} = ${from}`);
  }
  // One statement, because the groups refer to the key that changes.
  await run(sql`
    UPDATE ${systemTable(system, 'collections')}
    SET collection = CASE collection WHEN ${from} THEN ${to} ELSE collection END,
      "group" = CASE "group" WHEN ${from} THEN ${to} ELSE "group" END
    WHERE collection = ${from} OR "group" = ${from}`);
  for (const { descriptor } of catalog.collections.values()) {
    for (const { id, oneAllowedCollections: allowed } of descriptor.relations) {
      if (allowed === null || !allowed.includes(from)) continue;
      const list = allowed.map((name) => (name === from ? to : name)).join(',');
      await run(sql`UPDATE ${systemTable(system, 'relations')}
        SET one_allowed_collections = ${list} WHERE id = ${id}`);
    }
  }
}

/** Replaces the names everywhere but in the history. */
export async function renameReferences(alteration: Alteration, names: RenamedNames): Promise<void> {
  // Documents first: their owners still have the names of the catalog.
  for (const stored of STORED_NAMES) await renameStored(alteration, names, stored);
  await renameFieldColumns(alteration, names);
  await renameCollectionColumns(alteration, names);
}
