/** Removes records of expired resumable uploads, and stored content that no file refers to. */

import { ResumableUploadTable } from '#core/files/resumable-upload.ts';
import { TIDY_FILES_JOB, tidyFilesMessage } from '#core/jobs/message/tidy-files.ts';
import type { Actor } from '#workers/runtime/actor.ts';

const DEADLINE_MS = 600_000;

export const tidyFilesActor: Actor<typeof tidyFilesMessage> = {
  name: TIDY_FILES_JOB,
  queue: 'maintenance',
  message: tidyFilesMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,
  async receive(_, { services, signal }) {
    const { pool, schema, config } = services;
    await new ResumableUploadTable(pool, schema, config.TUS_UPLOAD_EXPIRATION).removeExpired();
    return { removed: await services.files.sweep(signal) };
  },
};
