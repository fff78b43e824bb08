/**
 * Files in the spool that are kept although their job has ended: uploads of failed jobs, for a
 * retry, and files of exports. They go by age, and by their number for one user.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import type { Spool } from '#core/transfer/spool.ts';

export interface KeptFileOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly spool: Spool;
}

/** Releases the files of the jobs that a condition selects, then removes them. @returns how many */
async function remove({ pool, schema, spool }: KeptFileOptions, ids: Sql): Promise<number> {
  // A retry of such a job finds its file released, and is refused.
  const { rows } = await pool.query<{ file: string }>(
    render(sql`WITH old AS (
        SELECT id, kept_file FROM ${systemTable(schema, 'jobs')}
        WHERE kept_file IS NOT NULL AND id IN (${ids}) FOR UPDATE)
      UPDATE ${systemTable(schema, 'jobs')} AS j SET kept_file = NULL FROM old
      WHERE j.id = old.id RETURNING old.kept_file AS file`),
  );
  for (const { file } of rows) await spool.remove(file);
  return rows.length;
}

/** Removes the oldest files of a user beyond some number. @returns how many */
export function removeSurplusFiles(
  options: KeptFileOptions,
  { holder, keep }: { readonly holder: string | null; readonly keep: number },
): Promise<number> {
  const jobs = systemTable(options.schema, 'jobs');
  return remove(
    options,
    sql`SELECT id FROM ${jobs} WHERE kept_file IS NOT NULL
      AND holder IS NOT DISTINCT FROM ${holder}
      ORDER BY finished_on DESC OFFSET ${keep}`,
  );
}

/** Removes files that are older than `age` milliseconds, or beyond some number for a user. */
export async function removeKeptFiles(
  options: KeptFileOptions,
  { age, keep }: { readonly age: number; readonly keep: number },
): Promise<number> {
  const jobs = systemTable(options.schema, 'jobs');
  return await remove(
    options,
    sql`SELECT id FROM (
        SELECT id, finished_on, row_number() OVER (PARTITION BY holder ORDER BY finished_on DESC) AS n
        FROM ${jobs} WHERE kept_file IS NOT NULL) AS kept
      WHERE n > ${keep} OR finished_on < now() - make_interval(secs => ${age / 1_000})`,
  );
}
