/** Clears the caches of answers and of the schema. */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import { cacheClearSubmission } from '#core/jobs/message/cache-clear.ts';
import type { JobService } from './jobs.ts';

/**
 * Submits the job that clears the caches of all processes.
 * @returns its id
 * @throws ServiceError FORBIDDEN unless the caller is an administrator
 */
export async function clearCache(
  jobs: JobService,
  caller: Caller,
  request: { readonly idempotencyKey: string | null; readonly requestId: string },
): Promise<string> {
  if (!caller.admin) throw forbidden(reason('only_administrators_clear_cache'));
  const holder = quotaKeyOf(caller);
  const submission = { ...cacheClearSubmission(caller.user), holder, ...request };
  const { id } = await jobs.submit(submission);
  return id;
}
