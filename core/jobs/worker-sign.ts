/**
 * The last sign of life of the worker of a running job, and when another worker takes the job over.
 * Workers report their deliveries whenever they renew their lease, about once a second.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { MEMBER_LEASE_MS } from '#core/model/catalog/open-catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Job } from './job.ts';
import { deliveryName } from './worker-report.ts';

/** As clients receive it; in seconds. */
export interface WorkerSign {
  /** Since the last sign of life; null when no process knows. */
  readonly silence: number | null;
  /**
   * Until another worker takes the job over, at the latest; null while its worker reports, and when
   * no process knows.
   */
  readonly takeover: number | null;
}

/** A worker that is silent for longer is lost, or paused. */
const SILENT_AFTER_MS = 3_000;
/**
 * The queue holds the lock of a delivery for JOB_LOCK_DURATION after its last renewal. The other
 * workers look for expired locks at half of it.
 */
const TAKEN_WITHIN = 1.5;

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

export interface WorkerSignOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** JOB_LOCK_DURATION */
  readonly lockDuration: number;
}

/**
 * The sign of a running job.
 * @param heard milliseconds since this process last received its progress; null when it never did
 */
export async function workerSign(
  { pool, schema, lockDuration }: WorkerSignOptions,
  { id, attempts: attempt, claimed_on: claimed }: Pick<Job, 'id' | 'attempts' | 'claimed_on'>,
  heard: number | null,
): Promise<WorkerSign> {
  const { rows } = await pool.query<{ reported: number | null; age: number | null }>(
    render(sql`SELECT
        (SELECT extract(epoch FROM clock_timestamp() - max(expires))::float8 * 1000
          FROM ${systemTable(schema, 'members')} WHERE kind = 'worker'
            AND report -> 'jobs' ? ${deliveryName({ id, attempt })}) AS reported,
        extract(epoch FROM clock_timestamp() - ${claimed}::timestamptz)::float8 * 1000 AS age`),
  );
  const [{ reported, age } = { reported: null, age: null }] = rows;
  const signs = [
    ...(reported === null ? [] : [reported + MEMBER_LEASE_MS]),
    ...(heard === null ? [] : [heard]),
    // The claim is a sign, too. Of an old one, later signs may have been lost with the registry.
    ...(age !== null && age <= TAKEN_WITHIN * lockDuration ? [age] : []),
  ];
  if (signs.length === 0) return { silence: null, takeover: null };
  const silence = Math.max(0, Math.min(...signs));
  const isSilent = silence > SILENT_AFTER_MS;
  const takeover = isSilent ? seconds(Math.max(0, TAKEN_WITHIN * lockDuration - silence)) : null;
  return { silence: seconds(silence), takeover };
}
