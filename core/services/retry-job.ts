/** Retries jobs that failed or were cancelled: the same job waits again. */

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { isTransient } from '#core/database/failure.ts';
import type { Client, Pool } from '#core/database/pool.ts';
import { transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import type { JobState } from '#core/jobs/job.ts';
import { type ActingPerson, withAction } from '#core/jobs/job-action.ts';
import { enqueueInTurn } from '#core/jobs/mailbox.ts';
import type { QueueName, Queues } from '#core/jobs/queue.ts';
import { claimJob } from '#core/jobs/quota.ts';
import { requireAccepting } from '#core/jobs/submit.ts';
import { nextTurn } from '#core/jobs/turn.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { uploadIdOf } from '#core/transfer/upload.ts';

export interface RetryJobOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly queues: Queues;
  readonly spool: Storage;
  /** JOBS_MAX_PER_USER */
  readonly maxPerHolder: number;
}

interface EndedJob {
  readonly state: JobState;
  readonly kind: string;
  readonly queue: QueueName;
  readonly mailbox: string | null;
  readonly holder: string | null;
  readonly message: unknown;
  readonly kept: string | null;
  readonly storage: string | null;
}

/** The queue receives the end of the last delivery within this time. */
const SETTLED_WITHIN_MS = 2_000;
const LOOK_MS = 20;

function refused(state: string, why: Reason): ServiceError {
  return new ServiceError('CONFLICT', { state, reason: why });
}

/** Removes the queue's entry of an ended job, so that the queue accepts the job again. */
async function forget(queues: Queues, queue: QueueName, id: string): Promise<void> {
  const end = performance.now() + SETTLED_WITHIN_MS;
  while ((await queues.get(queue).state(id)) === 'active' && performance.now() < end) {
    await delay(LOOK_MS);
  }
  await queues.get(queue).remove(id);
}

/** The upload that the job needs; null without one. */
async function requireUpload({ spool }: RetryJobOptions, job: EndedJob): Promise<string | null> {
  const upload = uploadIdOf(job.message);
  if (upload === null) return null;
  // Only workers of the same storage can check an upload in another storage.
  const isOwn = job.storage === null || job.storage === (await spool.identity());
  const isThere =
    job.kept === upload &&
    (!isOwn ||
      (await spool.size(upload).then(
        () => true,
        () => false,
      )));
  if (isThere) return upload;
  throw refused(job.state, reason('retry_file_not_kept'));
}

/**
 * Makes an ended job wait again.
 * @throws ServiceError CONFLICT with `state` when it has not failed and was not cancelled, its file
 * is no longer stored, or an identical job is open; REQUESTS_EXCEEDED; SERVICE_UNAVAILABLE
 * @param also runs in the transaction that makes the job wait
 */
export async function retryJob(
  options: RetryJobOptions,
  id: string,
  by: ActingPerson,
  also: (client: Client) => Promise<void> = async () => undefined,
): Promise<void> {
  const { pool, schema, queues, maxPerHolder } = options;
  const jobs = systemTable(schema, 'jobs');
  const { rows } = await pool.query<EndedJob>(
    render(sql`SELECT state, kind, queue, mailbox, holder, message, storage, kept_file AS kept
      FROM ${jobs} WHERE id = ${id}`),
  );
  const [job] = rows;
  if (job === undefined) throw new ServiceError('FORBIDDEN');
  const { state, kind, queue, mailbox, holder } = job;
  if (state !== 'failed' && state !== 'cancelled') {
    throw refused(state, reason('retry_state_refused'));
  }
  const upload = await requireUpload(options, job);
  await forget(queues, queue, id);
  const waiting = await transaction(pool, async (client) => {
    await requireAccepting(client, schema, queue);
    if (holder !== null) await claimJob(client, schema, { holder, max: maxPerHolder });
    const updated = await client.query<{ turn: number }>(
      render(sql`UPDATE ${jobs} SET state = 'waiting', cancel_requested = false, error = NULL,
          progress = NULL, started_on = NULL, finished_on = NULL, kept_file = NULL,
          turn = ${nextTurn(schema, queue, holder)}, actions = ${withAction('retry', by)}
        WHERE id = ${id} AND state = ${state}
          AND (${upload}::uuid IS NULL OR kept_file = ${upload}::uuid)
        RETURNING turn::float8 AS turn`),
    );
    if (updated.rows[0] === undefined) throw refused(state, reason('retry_overtaken'));
    await client.query(
      render(sql`DELETE FROM ${systemTable(schema, 'job_errors')} WHERE job = ${id}`),
    );
    await also(client);
    return updated.rows[0];
  }).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === SQLSTATE.uniqueViolation)
      throw refused(state, reason('retry_identical_job_open'));
    throw error;
  });
  // If the queue cannot accept the job now, the reconciler adds it later.
  await enqueueInTurn(pool, schema, queues, { id, kind, queue, mailbox, turn: waiting.turn }).catch(
    (error: unknown) => {
      if (!(error instanceof ServiceError) && !isTransient(error)) throw error;
    },
  );
}
