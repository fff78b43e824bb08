/**
 * The message of a job that removes stored content without a file; workers submit it themselves.
 */
import * as v from 'valibot';
import type { Submission } from '#core/jobs/submit.ts';

export const TIDY_FILES_JOB = 'tidy-files';

export const tidyFilesMessage = v.strictObject({ version: v.literal(1) });

/** Removes content that no file refers to; an open job is joined. */
export const TIDY_FILES_SUBMISSION: Submission = {
  kind: TIDY_FILES_JOB,
  queue: 'maintenance',
  message: { version: 1 },
  mailbox: null,
  collection: null,
  user: null,
  fingerprint: 'files',
};
