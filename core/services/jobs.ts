/** Operations on jobs for a caller: submit, read, wait, cancel, move. Workers run the jobs. */
import { EventEmitter, on } from 'node:events';
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import {
  FINAL_STATES,
  isOpen,
  type Job,
  type PlacedJob,
  type RejectedRow,
} from '#core/jobs/job.ts';
import { JobFollower } from '#core/jobs/job-follower.ts';
import { JobList, type JobQuery } from '#core/jobs/job-list.ts';
import { FIXED_ORDER, moveFirst, wakeMoved } from '#core/jobs/move-first.ts';
import { rejectedFileId } from '#core/jobs/rejected-file-id.ts';
import {
  type RequestParts,
  repeatedJob,
  type Submission,
  type Submitted,
  submit,
} from '#core/jobs/submit.ts';
import { workerSign } from '#core/jobs/worker-sign.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { announceCancelled, type CancelledJob, cancelling } from './cancel-job.ts';
import { type ChangeJobsOptions, JobChanges } from './change-jobs.ts';
import { retryJob } from './retry-job.ts';

const ERRORS_PAGE = 1_000;
/** The result of an import that has a report. */
const withReport = v.object({ failed: v.pipe(v.number(), v.minValue(1)) });
const uuid = v.pipe(v.string(), v.uuid());

/** The rejected rows of an import. */
export interface RejectedContent {
  readonly content: Readable;
  readonly format: string;
  /** CSV with tabs. */
  readonly isTabs: boolean;
}

export interface JobServiceOptions extends ChangeJobsOptions {
  /** JOB_LOCK_DURATION */
  readonly lockDuration: number;
}

export class JobService {
  /** Cancels, retries and moves all jobs of a query. */
  readonly changes: JobChanges;
  readonly #options: JobServiceOptions;
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #jobs: Sql;
  readonly #list: JobList;
  readonly #spool: Storage;
  readonly #log: Log;
  readonly #follower: JobFollower;

  constructor(options: JobServiceOptions) {
    const { pool, schema, bus, spool, log } = options;
    this.#options = options;
    this.changes = new JobChanges(options);
    this.#pool = pool;
    this.#schema = schema;
    this.#jobs = systemTable(schema, 'jobs');
    this.#list = new JobList(pool, schema);
    this.#spool = spool;
    this.#log = log;
    this.#follower = new JobFollower(pool, schema, bus, log);
  }

