/**
 * The context of a schema operation: the catalog, and the transaction in which it reads and changes
 * everything.
 */

import type { Sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { Delta } from '#core/write/history/history.ts';

/** A table by schema and name. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/**
 * The lock on a table: exclusive (columns are added, dropped or changed), or against writers only
 * (foreign keys and indexes are created; PostgreSQL manual, 13.3.1).
 */
export type LockMode = 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE';

export interface TableLock extends TableName {
  /** ACCESS EXCLUSIVE by default. */
  readonly mode?: LockMode;
}

/** An index on one column, created now or, with `concurrently`, after the transaction. */
export interface IndexRequest {
  readonly collection: string;
  readonly field: string;
  readonly table: TableName;
  readonly unique: boolean;
}

/** A changed row of a system collection, with the fields that were written. */
export interface ChangedRow {
  readonly id: string;
  readonly delta: Delta;
}

export interface Alteration {
  /** The catalog before the change; it does not contain the results of the change. */
  readonly catalog: Catalog;
  /** The schema of the system tables. */
  readonly system: string;
  /** The schema for new tables. */
  readonly home: string;
  /** Values may be lost. */
  readonly force: boolean;
  /** Indexes are built after the transaction. */
  readonly concurrently: boolean;
  /** Reads; also in a dry run. */
  readonly ask: <Row extends object>(query: Sql) => Promise<readonly Row[]>;
  /**
   * Changes something. A dry run collects the statement instead.
   * @throws {ServiceError} the translated error of PostgreSQL
   */
  readonly run: (statement: Sql) => Promise<void>;
  /** Like `run`, with the rows that the statement returns; a dry run returns no rows. */
  readonly write: <Row extends object>(statement: Sql) => Promise<readonly Row[]>;
  /** Records the history of changed rows in their current state; not in a dry run. */
  readonly record: (
    collection: string,
    action: 'create' | 'update' | 'delete',
    rows: readonly ChangedRow[],
  ) => Promise<void>;
  /**
   * Locks tables for the rest of the transaction without blocking other sessions behind it. Called
   * once, with all tables of the change, before the first statement on any of them. Already locked
   * tables and new ones are skipped.
   * @throws SERVICE_UNAVAILABLE naming the sessions that held a table for too long
   */
  readonly lock: (tables: readonly TableLock[]) => Promise<void>;
  /** Creates an index, or plans it for after the transaction. */
  readonly index: (order: IndexRequest) => Promise<void>;
}
