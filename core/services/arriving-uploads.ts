/** Limits the simultaneous uploads of a user, because each may take as long as its client likes. */
import { reason } from '#core/base/errors/reason.ts';
import { quotaExceeded } from '#core/base/errors/service-error.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';

/**
 * A semaphore with a permit for each arriving upload. No upload waits: beyond the user's limit, the
 * next one is rejected with REQUESTS_EXCEEDED.
 * @param max UPLOADS_MAX_PER_USER
 */
export function arrivingUploads(max: number): FairSemaphore {
  return new FairSemaphore({
    ...{ permits: Number.POSITIVE_INFINITY, permitsPerHolder: max },
    waiting: {
      maxPerHolder: 0,
      refusal: () => {
        const why = reason('too_many_arriving_uploads', { max });
        return quotaExceeded('UPLOADS_MAX_PER_USER', max, why);
      },
    },
  });
}
