/** Fills the staging table from the file. */

import { copyFile, type Pass } from './copy-file.ts';
import type { FileColumn } from './file-column.ts';
import type { Run } from './import-run.ts';
import { copyToStaging, createStaging, type Staged, StagingWriter } from './staging-table.ts';

/**
 * Makes the staging table and copies the rows of the file into it.
 * @param handler decides which rows that are; all of them when not given
 * @throws as `copyFile`
 */
export async function stage(
  run: Run,
  columns: readonly FileColumn[],
  handler?: Pass['handler'],
): Promise<{ readonly staged: Staged; readonly skipped: number }> {
  await run.connection.run(createStaging(run.target, columns));
  let writer: StagingWriter | undefined;
  const { copied, skipped } = await copyFile(run, {
    columns,
    statement: copyToStaging(columns),
    writer: (out) => {
      writer = new StagingWriter(run.target, columns, out);
      return writer;
    },
    ...(handler === undefined ? {} : { handler }),
  });
  const lacking = writer?.lacking ?? new Set();
  return {
    staged: { columns, lacking, rows: copied, distinct: writer?.ascending ?? false },
    skipped,
  };
}
