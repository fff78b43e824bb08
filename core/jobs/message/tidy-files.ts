/** The message of the removal of stored bytes that no file refers to; workers submit it themselves. */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const TIDY_FILES_JOB = 'tidy-files';

export const tidyFilesMessage = v.strictObject({ version: v.literal(1) });

/** Removes what no file refers to; an open job is joined. */
export const TIDY_FILES_SUBMISSION: Submission = {
  kind: TIDY_FILES_JOB,
  queue: 'maintenance',
  message: { version: 1 },
  mailbox: null,
  collection: null,
  user: null,
  fingerprint: 'files',
};
