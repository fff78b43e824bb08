/**
 * What an operation on the schema works with: the catalog as it stands, and the one transaction in
 * which everything is looked up and changed.
 */
import type { Catalog } from '#core/catalog/catalog.ts';
import type { Sql } from '#core/database/sql.ts';

/** A table by its place in the database. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/**
 * How strongly a table is locked: nobody else may use it (columns come, go or change), or nobody
 * may write to it (foreign keys and indexes are made; PostgreSQL manual, 13.3.1).
 */
export type LockMode = 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE';

export interface TableLock extends TableName {
  /** ACCESS EXCLUSIVE when not given. */
  readonly mode?: LockMode;
}

/** An index on one column, to be made now or, `concurrently`, after the transaction. */
export interface IndexOrder {
  readonly collection: string;
  readonly field: string;
  readonly table: TableName;
  readonly unique: boolean;
}

export interface Alteration {
  /** As it was when the change began; what this change itself has made is not in it. */
  readonly catalog: Catalog;
  /** The schema of the system tables. */
  readonly system: string;
  /** The schema in which new tables are made. */
  readonly home: string;
  /** Values may be lost. */
  readonly force: boolean;
  /** Indexes are built after the transaction. */
  readonly concurrently: boolean;
  /** Reads. Runs always. */
  readonly ask: <Row extends object>(query: Sql) => Promise<readonly Row[]>;
  /**
   * Changes something. A dry run notes the statement instead.
   * @throws {ServiceError} what a failure of PostgreSQL means to the caller
   */
  readonly run: (statement: Sql) => Promise<void>;
  /**
   * Locks tables for the rest of the transaction without letting others wait behind it. To be
   * called once, with all that the change needs, before its first statement on any of them;
   * tables that are locked already, and those that are new, are passed over.
   * @throws SERVICE_UNAVAILABLE naming the sessions that kept a table for too long
   */
  readonly lock: (tables: readonly TableLock[]) => Promise<void>;
  /** Makes an index, or orders it for after the transaction. */
  readonly index: (order: IndexOrder) => Promise<void>;
}
