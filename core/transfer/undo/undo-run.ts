/** The input of an undo, its result, and the state of one run. */
import type pg from 'pg';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type { UndoImportResult } from '#core/jobs/message/undo-import.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportSender } from '../run/import-options.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportableCollection } from '../target/import-target.ts';

export interface UndoOptions {
  /** An exclusive connection outside a transaction. */
  readonly client: pg.ClientBase;
  readonly catalog: Catalog;
  /** The schema of the system tables. */
  readonly schema: string;
  /** The id of the job of this undo. */
  readonly job: string;
  /** The id of the job of the import. */
  readonly import: string;
  /** The user who asked for it, with the current permissions. */
  readonly sender: Pick<ImportSender, 'caller' | 'rights' | 'bounds'>;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Cancels the running statement of a backend, from another connection. */
  readonly interrupt: (backend: number) => Promise<void>;
  /** Stops at a named position for tests: `undo.writing`, with the rows written; `undo.committing`. */
  readonly failpoint: (name: string) => Promise<void>;
  /** The maximum number of rows that are named. */
  readonly namedMax: number;
  /** Records the result and the rows that stay on the client; the last statement before COMMIT. */
  readonly complete: (result: UndoImportResult, faults: readonly RowFault[]) => Promise<void>;
}

/** What the import kept. */
export interface KeptImport {
  readonly collection: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The columns of the primary key by then. */
  readonly key: readonly string[];
  /** The columns that its file had. */
  readonly written: readonly string[];
  readonly inserted: number;
  readonly updated: number;
}

export interface UndoRun {
  readonly connection: ImportConnection;
  readonly options: UndoOptions;
  readonly kept: KeptImport;
  readonly collection: ImportableCollection;
  /** The table. */
  readonly name: Sql;
  /** The kept columns as they are now. */
  readonly columns: readonly ColumnDescriptor[];
  readonly key: readonly ColumnDescriptor[];
  readonly write: WriteContext;
}

/** More than the rows that one row of the system table can keep. */
export const ROWS_OF_CHUNK = 10_000;

/** The kept rows; with a column for each part of the key. */
export const KEPT_ROWS: Sql = identifier('pg_temp', 'sluice_undo');
/** The type of a row before the import. */
export const FORMER_ROW: Sql = identifier('pg_temp', 'sluice_undo_row');
/** The rows that stay, and why. */
export const STAYING: Sql = identifier('pg_temp', 'sluice_undo_staying');

/** The column of a part of the key in {@link KEPT_ROWS}. */
export function keyColumn(place: number): Sql {
  return identifier(`k${place}`);
}

/** The condition that a row of the table and a kept row have the same key. */
export function sameItem(key: readonly ColumnDescriptor[], table: string, kept: string): Sql {
  const parts = key.map(
    ({ name }, place) => sql`${identifier(table, name)} = ${identifier(kept, `k${place}`)}`,
  );
  return join(parts, ' AND ');
}

/** The condition that a kept row does not stay. */
export function isTaken(kept: string): Sql {
  return sql`NOT EXISTS (SELECT FROM ${STAYING} y WHERE y."row" = ${identifier(kept, 'row')})`;
}
