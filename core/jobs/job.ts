/** A job as `system_jobs` records it and as `/jobs` shows it. */
import { type Sql, sql } from '#core/database/sql.ts';
import type { ErrorEntry } from '#core/errors/service-error.ts';
import type { JobProgress } from '#core/messages/bus.ts';

export const JOB_STATES = ['waiting', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** States that a job never leaves. */
export const FINAL_STATES: ReadonlySet<JobState> = new Set(['completed', 'failed', 'cancelled']);

/** The condition that a job has not ended. */
export const isOpen: Sql = sql`state IN ('waiting', 'running')`;

/** What `GET /jobs/:id` answers; dates are ISO-8601 in UTC. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  readonly collection: string | null;
  readonly progress: JobProgress | null;
  /** What the actor returned; null until completed. */
  readonly result: unknown;
  /** The coded errors of a failed job, the first hundred of them; null otherwise. */
  readonly error: readonly ErrorEntry[] | null;
  readonly created_on: string;
  readonly started_on: string | null;
  readonly finished_on: string | null;
  readonly attempts: number;
}

function iso(column: Sql): Sql {
  return sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The select list that yields a {@link Job}. */
export const jobColumns: Sql = sql`id, kind, state, collection, progress, result, error,
  ${iso(sql`created_on`)} AS created_on, ${iso(sql`started_on`)} AS started_on,
  ${iso(sql`finished_on`)} AS finished_on, attempt AS attempts`;

/** A row of a file that a job rejected. */
export interface RejectedRow {
  /** 1 for the first row of data; null when the fault lies with no single row. */
  readonly row: number | null;
  readonly field: string | null;
  readonly value: string | null;
  readonly reason: string;
  readonly code: string;
}
