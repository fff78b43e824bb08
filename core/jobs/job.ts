/** A job as `system_jobs` records it and as `/jobs` shows it. */
import type { ErrorEntry } from '#core/errors/service-error.ts';
import type { JobProgress } from '#core/messages/bus.ts';

export const JOB_STATES = ['waiting', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** States that a job never leaves. */
export const FINAL_STATES: ReadonlySet<JobState> = new Set(['completed', 'failed', 'cancelled']);

/** What `GET /jobs/:id` answers; dates are ISO-8601 in UTC. */
export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  readonly collection: string | null;
  readonly progress: JobProgress | null;
  /** What the actor returned; null until completed. */
  readonly result: unknown;
  /** The coded errors of a failed job; null otherwise. */
  readonly error: readonly ErrorEntry[] | null;
  readonly created_on: string;
  readonly started_on: string | null;
  readonly finished_on: string | null;
  readonly attempts: number;
}
