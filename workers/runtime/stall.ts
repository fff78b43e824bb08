/** Counts deliveries that did not end normally. */
import { metrics } from '#core/base/metrics/metrics.ts';

/**
 * The reasons:
 * - `superseded`: another delivery of the same job has replaced it;
 * - `overdue`: it exceeded the deadline of its kind;
 * - `stalled`: the queue took it from an unresponsive worker;
 * - `given_up`: the queue no longer delivers the job.
 */
export type StallReason = 'superseded' | 'overdue' | 'stalled' | 'given_up';

export function countStall(reason: StallReason): void {
  metrics.counter('sluice_job_stalls_total', { reason }).value += 1;
}
