/**
 * Removes spool files that outlive their jobs: uploads of failed jobs, which a retry needs, and
 * files of exports. Their age, and their number and size per user, are limited.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import { systemTable } from '#core/model/system/system-table.ts';

export interface FileRetentionOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly spool: Storage;
}

/** Releases the files of the jobs that a condition selects, then removes them. @returns how many */
async function remove({ pool, schema, spool }: FileRetentionOptions, ids: Sql): Promise<number> {
  // A later retry of such a job finds its file released, and is rejected.
  const { rows } = await pool.query<{ file: string }>(
    render(sql`WITH old AS (
        SELECT id, kept_file FROM ${systemTable(schema, 'jobs')}
        WHERE kept_file IS NOT NULL AND id IN (${ids})
          AND (storage IS NULL OR storage = ${await spool.identity()}) FOR UPDATE)
      UPDATE ${systemTable(schema, 'jobs')} AS j SET kept_file = NULL FROM old
      WHERE j.id = old.id RETURNING old.kept_file AS file`),
  );
  for (const { file } of rows) await spool.remove(file);
  return rows.length;
}

/** The limits of one user. */
export interface RetentionLimits {
  /** JOB_FILES_MAX: files. */
  readonly keep: number;
  /** SPOOL_MAX_PER_USER: bytes of all files but the latest. */
  readonly bytes: number;
}

/** The files of each user, latest first, numbered as `n`, with the bytes up to each as `total`. */
function numberedFiles(schema: string, condition: Sql): Sql {
  return sql`(SELECT id, finished_on, row_number() OVER latest AS n,
      sum(coalesce(file_size, (result ->> 'bytes')::int8, 0)) OVER latest AS total
    FROM ${systemTable(schema, 'jobs')} WHERE kept_file IS NOT NULL AND ${condition}
    WINDOW latest AS (PARTITION BY holder ORDER BY finished_on DESC)) AS kept`;
}

function isSurplus({ keep, bytes }: RetentionLimits): Sql {
  return sql`n > ${keep} OR n > 1 AND total > ${bytes}`;
}

/** Removes the oldest files of a user beyond the limits. @returns how many */
export function removeSurplusFiles(
  options: FileRetentionOptions,
  { holder, ...limits }: RetentionLimits & { readonly holder: string | null },
): Promise<number> {
  const files = numberedFiles(options.schema, sql`holder IS NOT DISTINCT FROM ${holder}`);
  return remove(options, sql`SELECT id FROM ${files} WHERE ${isSurplus(limits)}`);
}

/** Removes files that are older than `age` milliseconds, or beyond the limits of a user. */
export async function removeExpiredFiles(
  options: FileRetentionOptions,
  { age, ...limits }: RetentionLimits & { readonly age: number },
): Promise<number> {
  return await remove(
    options,
    sql`SELECT id FROM ${numberedFiles(options.schema, sql`TRUE`)}
      WHERE ${isSurplus(limits)} OR finished_on < now() - make_interval(secs => ${age / 1_000})`,
  );
}
