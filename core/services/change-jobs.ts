/**
 * Cancels, retries or moves all jobs of a query, in steps. Each step commits together with a checkpoint, so
 * that each job is changed once, even if the worker crashes.
 */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { transaction } from '#core/database/pool.ts';
import { join, render, type Sql, sql } from '#core/database/sql.ts';
import { isOpen } from '#core/jobs/job.ts';
import type { ActingPerson } from '#core/jobs/job-action.ts';
import { JobList, type JobQuery, type JobSelection } from '#core/jobs/job-list.ts';
import {
  type ChangeJobsCheckpoint,
  changeJobsSubmission,
  type JobChange,
} from '#core/jobs/message/change-jobs.ts';
import { FIXED_ORDER, moveFirst, wakeMoved } from '#core/jobs/move-first.ts';
import { type Submission, type Submitted, submit } from '#core/jobs/submit.ts';
import { type Delivery, recordCheckpoint } from '#core/jobs/write-job-status.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import {
  announceCancelled,
  type CancelJobOptions,
  type CancelledJob,
  cancelling,
} from './cancel-job.ts';
import { retryJob } from './retry-job.ts';

export interface ChangeJobsOptions extends CancelJobOptions {
  /** JOBS_MAX_PER_USER */
  readonly maxPerHolder: number;
}

/** The conditions that choose jobs. */
export type ChosenJobs = Pick<JobQuery, 'filter' | 'search'>;

/** A request for such a change, with the original filter. */
export interface ChangeRequest {
  readonly change: JobChange;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly search: string | null;
}

/** A change that a worker carries out. */
export interface CarriedChange {
  readonly change: JobChange;
  readonly caller: Caller;
  readonly query: ChosenJobs;
  /** The delivery of the job that carries it out. */
  readonly delivery: Delivery;
}

/** Jobs that one transaction cancels. */
const CANCELLED_AT_ONCE = 500;
/** Jobs that are retried between two reads of the list. */
const RETRIED_AT_ONCE = 200;
/** Jobs that one transaction moves; workers wait for it before they claim one of these jobs. */
const MOVED_AT_ONCE = 100;
/** Cancelled jobs that are announced concurrently. */
const PARALLEL = 20;

/** The jobs that a change concerns; others of the query stay as they are. */
function concerned(change: JobChange, { column }: JobSelection): Sql {
  const isWanted = sql`NOT ${column('cancel_requested')}`;
  switch (change) {
    case 'cancel':
      return sql`${column('state')} IN ('waiting', 'running') AND ${isWanted}`;
    case 'retry':
      return sql`${column('state')} IN ('failed', 'cancelled')`;
    case 'first':
      return sql`${column('state')} = 'waiting' AND ${isWanted}
        AND ${column('queue')} <> ${FIXED_ORDER}`;
  }
}

function skipping(
  { after, changed, skipped }: ChangeJobsCheckpoint,
  code: string,
  jobs = 1,
): ChangeJobsCheckpoint {
  if (jobs === 0) return { after, changed, skipped };
  return { after, changed, skipped: { ...skipped, [code]: (skipped[code] ?? 0) + jobs } };
}

/** The code of the reason why a job is not retried; null for a failure that may pass. */
function refusalOf(error: unknown): string | null {
  if (!(error instanceof ServiceError)) return null;
  const code = error.details.reason?.code ?? error.code;
  // A queue that cannot be reached is another matter than one that accepts no jobs.
  return error.code === 'SERVICE_UNAVAILABLE' && code !== 'queue_paused' ? null : code;
}

export class JobChanges {
  readonly #options: ChangeJobsOptions;
  readonly #list: JobList;
  readonly #jobs: Sql;

  constructor(options: ChangeJobsOptions) {
    this.#options = options;
    this.#list = new JobList(options.pool, options.schema);
    this.#jobs = systemTable(options.schema, 'jobs');
  }

