/** The message of the job that tidies up; workers submit it to themselves. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const TIDY_JOB = 'tidy';

export const tidyMessage = v.strictObject({ version: v.literal(1) });

/** A tidying of the whole installation; one that is open already is joined. */
export function tidySubmission(): Submission {
  return {
    kind: TIDY_JOB,
    queue: 'maintenance',
    message: { version: 1 },
    mailbox: null,
    collection: null,
    user: null,
    fingerprint: 'daily',
  };
}
