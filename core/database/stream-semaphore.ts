/**
 * Limits the number of simultaneous long answers: in this process, and per user or, without one,
 * per address. Further ones wait in the order of arrival.
 */

import { reason } from '#core/base/errors/reason.ts';
import { quotaExceeded, unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import { metrics } from '#core/base/metrics/metrics.ts';

export interface StreamLimits {
  /** STREAM_MAX */
  readonly max: number;
  /** STREAM_MAX_PER_USER */
  readonly perHolder: number;
  /** DATABASE_POOL_WAIT, in milliseconds. */
  readonly wait: number;
}

/**
 * A semaphore with a permit for each long answer. One that waits too long is rejected: with
 * REQUESTS_EXCEEDED when its holder has too many, else with SERVICE_UNAVAILABLE. Metrics report its
 * permits as connections of the pool `streams`.
 * @param onChange called after each permit that is granted (1) or released (-1)
 */
export function streamSemaphore(
  { max, perHolder, wait }: StreamLimits,
  onChange: (change: 1 | -1) => void,
): FairSemaphore {
  const retryAfter = Math.max(1, Math.ceil(wait / 1_000));
  const permits = new FairSemaphore({
    ...{ permits: max, permitsPerHolder: perHolder, order: 'arrival', onChange },
    waiting: {
      maxTime: wait,
      refusal: (limit) => {
        if (limit === 'all') {
          return unavailable('streams', reason('too_many_long_answers', { max }), { retryAfter });
        }
        const why = reason('too_many_long_answers_of_holder', { limit: perHolder });
        return quotaExceeded('STREAM_MAX_PER_USER', perHolder, why, retryAfter);
      },
    },
  });
  const labels = { pool: 'streams' };
  metrics.reading('sluice_database_connections', () => [
    [{ ...labels, state: 'used' }, permits.running],
  ]);
  metrics.reading('sluice_database_connections_max', () => [[labels, max]]);
  metrics.reading('sluice_database_waiting', () => [[labels, permits.waiting]]);
  return permits;
}
