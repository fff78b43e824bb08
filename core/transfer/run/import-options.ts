/** The input of an import, and its result. */

import type pg from 'pg';
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { QueryBounds } from '#core/query/query.ts';
import type { History } from '#core/write/history/history.ts';
import type { CollectionRule } from '#core/write/write-context.ts';
import type { DecompressionLimits } from '../file/decompress.ts';
import type { StoredFile } from '../file/import-file.ts';
import type { KeepOptions } from '../target/kept-changes.ts';

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
  /** Faulty rows that were skipped; 0 when one faulty row rejects the file. */
  readonly failed: number;
  /** The faults of the skipped rows by their reason; absent without any. */
  readonly reasons?: readonly FaultGroup[];
  /** The number of values in each column that the import took nothing from; absent without any. */
  readonly ignored?: Readonly<Record<string, number>>;
  /** The separator that was found in the file; absent when the options name it, or for commas. */
  readonly separator?: string;
  /** Of a mirror: the rows that the file lacks and that were deleted; absent otherwise. */
  readonly deleted?: number;
  /** Of a mirror with rejected rows: the rows that the file lacks, which stay; absent otherwise. */
  readonly not_deleted?: number;
  /** Of a dry run: the keys of the first rows that would be deleted; absent otherwise. */
  readonly deleted_keys?: readonly string[];
  /** Nothing was written; absent otherwise. */
  readonly dry_run?: boolean;
  /** What it changed is kept, so that it can be undone; absent otherwise. */
  readonly undo?: boolean;
}

/** Faults of the same field for the same reason. */
export interface FaultGroup {
  readonly code: string;
  readonly field: string | null;
  /** That of the first row. */
  readonly reason: string | null;
  readonly reason_code: string | null;
  readonly reason_parameters: unknown;
  /** The number of rows with such a fault. */
  readonly rows: number;
  readonly first_row: number;
}

/**
 * The phases of an import: the rows of the file are read, their values and constraints checked, the
 * rows written into the table (unless reading did that), and all of it committed.
 */
export type ImportPhase = 'reading' | 'checking' | 'writing' | 'committing';

export interface ImportOptions {
  /** An exclusive connection for this import, outside a transaction. */
  readonly client: pg.ClientBase;
  readonly catalog: Catalog;
  readonly collection: string;
  /** The id of the job, which its session shows as `application_name`. */
  readonly job?: string;
  /** The only fields that the file may contain; all when not given. */
  readonly fields?: ReadonlySet<string>;
  readonly sender: ImportSender;
  readonly file: StoredFile;
  readonly expansion: DecompressionLimits;
  /** The options that the sender chose. */
  readonly parameters: ImportParameters;
  /** Keeps what the import changes, so that it can be undone; null or absent: keeps nothing. */
  readonly keep?: KeepOptions | null;
  /** What a mirror deletes with: the history, and the schema of subscribers if there are any. */
  readonly deletions?: { readonly history: History; readonly listeners: string | null };
  readonly signal: AbortSignal;
  /** Cancels the running statement of a backend, from another connection. */
  readonly interrupt: (backend: number) => Promise<void>;
  /**
   * Runs a script that analyzes a table, on another connection, so that its lock is released before
   * the import ends. Its failure must not fail the import.
   */
  readonly analyze: (script: string) => Promise<void>;
  readonly progress: (progress: JobProgress) => void;
  /** Begins a phase. */
  readonly phase: (phase: ImportPhase) => void;
  /**
   * Stops at a named position for tests: `import.parsing`; `import.staged` and, with the rows
   * merged but not committed, `import.merging` (both only with the staging table).
   */
  readonly failpoint: (name: string) => Promise<void>;
  /** Maximum number of reported faults. */
  readonly errorLimit: number;
  /** Stores the report of the skipped rows, as CSV, before `complete`. */
  readonly report: (content: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Stores the skipped rows in the notation of the file, after their report. */
  readonly rejectedFile?: (content: AsyncIterable<Uint8Array>) => Promise<void>;
  /**
   * Records the result on the client; the last statement before COMMIT.
   * @param written the collections that the file wrote to
   */
  readonly complete: (result: ImportResult, written: ReadonlySet<string>) => Promise<void>;
}

/** The sender of a file. */
export interface ImportSender {
  readonly caller: Caller;
  readonly rights: Rights;
  readonly bounds: QueryBounds;
  /** Hashes a secret with a slow hash. */
  readonly hash: (secret: string) => Promise<string>;
  /** The requirements of a collection for items that are related to those of the file. */
  readonly ruleOf: (collection: Collection) => CollectionRule;
  /** The maximum number of items that one row may write; undefined: no limit. */
  readonly maxItems: number | undefined;
}
