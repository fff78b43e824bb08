/** The message of the daily cleanup; workers submit it themselves. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const TIDY_JOB = 'tidy';

export const tidyMessage = v.strictObject({ version: v.literal(1) });

/** Cleans up the installation, and the files of one storage; an open job is joined. */
export function tidySubmission(storage: string): Submission {
  return {
    kind: TIDY_JOB,
    queue: 'maintenance',
    message: { version: 1 },
    mailbox: null,
    collection: null,
    user: null,
    storage,
    fingerprint: `daily ${storage}`,
  };
}
