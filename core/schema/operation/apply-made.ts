/** Makes what a snapshot has and the database has not: tables, columns, foreign keys and their rows. */
import * as v from 'valibot';
import { identifier, join, literal, sql } from '#core/database/sql.ts';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/table.ts';
import type { Alteration, TableName } from '../alteration.ts';
import { relationSchemaInput } from '../change.ts';
import { columnSchema, exactColumn } from '../exact-column.ts';
import { indexName } from '../index-name.ts';
import { collectionMetaInput, fieldMetaInput, relationMetaInput } from '../meta.ts';
import { NAME_BYTES } from '../name.ts';
import type { SnapshotCollection, SnapshotField, SnapshotRelation } from '../snapshot.ts';
import { type CollectionRow, insertCollections } from './collection-meta.ts';
import { alter, finishColumn } from './field.ts';
import { writeFieldMeta } from './field-meta.ts';
import { addForeignKey, type ForeignKeyOrder, refuseOrphans } from './foreign-key.ts';
import { insertRelation } from './relation-meta.ts';

/** @throws ServiceError INVALID_PAYLOAD naming the member that cannot be */
export function parsedMeta<S extends v.GenericSchema>(
  schema: S,
  meta: unknown,
  what: string,
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, meta);
  if (parsed.success) return parsed.output;
  const path = v.getDotPath(parsed.issues[0]);
  throw invalidPayload(`"${path ?? 'meta'}" of ${what} is not as expected.`);
}

/** Where the table of a collection lies, or will. */
export function tableNamed({ catalog, home }: Alteration, name: string): TableName {
  const table = catalog.collections.get(name)?.table ?? null;
  return table === null ? { schema: home, name } : { schema: table.schema, name: table.name };
}

/** The row that tells more of a field. */
export async function describeField(alteration: Alteration, field: SnapshotField): Promise<void> {
  if (field.meta === null) return;
  const place = `${field.collection}.${field.field}`;
  await writeFieldMeta(alteration, field, parsedMeta(fieldMetaInput, field.meta, place));
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
  if (columns.length === 0) throw invalidPayload(`${table.name} has no columns.`);
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
    await finishColumn(alteration, collection, table, { field, schema: columnSchema(column) });
  }
}

/** Rows that tell of what somebody else has dropped are no description of what is made now. */
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

/** Makes collections with their fields; their rows together, so that they may be in each other. */
export async function makeCollections(
  alteration: Alteration,
  collections: readonly SnapshotCollection[],
  fields: readonly SnapshotField[],
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
      throw invalidPayload(`${collection} is neither a table nor a folder.`);
    }
    if (meta !== null)
      rows.push({ collection, meta: parsedMeta(collectionMetaInput, meta, collection) });
  }
  await insertCollections(alteration, rows);
  for (const field of fields) await describeField(alteration, field);
}

/** Makes fields of collections that are there. */
export async function makeFields(
  alteration: Alteration,
  fields: readonly SnapshotField[],
): Promise<void> {
  for (const column of fields) {
    const { collection, field, schema } = column;
    if (schema !== null) {
      const table = tableNamed(alteration, collection);
      const definition = await exactColumn(alteration, column);
      await alteration.run(alter(table, sql`ADD COLUMN ${definition}`));
      await finishColumn(alteration, collection, table, { field, schema: columnSchema(column) });
    }
    await describeField(alteration, column);
  }
}

/** The columns of a key, which are joined by commas; a name may hold some too. Null if none fit. */
function columnsOf(text: unknown, known: ReadonlySet<string>): string[] | null {
  if (typeof text !== 'string') return null;
  if (known.has(text)) return [text];
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) {
    if (!known.has(text.slice(0, at))) continue;
    const rest = columnsOf(text.slice(at + 1), known);
    if (rest !== null) return [text.slice(0, at), ...rest];
  }
  return null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= NAME_BYTES
    ? value
    : null;
}

/** The foreign key of a relation, to be made between tables that are there by now. */
export function keyOrder(
  alteration: Alteration,
  { collection, field, related_collection: related, schema }: SnapshotRelation,
  columnNames: (collection: string) => ReadonlySet<string>,
): ForeignKeyOrder | null {
  if (schema === null) return null;
  if (related === null) throw invalidPayload(`${collection}.${field} refers to nothing.`);
  const { on_delete, on_update } = schema;
  const place = `the relation ${collection}.${field}`;
  const actions = parsedMeta(relationSchemaInput, { on_delete, on_update }, place);
  const columns = columnsOf(schema.column, columnNames(collection));
  const targetColumns = columnsOf(schema.foreign_key_column, columnNames(related));
  if (columns === null || columns.length !== targetColumns?.length) {
    const reason = `The relation ${collection}.${field} from ${collection} to ${related} does not name columns of both.`;
    throw new ServiceError('UNPROCESSABLE_ENTITY', { collection, field, reason });
  }
  return {
    name: text(schema.constraint_name) ?? indexName(collection, field, 'foreign'),
    table: tableNamed(alteration, collection),
    columns,
    target: tableNamed(alteration, related),
    targetColumns,
    onDelete: actions.on_delete ?? 'NO ACTION',
    onUpdate: actions.on_update ?? 'NO ACTION',
  };
}

/**
 * Makes a relation: its foreign key, if it has one, and its row.
 * @param isNew the table that refers is new, and so without rows
 */
export async function makeRelation(
  alteration: Alteration,
  relation: SnapshotRelation,
  order: ForeignKeyOrder | null,
  isNew: boolean,
): Promise<void> {
  const { collection, field, related_collection: related, meta } = relation;
  if (order !== null) {
    if (!isNew && order.columns.length === 1) await refuseOrphans(alteration, relation, order);
    await addForeignKey(alteration, order);
  }
  if (meta === null) return;
  const row = parsedMeta(relationMetaInput, meta, `the relation ${collection}.${field}`);
  await insertRelation(alteration, { collection, field, related, meta: row });
}
