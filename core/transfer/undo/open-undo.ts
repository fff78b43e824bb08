/** Opens an undo: what the import kept, its table as it is now, and the kept rows. */
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { NO_RULE, type WriteContext } from '#core/write/write-context.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import { type ImportableCollection, importable } from '../target/import-target.ts';
import { keyValues, storedColumns } from '../target/kept-changes.ts';
import {
  KEPT_ROWS,
  type KeptImport,
  keyColumn,
  ROWS_OF_CHUNK,
  type UndoOptions,
  type UndoRun,
} from './undo-run.ts';

const registered = v.object({
  collection: v.string(),
  columns: v.array(v.object({ name: v.string(), type: v.string() })),
  key: v.array(v.string()),
  written: v.array(v.string()),
  inserted: v.number(),
  updated: v.number(),
  undone_by: v.nullable(v.string()),
});

/** The error for an import that cannot be undone any more. */
function undoConflict(why: Reason): ServiceError {
  return new ServiceError('CONFLICT', { state: 'completed', reason: why });
}

/** What an import kept, locked. @throws {ServiceError} CONFLICT */
async function keptImport(
  connection: ImportConnection,
  { schema, import: id }: UndoOptions,
): Promise<KeptImport> {
  const { rows } = await connection.run(sql`SELECT collection, columns, "key", written,
      inserted::float8 AS inserted, updated::float8 AS updated, undone_by
    FROM ${systemTable(schema, 'import_undos')} WHERE import = ${id} FOR UPDATE`);
  const [row] = rows;
  if (row === undefined) throw undoConflict(reason('undo_not_kept'));
  const { undone_by, ...kept } = v.parse(registered, row);
  if (undone_by !== null) throw undoConflict(reason('undo_done_already'));
  return kept;
}

/** @throws {ServiceError} UNPROCESSABLE_ENTITY when the table is not as the import left it */
function unchangedTable(
  catalog: Catalog,
  { collection: name, columns, key: parts, inserted }: KeptImport,
): Pick<UndoRun, 'collection' | 'columns' | 'key'> {
  const changed = () => {
    const why = reason('undo_table_changed');
    return new ServiceError('UNPROCESSABLE_ENTITY', { collection: name, reason: why });
  };
  if (!catalog.collections.has(name)) throw changed();
  const collection: ImportableCollection = importable(catalog, name);
  const now = new Map(storedColumns(collection.table).map((column) => [column.name, column]));
  const found = columns.flatMap((column) => {
    const same = now.get(column.name);
    return same?.typeText === column.type ? [same] : [];
  });
  const key = collection.primaryKey.map(({ column }) => column);
  const isSame = key.map((part) => part.name).join('\0') === parts.join('\0');
  if (found.length < columns.length || !isSame) throw changed();
  // The hash of an inserted row does not cover a later column, whose value would be deleted with it.
  if (inserted > 0 && now.size > columns.length) throw changed();
  return { collection, columns: found, key };
}

/** Statements that create the tables of the kept rows, which are dropped with the transaction. */
function kept({ schema, import: id }: UndoOptions, run: Omit<UndoRun, 'write'>): Sql[] {
  const { key, columns, name } = run;
  const values = keyValues(sql`u."key"`, key).map(
    (value, place) => sql`${value} AS ${keyColumn(place)}`,
  );
  const names = columns.map((column) => identifier('t', column.name));
  return [
    sql`CREATE TEMPORARY TABLE sluice_undo ON COMMIT DROP AS
      SELECT c.position * ${raw(String(ROWS_OF_CHUNK))} + u."n" AS "row", c.is_new AS "isNew",
        u."hash", u."old", ${join(values)}
      FROM ${systemTable(schema, 'import_changes')} c,
        unnest(c.keys, c.hashes, c.olds) WITH ORDINALITY u ("key", "hash", "old", "n")
      WHERE c.import = ${id}::uuid`,
    sql`ANALYZE ${KEPT_ROWS} (${join(key.map((_, place) => keyColumn(place)))})`,
    sql`CREATE TEMPORARY TABLE sluice_undo_row ON COMMIT DROP AS
      SELECT ${join(names)} FROM ${name} t WITH NO DATA`,
    sql`CREATE TEMPORARY TABLE sluice_undo_staying ("row" int8 PRIMARY KEY, "code" text NOT NULL)
      ON COMMIT DROP`,
  ];
}

function contextOf(options: UndoOptions, collection: ImportableCollection): WriteContext {
  const { catalog, client, sender } = options;
  const { caller, rights, bounds } = sender;
  const target = {
    ...{ catalog, caller, bounds, rights, grants: rights.reading, collection: collection.name },
  };
  const hash = async (secret: string) => secret;
  return { target, collection, client, now: new Date(), rule: NO_RULE, hash };
}

/**
 * Opens an undo in the transaction of the connection, and locks the table against other writers.
 * @throws {ServiceError} CONFLICT, UNPROCESSABLE_ENTITY
 */
export async function openUndo(
  connection: ImportConnection,
  options: UndoOptions,
): Promise<UndoRun> {
  const found = await keptImport(connection, options);
  const table = unchangedTable(options.catalog, found);
  const { schema, name: own } = table.collection.table;
  const name = identifier(schema, own);
  await connection.run(sql`LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE`);
  const run = { ...table, connection, options, kept: found, name };
  for (const statement of kept(options, run)) await connection.run(statement);
  return { ...run, write: contextOf(options, table.collection) };
}