  /**
   * Accepts a job, or joins an identical open one.
   * @throws SERVICE_UNAVAILABLE within seconds when the queue cannot accept it, REQUESTS_EXCEEDED
   *   when
   * its owner has too many
   */
  async submit(submission: Submission): Promise<Submitted> {
    return await submit(this.#options, submission);
  }

  /** One job. Throws FORBIDDEN when it does not exist or belongs to another user. */
  async get(id: string, caller: Caller): Promise<PlacedJob> {
    const job = v.is(uuid, id) ? await this.#list.find(caller, id) : null;
    if (job === null) throw forbidden();
    return await this.#withSign(this.#follower.withProgress(job));
  }

  async #withSign(job: PlacedJob): Promise<PlacedJob> {
    if (job.state !== 'running') return job;
    return { ...job, worker: await workerSign(this.#options, job, this.#follower.heard(job)) };
  }

  /**
   * The job of an earlier request with the same `Idempotency-Key`; null without one.
   * @throws ServiceError UNPROCESSABLE_ENTITY for the key of another request
   */
  async repeated(submission: RequestParts): Promise<string | null> {
    return await repeatedJob({ pool: this.#pool, schema: this.#schema }, submission);
  }

  /** A job that the caller has just submitted; the caller may read it even if it is not a user. */
  async submitted(id: string, caller: Caller): Promise<PlacedJob> {
    const job = await this.#list.submitted(caller, id);
    if (job === null) throw forbidden();
    return this.#follower.withProgress(job);
  }

  /**
   * The jobs that the caller may see. Throws INVALID_QUERY or FORBIDDEN for an invalid filter or
   * sort.
   */
  async list(caller: Caller, query: JobQuery): Promise<readonly PlacedJob[]> {
    const jobs = await this.#list.list(caller, query);
    return jobs.map((job) => this.#follower.withProgress(job));
  }

  /**
   * Cancels a job: at once when it waits, through its worker when it runs. Cancelling twice is
   * allowed.
   * @throws ServiceError CONFLICT with `state` when it has ended, or its work is done already;
   * FORBIDDEN as {@link get}
   * @param operator the operator of the monitor, when the operator cancels it
   */
  async cancel(id: string, caller: Caller, operator: string | null = null): Promise<void> {
    await this.get(id, caller);
    const by = { user: caller.user, operator };
    const { change, columns } = cancelling(by);
    const { rows } = await this.#pool.query<CancelledJob>(
      render(sql`UPDATE ${this.#jobs} SET ${change}
        WHERE id = ${id} AND ${isOpen} AND result IS NULL RETURNING ${columns}`),
    );
    const [job] = rows;
    if (job === undefined) return await this.#notCancelled(id, caller);
    await announceCancelled(this.#options, job, by);
  }

  /**
   * Resubmits a job that failed or was cancelled, with its original message.
   * @throws ServiceError CONFLICT with `state` when it has not ended that way, or its file is gone;
   * FORBIDDEN as {@link get}; REQUESTS_EXCEEDED, SERVICE_UNAVAILABLE as {@link submit}
   * @param operator the operator of the monitor, when the operator retries it
   */
  async retry(id: string, caller: Caller, operator: string | null = null): Promise<PlacedJob> {
    await this.get(id, caller);
    const by = { user: caller.user, operator };
    await retryJob(this.#options, id, by);
    this.#log.info({ job: id, ...by }, 'a job was retried');
    return await this.get(id, caller);
  }

  /**
   * Moves a waiting job before all others of its queue; for administrators, because it delays the
   * jobs of other users.
   * @throws ServiceError CONFLICT with `state` when it does not wait, or its queue has a fixed
   *   order; FORBIDDEN; SERVICE_UNAVAILABLE
   */
  async first(id: string, caller: Caller): Promise<PlacedJob> {
    await this.get(id, caller);
    if (!caller.admin) throw forbidden();
    const by = { user: caller.user, operator: null };
    const { queues } = this.#options;
    const moved = await transaction(this.#pool, (client) =>
      moveFirst(client, this.#schema, queues, { ids: [id], by }),
    );
    if (moved.length === 0) {
      const { state, queue } = await this.get(id, caller);
      const isFixed = state === 'waiting' && queue === FIXED_ORDER;
      const why = isFixed ? reason('schema_order_fixed') : reason('first_needs_waiting');
      throw new ServiceError('CONFLICT', { state, reason: why });
    }
    this.#log.info({ job: id, ...by }, 'a job was moved first');
    await wakeMoved(this.#pool, this.#schema, queues, moved).catch((error: unknown) =>
      // The reconciler adds it.
      this.#log.warn({ err: error, job: id }, 'could not wake a job that was moved first'),
    );
    return await this.get(id, caller);
  }

  /** Why the job can no longer be cancelled. */
  async #notCancelled(id: string, caller: Caller): Promise<void> {
    const { state } = await this.get(id, caller);
    if (state === 'cancelled') return;
    throw new ServiceError('CONFLICT', { state, reason: reason('job_done_already') });
  }

  /**
   * Waits until a job has ended in any state; for the caller that submitted it.
   * @returns null when it has not ended after `timeoutMs`, or when `signal` was aborted
   */
  async wait(id: string, timeoutMs: number, signal?: AbortSignal): Promise<Job | null> {
    const ended = Promise.withResolvers<Job | null>();
    const giveUp = () => ended.resolve(null);
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    const leave = this.#follower.follow(id, (job) => {
      if (FINAL_STATES.has(job.state)) ended.resolve(job);
    });
    try {
      if (signal?.aborted) giveUp();
      return await ended.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      leave();
    }
  }

  /**
   * Yields the job now and after each change, until it has ended or `signal` is aborted. A slow
   * reader gets only the latest state. Throws FORBIDDEN as {@link get}.
   */
  async *watch(id: string, caller: Caller, signal?: AbortSignal): AsyncGenerator<Job, void> {
    const { position: _, worker: __, ...first } = await this.get(id, caller);
    let current: Job = first;
    yield current;
    let text = JSON.stringify(current);
    const changes = new EventEmitter<{ change: [] }>();
    const leave = this.#follower.follow(id, (job) => {
      current = job;
      changes.emit('change');
    });
    try {
      if (FINAL_STATES.has(current.state)) return;
      for await (const _ of on(changes, 'change', signal === undefined ? {} : { signal })) {
        const latest = JSON.stringify(current);
        if (latest === text) continue;
        text = latest;
        yield current;
        if (FINAL_STATES.has(current.state)) return;
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      leave();
    }
  }

  /**
   * The report of an import that skipped faulty rows, as CSV; null without a report.
   * @throws ServiceError FORBIDDEN as {@link get}, SERVICE_UNAVAILABLE when it is missing
   */
  async report(id: string, caller: Caller): Promise<Readable | null> {
    const { state, result } = await this.get(id, caller);
    if (state !== 'completed' || !v.is(withReport, result)) return null;
    return await this.#stored(id, id);
  }

  /**
   * The rows that an import skipped, in the notation of its file, and the names of its format.
   * @throws ServiceError FORBIDDEN as {@link get}, CONFLICT for a job without such rows,
   *   SERVICE_UNAVAILABLE when they are missing
   */
  async rejected(id: string, caller: Caller): Promise<RejectedContent> {
    const { state, result, file_format: format, dialect } = await this.get(id, caller);
    if (state !== 'completed' || !v.is(withReport, result)) {
      throw new ServiceError('CONFLICT', { state, reason: reason('job_without_rejected_rows') });
    }
    const content = await this.#stored(id, rejectedFileId(id));
    return { content, format: format ?? 'csv', isTabs: dialect?.separator === '\t' };
  }

  async #stored(id: string, file: string): Promise<Readable> {
    await this.requireStorage(id);
    await this.#spool.size(file);
    return this.#spool.read(file);
  }

  /**
   * Checks that this process can access the files of a job.
   * @throws ServiceError SERVICE_UNAVAILABLE, naming the storage that it cannot access
   */
  async requireStorage(id: string): Promise<void> {
    const { rows } = await this.#pool.query<{ storage: string | null }>(
      render(sql`SELECT storage FROM ${this.#jobs} WHERE id = ${id}`),
    );
    const storage = rows[0]?.storage ?? null;
    if (storage === null || storage === (await this.#spool.identity())) return;
    throw unavailable('storage', reason('storage_unreachable_from_edge', { storage }));
  }

  /** The rejected rows of a job, in the order of the file. Throws FORBIDDEN as {@link get}. */
  async *errors(id: string, caller: Caller): AsyncGenerator<RejectedRow, void> {
    await this.get(id, caller);
    const table = systemTable(this.#schema, 'job_errors');
    let after = -1;
    for (;;) {
      const { rows } = await this.#pool.query<RejectedRow & { position: number }>(
        render(sql`SELECT position, "row"::float8 AS row, field, value, reason, code, reason_code,
            reason_parameters
          FROM ${table} WHERE job = ${id} AND position > ${after} ORDER BY position LIMIT ${ERRORS_PAGE}`),
      );
      for (const { position, ...row } of rows) {
        after = position;
        yield row;
      }
      if (rows.length < ERRORS_PAGE) return;
    }
  }

  /** Stops following jobs; callers that still wait do so until their timeout. */
  close(): void {
    this.#follower.close();
  }
}
