/** Creates the parts of a snapshot that the database lacks: tables, columns and their metadata. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, join, literal, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { collectionMetaInput, fieldMetaInput } from '../metadata-input.ts';
import type { Alteration, TableName } from '../schema-change-context.ts';
import type { SnapshotCollection, SnapshotField } from '../snapshot.ts';
import { columnSchema, exactColumn } from '../snapshot-column.ts';
import { type CollectionRow, insertCollections } from './collection-meta.ts';
import { alterTable, finishColumn } from './field.ts';
import { parseFlags, refuseClearDefault, writeFieldMeta } from './field-meta.ts';

/** @throws ServiceError INVALID_PAYLOAD naming the invalid member */
export function parsedMeta<S extends v.GenericSchema>(
  schema: S,
  meta: unknown,
  what: string,
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, meta);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  if (issue.type === 'check') {
    throw invalidPayload(reason('diff_check_failed', { subject: what, message: issue.message }));
  }
  const path = v.getDotPath(issue);
  throw invalidPayload(reason('diff_member_invalid', { path: path ?? 'meta', subject: what }));
}

/** The table of a collection, existing or new. */
export function tableNamed({ catalog, home }: Alteration, name: string): TableName {
  const table = catalog.collections.get(name)?.table ?? null;
  return table === null ? { schema: home, name } : { schema: table.schema, name: table.name };
}

/** The row of metadata of a field. */
export async function describeField(alteration: Alteration, field: SnapshotField): Promise<void> {
  if (field.meta === null) return;
  const place = `${field.collection}.${field.field}`;
  const meta = parsedMeta(fieldMetaInput, field.meta, place);
  refuseClearDefault(place, parseFlags(meta.special), columnSchema(field).default_value);
  await writeFieldMeta(alteration, field, meta);
}

function keyOf({ schema }: SnapshotCollection, columns: readonly SnapshotField[]): string[] {
  const marked = columns.filter((column) => column.schema?.is_primary_key === true);
  const names = marked.map(({ field }) => field);
  const order: readonly unknown[] = Array.isArray(schema?.primary_key) ? schema.primary_key : [];
  return names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

async function makeTable(
  alteration: Alteration,
  collection: SnapshotCollection,
  columns: readonly SnapshotField[],
): Promise<void> {
  const table = { schema: alteration.home, name: collection.collection };
  const name = identifier(table.schema, table.name);
  if (columns.length === 0)
    throw invalidPayload(reason('collection_without_columns', { name: table.name }));
  const lines = [];
  for (const column of columns) lines.push(await exactColumn(alteration, column));
  const key = keyOf(collection, columns);
  if (key.length > 0) lines.push(sql`PRIMARY KEY (${join(key.map((part) => identifier(part)))})`);
  await alteration.run(sql`CREATE TABLE ${name} (${join(lines)})`);
  const comment = collection.schema?.comment;
  if (typeof comment === 'string') {
    await alteration.run(sql`COMMENT ON TABLE ${name} IS ${literal(comment)}`);
  }
  for (const column of columns) {
    const { collection, field } = column;
    // An index in a snapshot exists in addition to that of the key.
    const schema = { ...columnSchema(column), is_primary_key: false };
    await finishColumn(alteration, collection, table, { field, schema });
  }
}

/** The parts to create. */
interface Making {
  readonly collections: readonly SnapshotCollection[];
  readonly fields: readonly SnapshotField[];
  readonly described: readonly SnapshotCollection[];
}

/** Metadata of a table that was dropped outside of the API do not apply to the new one. */
async function forgetLeftovers(
  { run, system }: Alteration,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  for (const [table, column] of [
    ['fields', 'collection'],
    ['relations', 'many_collection'],
  ] as const) {
    await run(sql`
      DELETE FROM ${systemTable(system, table)}
      WHERE ${identifier(column)} = ANY (${names}::text[])`);
  }
}

/**
 * Creates collections with their fields.
 * @param described existing collections that get their first row of metadata; all rows are written
 *   together, so that collections can refer to each other as groups
 */
export async function createSnapshotCollections(
  alteration: Alteration,
  { collections, fields, described }: Making,
): Promise<void> {
  const rows: CollectionRow[] = [];
  const names = collections.map(({ collection }) => collection);
  await forgetLeftovers(alteration, names);
  for (const entry of collections) {
    const { collection, meta, schema } = entry;
    const own = fields.filter((field) => field.collection === collection);
    const column = own.find((field) => field.schema !== null);
    if (schema !== null) {
      await makeTable(
        alteration,
        entry,
        own.filter((field) => field.schema !== null),
      );
    } else if (meta === null || column !== undefined) {
      throw invalidPayload(reason('neither_table_nor_folder', { collection }));
    }
  }
  for (const { collection, meta } of [...collections, ...described]) {
    if (meta === null) continue;
    rows.push({ collection, meta: parsedMeta(collectionMetaInput, meta, collection) });
  }
  await insertCollections(alteration, rows);
  for (const field of fields) await describeField(alteration, field);
}

/** Creates fields of existing collections. */
export async function createSnapshotFields(
  alteration: Alteration,
  fields: readonly SnapshotField[],
): Promise<void> {
  for (const column of fields) {
    const { collection, field, schema } = column;
    if (schema !== null) {
      const table = tableNamed(alteration, collection);
      const definition = await exactColumn(alteration, column);
      await alteration.run(alterTable(table, sql`ADD COLUMN ${definition}`));
      await finishColumn(alteration, collection, table, { field, schema: columnSchema(column) });
    }
    await describeField(alteration, column);
  }
}
