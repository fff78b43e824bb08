/** The input, the result and the shared state of an import. */
import type pg from 'pg';
import type { Catalog } from '#core/catalog/catalog.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { JobProgress } from '#core/messages/bus.ts';
import type { Write } from '#core/mutation/target.ts';
import type { ExpansionLimits } from './file/expand.ts';
import type { ImportFile, StoredFile } from './file/import-file.ts';
import type { RowFault } from './file/row-fault.ts';
import type { ImportConnection } from './import-connection.ts';
import type { Sender } from './import-sender.ts';
import type { Target } from './import-target.ts';
import type { NestedColumns } from './nested/nested-column.ts';
import type { RejectedRows } from './report/rejected-rows.ts';

/** The result of an import. */
export interface ImportResult {
  readonly inserted: number;
  readonly updated: number;
  /** Rows that were identical in the table. */
  readonly unchanged: number;
  /** Rows whose key comes again later in the file: the last one is used. */
  readonly duplicates: number;
  /** Rows without any value, and rows that a trigger discarded. */
  readonly skipped: number;
  /** Faulty rows that were left out; 0 when one of them refuses the file. */
  readonly failed: number;
  /** Nothing of it was kept; absent when it was. */
  readonly dry_run?: boolean;
}

export interface ImportOptions {
  /** A connection for this import alone, outside of a transaction. */
  readonly client: pg.ClientBase;
  readonly catalog: Catalog;
  readonly collection: string;
  /** The id of the job, which its session shows as `application_name`. */
  readonly job?: string;
  /** The only fields that the file may contain; all when not given. */
  readonly fields?: ReadonlySet<string>;
  readonly sender: Sender;
  readonly file: StoredFile;
  readonly expansion: ExpansionLimits;
  /** The options that the sender chose. */
  readonly parameters: ImportParameters;
  readonly signal: AbortSignal;
  /** Cancels the running statement of a backend, from another connection. */
  readonly interrupt: (backend: number) => Promise<void>;
  /**
   * Runs a script that analyzes a table, on another connection, so that its lock is not held for as
   * long as the import takes. What goes wrong there is not worth an import.
   */
  readonly analyze: (script: string) => Promise<void>;
  readonly progress: (progress: JobProgress) => void;
  /**
   * Stops at a named position for tests: `import.parsing`; `import.staged` and, with the rows
   * merged but not committed, `import.merging` (both only with the staging table).
   */
  readonly failpoint: (name: string) => Promise<void>;
  /** Maximum number of reported faults. */
  readonly errorLimit: number;
  /** Stores the report of the rows that are left out, as CSV, before `complete`. */
  readonly report: (content: AsyncIterable<Uint8Array>) => Promise<void>;
  /**
   * Records the result on the client; the last statement before COMMIT.
   * @param written the collections that the file wrote to
   */
  readonly complete: (result: ImportResult, written: ReadonlySet<string>) => Promise<void>;
}

/** A running import. */
export interface Run {
  readonly connection: ImportConnection;
  readonly target: Target;
  readonly file: ImportFile;
  readonly options: ImportOptions;
  /** The rows that are left out; null when one faulty row refuses the file. */
  readonly rejected: RejectedRows | null;
  /** The collections that rows were written to. */
  readonly written: Set<string>;
  /** The write that rows are judged as. */
  readonly write: Write;
  /** The columns that files may have for related items. */
  readonly related: NestedColumns;
}

/** The file is refused, for these reasons. */
export class Refused extends Error {
  readonly faults: readonly [RowFault, ...RowFault[]];

  constructor(first: RowFault, ...more: readonly RowFault[]) {
    super('the file is refused');
    this.name = 'Refused';
    this.faults = [first, ...more];
  }
}
