/** What an import is given, what it answers, and what its steps share. */
import type pg from 'pg';
import type { Catalog } from '#core/catalog/catalog.ts';
import type { JobProgress } from '#core/messages/bus.ts';
import type { ImportFile } from './file.ts';
import type { RowFault } from './row-fault.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

/** What became of the rows of a file. */
export interface ImportResult {
  readonly inserted: number;
  readonly updated: number;
  /** Rows that were in the table just so. */
  readonly unchanged: number;
  /** Rows whose key comes again further down: the last one counts. */
  readonly duplicates: number;
  /** Rows without any value, and rows that a trigger of the table kept out. */
  readonly skipped: number;
  /** Always 0: a row that fails, fails the file. */
  readonly failed: number;
}

export interface ImportOptions {
  /** A connection of the import's own, outside of any transaction. */
  readonly client: pg.ClientBase;
  readonly catalog: Catalog;
  readonly collection: string;
  /** The only fields that the file may fill; all of them when not given. */
  readonly fields?: ReadonlySet<string>;
  readonly file: ImportFile;
  readonly signal: AbortSignal;
  /** Cancels the running statement of a backend, from another connection. */
  readonly interrupt: (backend: number) => Promise<void>;
  readonly progress: (progress: JobProgress) => void;
  /**
   * Stops at a place when a test names it: `import.parsing`; `import.staged` and, with the rows
   * merged but not committed, `import.merging` (both only where the staging table is used).
   */
  readonly failpoint: (name: string) => Promise<void>;
  /** Most faults that are reported. */
  readonly errorLimit: number;
  /** Records the result on the client; the last statement before COMMIT. */
  readonly complete: (result: ImportResult) => Promise<void>;
}

/** An import on its way. */
export interface Run {
  readonly session: Session;
  readonly target: Target;
  readonly options: ImportOptions;
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
