/**
 * Quotas for jobs of one user, or one anonymous address: the number of open jobs, and the bytes of
 * uploads. An upload counts from its arrival to the end of the job; a small one from the job's
 * beginning. All processes share the counts in the database. Transactions of one owner are
 * serialized.
 */

import { reason } from '#core/base/errors/reason.ts';
import { quotaExceeded, ServiceError } from '#core/base/errors/service-error.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { withConnection } from '#core/database/pool.ts';
import { simpleQuery } from '#core/database/simple-query.ts';
import { quotaLock, render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { isOpen } from './job.ts';
import type { QueueName } from './queue.ts';

/** Maximum bytes of an upload of unknown length that are reserved at a time. */
const GRAIN = 16 * 1024 * 1024;
/** Maximum part of the quota that is reserved at a time. */
const GRAINS = 16;
/** Uploads up to this many bytes are counted with their job. */
const SMALL = 16 * 1024;
/** Interval (ms) of the heartbeats of a slow upload. */
const SIGN_MS = 60_000;
/** Minutes without a heartbeat after which the process of an upload counts as dead. */
const FORGOTTEN_MINUTES = 10;

function grainOf(max: number): number {
  return Math.max(1, Math.min(GRAIN, Math.floor(max / GRAINS)));
}

/** The bytes of the file of a job. */
const FILE_BYTES = sql`(message -> 'file' ->> 'bytes')::bigint`;

/**
 * The bytes of uploads that have no job yet, except one upload, and of what imports keep so that
 * they can be undone.
 */
function uploadedBytes(schema: string, holder: string, but: string | null): Sql {
  return sql`coalesce((SELECT sum(bytes) FROM ${systemTable(schema, 'uploads')}
    WHERE holder = ${holder} AND id IS DISTINCT FROM ${but}::uuid), 0)
    + coalesce((SELECT sum(bytes) FROM ${systemTable(schema, 'import_undos')}
      WHERE holder = ${holder} AND undone_by IS NULL), 0)`;
}

/** The bytes of an owner's uploads; an upload that is arriving now is excluded. */
function usedBytes(schema: string, holder: string, id: string | null): Sql {
  return sql`${uploadedBytes(schema, holder, id)}
    + coalesce((SELECT sum(${FILE_BYTES}) FROM ${systemTable(schema, 'jobs')}
        WHERE holder = ${holder} AND ${isOpen}), 0)`;
}

function tooManyBytes(max: number): ServiceError {
  return quotaExceeded('SPOOL_MAX_PER_USER', max, reason('too_many_waiting_upload_bytes', { max }));
}

/** The quota usage of a new job. */
export interface JobClaim {
  readonly holder: string;
  /** JOBS_MAX_PER_USER. */
  readonly max: number;
  /** Its upload, if it was not counted on arrival. */
  readonly upload?: UncountedUpload | null;
}

/** An upload that is counted with its job. */
export interface UncountedUpload {
  readonly bytes: number;
  /** SPOOL_MAX_PER_USER in bytes. */
  readonly max: number;
}

/**
 * The open jobs of an owner in one subquery: their number, the bytes of their files, and the last
 * turn.
 */
export function openJobs(schema: string, holder: string, queue: QueueName): Sql {
  return sql`SELECT count(*) AS count, coalesce(sum(${FILE_BYTES}), 0) AS bytes,
      max(turn) FILTER (WHERE queue = ${queue}) AS turn
    FROM ${systemTable(schema, 'jobs')} WHERE holder = ${holder} AND ${isOpen}`;
}

/** The condition that a job is within the quotas of its owner, whose {@link openJobs} are `own`. */
export function hasRoom(schema: string, { holder, max, upload = null }: JobClaim): Sql {
  if (upload === null) return sql`own.count < ${max}`;
  return sql`own.count < ${max}
    AND ${uploadedBytes(schema, holder, null)} + own.bytes + ${upload.bytes} <= ${upload.max}`;
}

/**
 * Refuses a job above the quota; runs in the transaction that records it.
 * @throws ServiceError REQUESTS_EXCEEDED
 */
export async function claimJob(
  client: Client,
  schema: string,
  { holder, max, upload = null }: JobClaim,
): Promise<void> {
  const used = upload === null ? sql`0` : usedBytes(schema, holder, null);
  const results = await simpleQuery<{ count: number; used: string }>(client, [
    quotaLock(holder),
    sql`SELECT (SELECT count(*)::int FROM ${systemTable(schema, 'jobs')}
      WHERE holder = ${holder} AND ${isOpen}) AS count, ${used} AS used`,
  ]);
  const [row] = results.at(-1)?.rows ?? [];
  if (upload !== null && Number(row?.used ?? 0) + upload.bytes > upload.max) {
    throw tooManyBytes(upload.max);
  }
  if ((row?.count ?? 0) < max) return;
  throw quotaExceeded('JOBS_MAX_PER_USER', max, reason('too_many_jobs', { max }));
}

export interface SpoolQuotaOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** SPOOL_MAX_PER_USER in bytes. */
  readonly max: number;
}

