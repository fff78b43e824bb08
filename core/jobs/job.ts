/** A job as stored in `system_jobs` and served at `/jobs`. */

import type { ReasonParameters } from '#core/base/errors/reason.ts';
import type { ErrorEntry } from '#core/base/errors/service-error.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import type { JobAction } from './job-action.ts';
import { canRun } from './reached-storage.ts';
import type { WorkerSign } from './worker-sign.ts';

export const JOB_STATES = ['waiting', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Final states. */
export const FINAL_STATES: ReadonlySet<JobState> = new Set(['completed', 'failed', 'cancelled']);

/** The condition that a job has not ended. */
export const isOpen: Sql = sql`state IN ('waiting', 'running')`;

/** An attempt that did not complete its job. */
export interface FailedAttempt {
  readonly attempt: number;
  /** When it ended, ISO-8601 in UTC. */
  readonly on: string;
  readonly reason: string;
  /** An outage of the database ended it, so it does not count among the job's attempts. */
  readonly outage?: true;
  /** Its worker did not respond any more, and another one took the job over. */
  readonly lost?: true;
}

/** A job as clients receive it; dates are ISO-8601 in UTC. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly queue: string;
  readonly state: JobState;
  /** The user who submitted it; null without one. */
  readonly user: string | null;
  readonly collection: string | null;
  /** The client's name of the uploaded file; null without one. */
  readonly file_name: string | null;
  /** In bytes. */
  readonly file_size: number | null;
  readonly file_format: string | null;
  /** The parsing options of the file that differ from its format. */
  readonly dialect: Readonly<Record<string, unknown>> | null;
  readonly progress: JobProgress | null;
  /** The result of the actor; null until completed. */
  readonly result: unknown;
  /** The first hundred coded errors of a failed job; null otherwise. */
  readonly error: readonly ErrorEntry[] | null;
  readonly created_on: string;
  readonly started_on: string | null;
  /** When its latest attempt began; null before the first one. */
  readonly claimed_on: string | null;
  readonly finished_on: string | null;
  readonly attempts: number;
  /** The attempts that did not complete it, oldest first. */
  readonly failures: readonly FailedAttempt[];
  /** Its retries, cancellations and moves to the front, oldest first. */
  readonly actions: readonly JobAction[];
  /** The required storage that no worker can access now; null otherwise. */
  readonly waiting_for: string | null;
  /** The id of the request that submitted it; null without one. */
  readonly request_id: string | null;
  /** The file of an export, or the upload of a failed job, still exists. */
  readonly file_kept: boolean;
}

/** A job of a list or of `GET /jobs/:id`. */
export interface PlacedJob extends Job {
  /**
   * 1 for the next waiting job of its queue; null when it does not wait, or is far behind in a
   * list.
   */
  readonly position: number | null;
  /** The last sign of its worker; null in lists, and when it does not run. */
  readonly worker: WorkerSign | null;
}

function iso(column: Sql): Sql {
  return sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The select list that yields a {@link Job}. */
export function jobColumns(schema: string): Sql {
  return sql`id, kind, queue, state, "user", collection, file_name,
  file_size::float8 AS file_size, file_format, dialect, progress, result, error,
  ${iso(sql`created_on`)} AS created_on, ${iso(sql`started_on`)} AS started_on,
  ${iso(sql`claimed_on`)} AS claimed_on, ${iso(sql`finished_on`)} AS finished_on, attempt AS attempts, failures, actions, request_id,
  CASE WHEN ${isOpen} AND NOT ${canRun(schema, sql`storage`)}
    THEN 'storage ' || storage END AS waiting_for, kept_file IS NOT NULL AS file_kept`;
}

/** A rejected row of a file. */
export interface RejectedRow {
  /** 1 for the first data row; null when the error concerns no single row. */
  readonly row: number | null;
  readonly field: string | null;
  readonly value: string | null;
  readonly reason: string;
  readonly code: string;
  /** Null in rows of releases before reason names, and where the code is sufficient. */
  readonly reason_code: string | null;
  readonly reason_parameters: ReasonParameters | null;
}
