/** Counts deliveries that did not come to their end. */
import { metrics } from '#core/base/metrics/metrics.ts';

/**
 * - `superseded`: another delivery of the same job has taken its place;
 * - `overdue`: it took longer than its kind may;
 * - `stalled`: the queue took it from a worker that went silent;
 * - `given_up`: the queue does not deliver the job any more.
 */
export type StallReason = 'superseded' | 'overdue' | 'stalled' | 'given_up';

export function countStall(reason: StallReason): void {
  metrics.counter('sluice_job_stalls_total', { reason }).value += 1;
}