  /** The number of jobs that a change would concern now. */
  async count(caller: Caller, change: JobChange, query: ChosenJobs): Promise<number> {
    const selection = this.#list.selection(caller, query);
    return await this.#count(selection.from, [
      ...selection.conditions,
      concerned(change, selection),
    ]);
  }

  /**
   * Submits the job that carries out a change.
   * @param more the key and the id of the request
   */
  async submit(
    caller: Caller,
    request: ChangeRequest,
    more: Pick<Submission, 'idempotencyKey' | 'requestId'>,
  ): Promise<Submitted> {
    const { user, ip } = caller;
    const submission = changeJobsSubmission({ version: 1, ...request, user, ip });
    return await submit(this.#options, { ...submission, ...more, holder: quotaKeyOf(caller) });
  }

  /** The number of jobs that a change has yet to handle. */
  async remaining(change: CarriedChange, after: string): Promise<number> {
    const selection = this.#list.selection(change.caller, change.query);
    return await this.#count(selection.from, this.#within(change, selection, after));
  }

  /**
   * Changes some of the jobs, and records the checkpoint with them.
   * @returns null when no job is left
   * @throws {SupersededError} when another delivery has taken over, or the change was cancelled
   */
  async step(
    change: CarriedChange,
    checkpoint: ChangeJobsCheckpoint,
    signal: AbortSignal,
  ): Promise<ChangeJobsCheckpoint | null> {
    switch (change.change) {
      case 'cancel':
        return await this.#cancelSome(change, checkpoint);
      case 'retry':
        return await this.#retrySome(change, checkpoint, signal);
      case 'first':
        return await this.#moveSome(change, checkpoint);
    }
  }

  async #count(from: Sql, conditions: readonly Sql[]): Promise<number> {
    const { rows } = await this.#options.pool.query<{ jobs: number }>(
      render(sql`SELECT count(*)::float8 AS jobs FROM ${from}
        WHERE ${join(conditions, ' AND ')}`),
    );
    return rows[0]?.jobs ?? 0;
  }

  /**
   * The jobs that are left. Only jobs that were submitted before the change, and only failures
   * before it: a job that fails again after its retry is not retried again.
   */
  #within(
    { change, delivery }: CarriedChange,
    selection: JobSelection,
    after: string,
  ): readonly Sql[] {
    const { column } = selection;
    const own = (name: Sql) => sql`(SELECT ${name} FROM ${this.#jobs} WHERE id = ${delivery.id})`;
    return [
      ...[...selection.conditions, concerned(change, selection)],
      // Moved jobs go before those of earlier steps, so the last ones are moved first.
      change === 'first'
        ? sql`(${after}::bigint = 0 OR ${column('sequence')} < ${after})`
        : sql`${column('sequence')} > ${after}`,
      sql`${column('sequence')} < ${own(sql`sequence`)}`,
      ...(change === 'retry' ? [sql`${column('finished_on')} <= ${own(sql`created_on`)}`] : []),
    ];
  }

  #next(change: CarriedChange, after: string, limit: number, order = sql`ASC`): Sql {
    const selection = this.#list.selection(change.caller, change.query);
    const { from, column } = selection;
    return sql`SELECT ${column('id')}, ${column('sequence')} FROM ${from}
      WHERE ${join(this.#within(change, selection, after), ' AND ')}
      ORDER BY ${column('sequence')} ${order} LIMIT ${limit}`;
  }

  async #cancelSome(
    change: CarriedChange,
    checkpoint: ChangeJobsCheckpoint,
  ): Promise<ChangeJobsCheckpoint | null> {
    const { pool, schema } = this.#options;
    const by: ActingPerson = { user: change.caller.user, operator: null };
    const { change: assignments, columns } = cancelling(by);
    const step = await transaction(pool, async (client) => {
      const { rows } = await client.query<{ id: string; sequence: string }>(
        render(this.#next(change, checkpoint.after, CANCELLED_AT_ONCE)),
      );
      const last = rows.at(-1);
      if (last === undefined) return null;
      const isChosen = sql`id = ANY(${rows.map(({ id }) => id)}::uuid[])`;
      // In one order, so that two changes do not wait for each other.
      await client.query(
        render(sql`SELECT FROM ${this.#jobs} WHERE ${isChosen}
          ORDER BY sequence FOR NO KEY UPDATE`),
      );
      const cancelled = await client.query<CancelledJob>(
        render(sql`UPDATE ${this.#jobs} SET ${assignments}
          WHERE ${isChosen} AND ${isOpen} AND NOT cancel_requested AND result IS NULL
          RETURNING ${columns}`),
      );
      const jobs = cancelled.rows;
      const changed = checkpoint.changed + jobs.length;
      const reached = { ...checkpoint, after: last.sequence, changed };
      const next = skipping(reached, 'job_done_already', rows.length - jobs.length);
      await recordCheckpoint(client, schema, change.delivery, next);
      return { jobs, next };
    });
    if (step === null) return null;
    for (let from = 0; from < step.jobs.length; from += PARALLEL) {
      const some = step.jobs.slice(from, from + PARALLEL);
      await Promise.all(some.map((job) => announceCancelled(this.#options, job, by)));
    }
    return step.next;
  }

  /** @throws ServiceError FORBIDDEN when the caller is no longer an administrator */
  async #moveSome(
    change: CarriedChange,
    checkpoint: ChangeJobsCheckpoint,
  ): Promise<ChangeJobsCheckpoint | null> {
    if (!change.caller.admin) throw forbidden();
    const { pool, schema, queues, log } = this.#options;
    const by: ActingPerson = { user: change.caller.user, operator: null };
    const step = await transaction(pool, async (client) => {
      const { rows } = await client.query<{ id: string; sequence: string }>(
        render(this.#next(change, checkpoint.after, MOVED_AT_ONCE, sql`DESC`)),
      );
      const last = rows.at(-1);
      if (last === undefined) return null;
      const ids = rows.map(({ id }) => id);
      const jobs = await moveFirst(client, schema, queues, { ids, by });
      const changed = checkpoint.changed + jobs.length;
      const reached = { ...checkpoint, after: last.sequence, changed };
      const next = skipping(reached, 'first_needs_waiting', rows.length - jobs.length);
      await recordCheckpoint(client, schema, change.delivery, next);
      return { jobs, next };
    });
    if (step === null) return null;
    for (const { id } of step.jobs) log.info({ job: id, ...by }, 'a job was moved first');
    await wakeMoved(pool, schema, queues, step.jobs);
    return step.next;
  }

  async #retrySome(
    change: CarriedChange,
    checkpoint: ChangeJobsCheckpoint,
    signal: AbortSignal,
  ): Promise<ChangeJobsCheckpoint | null> {
    const { pool, schema, log } = this.#options;
    const { rows } = await pool.query<{ id: string; sequence: string }>(
      render(this.#next(change, checkpoint.after, RETRIED_AT_ONCE)),
    );
    if (rows.length === 0) return null;
    const by: ActingPerson = { user: change.caller.user, operator: null };
    let state = checkpoint;
    for (const { id, sequence } of rows) {
      signal.throwIfAborted();
      const next = { ...state, after: sequence, changed: state.changed + 1 };
      try {
        await retryJob(this.#options, id, by, (client) =>
          recordCheckpoint(client, schema, change.delivery, next),
        );
        state = next;
        log.info({ job: id, ...by }, 'a job was retried');
      } catch (error) {
        const code = refusalOf(error);
        if (code === null) throw error;
        state = skipping({ ...state, after: sequence }, code);
      }
    }
    await recordCheckpoint(pool, schema, change.delivery, state);
    return state;
  }
}
