/** The message of the job that makes every process forget what it keeps. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const CACHE_CLEAR_JOB = 'cache-clear';

export const cacheClearMessage = v.strictObject({ version: v.literal(1) });

/** What the job keeps as its result. */
export const cacheClearResult = v.object({
  /** Names of the processes that have not confirmed. */
  unconfirmed: v.array(v.string()),
});
export type CacheClearResult = v.InferOutput<typeof cacheClearResult>;

/**
 * Never joined: one that is open may have been carried out in part before what is to be forgotten.
 * @param user key of who asked for it
 */
export function cacheClearSubmission(user: string | null): Submission {
  return {
    kind: CACHE_CLEAR_JOB,
    queue: 'maintenance',
    message: { version: 1 },
    mailbox: null,
    collection: null,
    user,
    fingerprint: null,
  };
}
