/** Accepts jobs: first the row in `system_jobs`, then the queue. */
import assert from 'node:assert/strict';
import type { Client, Pool } from '#core/database/pool.ts';
import { transaction } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { ServiceError, unavailable } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/system-table.ts';
import { isOpen } from './job.ts';
import type { QueueName, Queues } from './queue.ts';
import { claimJob } from './quota.ts';
import { storedJson } from './storable-json.ts';

/** A job to be submitted. */
export interface Submission {
  readonly kind: string;
  readonly queue: QueueName;
  /** Ids, never content; small enough for a row. */
  readonly message: { readonly version: number };
  /** The mailbox: jobs with the same one run one at a time, in order; null for any order. */
  readonly mailbox: string | null;
  readonly collection: string | null;
  readonly user: string | null;
  /** An open job of the same user, kind, collection and fingerprint is joined; null for never. */
  readonly fingerprint: string | null;
  /** The owner for quotas; absent for none. */
  readonly holder?: string;
}

export interface Submitted {
  readonly id: string;
  /** True when an identical open job was joined. */
  readonly joined: boolean;
}

export interface SubmitOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly queues: Queues;
  /** JOBS_MAX_PER_USER: maximum open jobs of one owner. */
  readonly maxPerHolder: number;
}

/** The joined job can end between two checks; this often in a row is unlikely. */
const JOIN_TRIES = 5;

/** The row of a new job. */
function insertion(schema: string, job: Submission): Sql {
  return sql`
    INSERT INTO ${systemTable(schema, 'jobs')} (kind, queue, mailbox, message, message_version,
      "user", collection, fingerprint, holder, catalog)
    VALUES (${job.kind}, ${job.queue}, ${job.mailbox}, ${storedJson(job.message)},
      ${job.message.version}, ${job.user}, ${job.collection}, ${job.fingerprint},
      ${job.holder ?? null}, (SELECT version FROM ${systemTable(schema, 'state')} WHERE name = 'catalog'))
    ON CONFLICT DO NOTHING RETURNING id`;
}

/**
 * Records a job without joining, as part of a transaction. After the commit it must be put into its
 * queue; the reconciler does that for a process that dies.
 */
export async function recordJob(client: Client, schema: string, job: Submission): Promise<string> {
  const { rows } = await client.query<{ id: string }>(render(insertion(schema, job)));
  const [row] = rows;
  assert(row !== undefined, 'a job without a fingerprint meets no other');
  return row.id;
}

/** Records a job within the quota of its owner; null when an identical one is open. */
async function insert(
  { pool, schema, maxPerHolder }: SubmitOptions,
  job: Submission,
): Promise<string | null> {
  const { holder } = job;
  const statement = render(insertion(schema, job));
  const record = async (client: Client) =>
    (await client.query<{ id: string }>(statement)).rows[0]?.id ?? null;
  if (holder === undefined) return await record(pool);
  return await transaction(pool, async (client) => {
    await claimJob(client, schema, { holder, max: maxPerHolder });
    return await record(client);
  });
}

async function insertOrJoin(options: SubmitOptions, job: Submission): Promise<Submitted> {
  const { pool, schema } = options;
  const jobs = systemTable(schema, 'jobs');
  const find = render(sql`
    SELECT id FROM ${jobs} WHERE ${isOpen} AND NOT cancel_requested AND kind = ${job.kind}
      AND "user" IS NOT DISTINCT FROM ${job.user}
      AND collection IS NOT DISTINCT FROM ${job.collection} AND fingerprint = ${job.fingerprint}`);
  for (let tries = 0; tries < JOIN_TRIES; tries += 1) {
    // A joined job does not count, so look for it before checking the quota.
    const [joined] = job.fingerprint === null ? [] : (await pool.query<{ id: string }>(find)).rows;
    if (joined !== undefined) return { id: joined.id, joined: true };
    const id = await insert(options, job);
    if (id !== null) return { id, joined: false };
  }
  throw unavailable('queue', 'Identical jobs come and go too fast.');
}

/** Cancels a job that no worker has begun; false when one has. */
async function reject(pool: Pool, schema: string, id: string, error: ServiceError) {
  const { rowCount } = await pool.query(
    render(sql`UPDATE ${systemTable(schema, 'jobs')}
      SET state = 'failed', finished_on = now(), error = ${storedJson([error])}
      WHERE id = ${id} AND state = 'waiting' AND attempt = 0`),
  );
  return rowCount === 1;
}

/**
 * Records the job and adds it to its queue. When the process dies in between, the reconciler adds
 * it.
 * @throws SERVICE_UNAVAILABLE within seconds when the queue cannot accept it; REQUESTS_EXCEEDED
 *   above the quota; the job is then not done
 */
export async function submit(options: SubmitOptions, job: Submission): Promise<Submitted> {
  const { pool, schema, queues } = options;
  const submitted = await insertOrJoin(options, job);
  if (submitted.joined) return submitted;
  try {
    await queues.get(job.queue).add(submitted.id, job.kind);
  } catch (error) {
    // The queue may have accepted it although its answer was lost.
    if (!(error instanceof ServiceError)) throw error;
    if (await reject(pool, schema, submitted.id, error)) throw error;
  }
  return submitted;
}
