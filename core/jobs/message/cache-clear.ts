/** The message of the job that clears the caches of all processes. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const CACHE_CLEAR_JOB = 'cache-clear';

export const cacheClearMessage = v.strictObject({ version: v.literal(1) });

/** The stored result of the job. */
export const cacheClearResult = v.object({
  /** Names of the processes that have not confirmed. */
  unconfirmed: v.array(v.string()),
});
export type CacheClearResult = v.InferOutput<typeof cacheClearResult>;

/**
 * Never joined, because an open job may have begun before the new request.
 * @param user key of the user who requested it
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
