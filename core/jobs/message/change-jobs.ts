/** The message, the checkpoint and the result of a job that cancels, retries or moves other jobs. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const CHANGE_JOBS_JOB = 'change-jobs';

/** `first` moves waiting jobs before the others of their queue. */
export const JOB_CHANGES = ['cancel', 'retry', 'first'] as const;
export type JobChange = (typeof JOB_CHANGES)[number];

export const changeJobsMessage = v.strictObject({
  version: v.literal(1),
  change: v.picklist(JOB_CHANGES),
  /** The original filter; it is parsed again when the job runs. */
  filter: v.record(v.string(), v.unknown()),
  search: v.nullable(v.string()),
  /** The user who requested it, whose permissions are checked when the job runs. */
  user: v.nullable(v.string()),
  /** The address of the request, for policies that apply only at certain addresses. */
  ip: v.nullable(v.string()),
});
export type ChangeJobsMessage = v.InferOutput<typeof changeJobsMessage>;

export const changeJobsResult = v.strictObject({
  change: v.picklist(JOB_CHANGES),
  /** Jobs that were cancelled, retried or moved. */
  changed: v.number(),
  /** Jobs that were left as they are, by the code of the reason. */
  skipped: v.record(v.string(), v.number()),
});
export type ChangeJobsResult = v.InferOutput<typeof changeJobsResult>;

/** The state after a step. */
export const changeJobsCheckpoint = v.object({
  /** The `sequence` of the last job that was handled; `0` before the first one. */
  after: v.string(),
  changed: v.number(),
  skipped: v.record(v.string(), v.number()),
});
export type ChangeJobsCheckpoint = Readonly<v.InferOutput<typeof changeJobsCheckpoint>>;

/** The changes of a user run one after another, so that one user cannot occupy all workers. */
export function changeJobsMailbox(user: string | null): string {
  return `${CHANGE_JOBS_JOB}:${user ?? ''}`;
}

/** Never joined, because an open job may have passed jobs that the new request includes. */
export function changeJobsSubmission(message: ChangeJobsMessage): Submission {
  return {
    ...{ kind: CHANGE_JOBS_JOB, queue: 'maintenance', message },
    ...{ mailbox: changeJobsMailbox(message.user), collection: null },
    ...{ user: message.user, fingerprint: null },
  };
}
