/** Finds fields whose index is still being built: those with an open job for it. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import { INDEX_JOB } from '#core/jobs/message/index-build.ts';
import { systemTable } from '#core/model/system/system-table.ts';

export interface IndexBuilds {
  has(collection: string, field: string): boolean;
}

/** The indexes that are being built, or wait for it. */
export async function openIndexBuilds(pool: Pool, schema: string): Promise<IndexBuilds> {
  const { rows } = await pool.query<{ collection: string; field: string }>(
    render(sql`SELECT message ->> 'collection' AS collection, message ->> 'field' AS field
      FROM ${systemTable(schema, 'jobs')} WHERE kind = ${INDEX_JOB} AND ${isOpen}`),
  );
  const building = new Set(
    rows.map(({ collection, field }) => JSON.stringify([collection, field])),
  );
  return { has: (collection, field) => building.has(JSON.stringify([collection, field])) };
}
