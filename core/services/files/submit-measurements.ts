/**
 * Finds images that were never measured, because the queue accepted no jobs or the process died
 * first. Images that cannot be measured have empty metadata, and are not submitted again.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { MEASURED_TYPES } from '#core/files/images/transformation.ts';
import { imageFactsSubmission } from '#core/jobs/message/image-facts.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { JobService } from '../jobs.ts';

/** Chosen at random, so that images that crash every worker do not block the other images. */
const AT_ONCE = 1_000;

export interface MeasurementOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly jobs: JobService;
}

/**
 * Submits measurements for some of them.
 * @returns how many
 * @throws ServiceError SERVICE_UNAVAILABLE when the queue of images accepts no jobs
 */
export async function submitMeasurements({
  pool,
  schema,
  jobs,
}: MeasurementOptions): Promise<number> {
  const { rows } = await pool.query<{ storage: string; name: string }>(
    render(sql`SELECT storage, filename_disk AS name FROM ${systemTable(schema, 'files')}
      WHERE width IS NULL AND metadata IS NULL AND filename_disk IS NOT NULL
        AND type = ANY(${[...MEASURED_TYPES]}::text[])
      ORDER BY random() LIMIT ${AT_ONCE}`),
  );
  for (const place of rows) {
    await jobs.submit(imageFactsSubmission(place, { isLate: true, requestId: null }));
  }
  return rows.length;
}