export class SpoolQuota {
  readonly #options: SpoolQuotaOptions;

  constructor(options: SpoolQuotaOptions) {
    this.#options = options;
  }

  /**
   * Starts to count an upload.
   * @param announced its length, if declared
   * @throws ServiceError REQUESTS_EXCEEDED, CONTENT_TOO_LARGE when it exceeds the whole quota
   */
  async begin(id: string, holder: string, announced = 0): Promise<CountedUpload> {
    const { max } = this.#options;
    if (announced > max) {
      throw new ServiceError('CONTENT_TOO_LARGE', { limit: max, variable: 'SPOOL_MAX_PER_USER' });
    }
    const upload = new CountedUpload(this.#options, id, holder);
    // Most uploads are so small that counting them costs more than receiving them.
    if (announced > 0 && announced <= Math.min(SMALL, grainOf(max))) upload.expect(announced);
    else await upload.claim(announced);
    return upload;
  }
}

/** An upload in progress. */
export class CountedUpload {
  readonly #options: SpoolQuotaOptions;
  readonly #id: string;
  readonly #holder: string;
  #claimed = 0;
  #signed = 0;
  #recorded = false;

  constructor(options: SpoolQuotaOptions, id: string, holder: string) {
    this.#options = options;
    this.#id = id;
    this.#holder = holder;
  }

  /** Passes the content on, as long as it is within the quota. */
  async *counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const grain = grainOf(this.#options.max);
    let bytes = 0;
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes > this.#claimed) await this.claim(Math.ceil(bytes / grain) * grain);
      else if (performance.now() - this.#signed > SIGN_MS) await this.claim(this.#claimed);
      yield piece;
    }
  }

  /** Allows this many bytes, which are counted with their job. */
  expect(bytes: number): void {
    this.#claimed = bytes;
    this.#signed = performance.now();
  }

  /** The bytes to count with the job; null when the upload is already counted. */
  uncounted(bytes: number): UncountedUpload | null {
    return this.#recorded ? null : { bytes, max: this.#options.max };
  }

  /** @throws ServiceError REQUESTS_EXCEEDED when these bytes exceed the quota */
  async claim(bytes: number): Promise<void> {
    const { pool, schema, max } = this.#options;
    const uploads = systemTable(schema, 'uploads');
    const [id, holder] = [this.#id, this.#holder];
    this.#recorded = true;
    // One message, so that a process that disconnects does not retain the owner's quota lock.
    const results = await withConnection(pool, (client) =>
      simpleQuery(client, [
        quotaLock(holder),
        sql`DELETE FROM ${uploads}
          WHERE holder = ${holder} AND seen_on < now() - make_interval(mins => ${FORGOTTEN_MINUTES})`,
        sql`INSERT INTO ${uploads} (id, holder, bytes)
          SELECT ${id}, ${holder}, ${bytes} WHERE ${usedBytes(schema, holder, id)} + ${bytes} <= ${max}
          ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes, seen_on = now()`,
      ]),
    );
    if (results.at(-1)?.rowCount !== 1) throw tooManyBytes(max);
    this.#claimed = bytes;
    this.#signed = performance.now();
  }

  /** Ends the counting: the upload failed, or now counts with its job. */
  async end(): Promise<void> {
    const { pool, schema } = this.#options;
    if (!this.#recorded) return;
    await pool.query(
      render(sql`DELETE FROM ${systemTable(schema, 'uploads')} WHERE id = ${this.#id}`),
    );
  }
}
