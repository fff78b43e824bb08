/** The input, the result and the shared state of an import. */

import type { WriteContext } from '#core/write/write-context.ts';
import type { ImportFile } from '../file/import-file.ts';
import type { NestedColumns } from '../file/nested-column.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportTarget } from '../target/import-target.ts';
import type { ImportOptions } from './import-options.ts';
import type { RejectedRows } from './rejected-rows.ts';
/** A running import. */
export interface ImportRun {
  readonly connection: ImportConnection;
  readonly target: ImportTarget;
  readonly file: ImportFile;
  readonly options: ImportOptions;
  /** The skipped rows; null when one faulty row rejects the file. */
  readonly rejected: RejectedRows | null;
  /** The collections that rows were written to. */
  readonly written: Set<string>;
  /** The write context that rows are validated with. */
  readonly write: WriteContext;
  /** The columns that files may have for related items. */
  readonly related: NestedColumns;
}

/** The file is rejected, for these reasons. */
export class ImportRefused extends Error {
  readonly faults: readonly [RowFault, ...RowFault[]];

  constructor(first: RowFault, ...more: readonly RowFault[]) {
    super('the file is refused');
    this.name = 'Refused';
    this.faults = [first, ...more];
  }
}
