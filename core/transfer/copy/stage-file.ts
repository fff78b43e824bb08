/** Fills the staging table from the file. */

import type { FileColumn } from '../file/file-column.ts';
import type { ImportRun } from '../run/import-run.ts';
import { type CopyPass, copyFile } from './copy-file.ts';
import { copyToStaging, createStaging, type Staged, StagingWriter } from './staging-table.ts';

/** The differences of a pass from one that copies every row unchanged. */
interface Staging {
  /** Decides which rows are copied. */
  readonly handler: CopyPass['handler'];
  /** Prepares the empty table. */
  readonly prepare: () => Promise<void>;
}

/**
 * Creates the staging table and copies the rows of the file into it.
 * @throws as `copyFile`
 */
export async function stageFile(
  run: ImportRun,
  columns: readonly FileColumn[],
  staging?: Staging,
): Promise<{ readonly staged: Staged; readonly skipped: number }> {
  await run.connection.run(createStaging(run.target, columns));
  await staging?.prepare();
  let writer: StagingWriter | undefined;
  const { copied, skipped } = await copyFile(run, {
    columns,
    statement: copyToStaging(columns),
    writer: (out) => {
      writer = new StagingWriter(run.target, columns, out);
      return writer;
    },
    handler: staging?.handler,
  });
  const lacking = writer?.lacking ?? new Set();
  return {
    staged: { columns, lacking, rows: copied, distinct: writer?.ascending ?? false },
    skipped,
  };
}
