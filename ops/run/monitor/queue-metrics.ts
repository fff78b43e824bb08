/** The metrics that no single process has: those of the queues, the sessions and the processes. */

import { type MetricFamily, Metrics } from '#core/base/metrics/metrics.ts';
import type { ProcessMetrics } from '#core/base/metrics/process-metrics.ts';
import { QUEUE_SWITCHES } from '#core/jobs/queue-state.ts';
import { liveSessions, type OverviewParts, queueOverview } from '#core/services/overview.ts';

export class QueueMetrics {
  readonly #parts: OverviewParts;
  #failed = 0;

  constructor(parts: OverviewParts) {
    this.#parts = parts;
  }

  /** The current metrics; without the queues while the database does not respond. */
  async families(processes: readonly ProcessMetrics[]): Promise<readonly MetricFamily[]> {
    const metrics = new Metrics();
    for (const { name, families } of processes) {
      const state = families === null ? 'silent' : 'live';
      metrics.reading('sluice_processes', () => [[{ role: name.replace(/-\d+$/, ''), state }, 1]]);
    }
    try {
      const [queues, sessions] = await Promise.all([
        queueOverview(this.#parts),
        liveSessions(this.#parts),
      ]);
      metrics.reading('sluice_sessions', () => [[{}, sessions]]);
      for (const { name: queue, waiting, running, oldest, state } of queues) {
        metrics.reading('sluice_queue_jobs', () => [
          [{ queue, state: 'waiting' }, waiting],
          [{ queue, state: 'running' }, running],
        ]);
        metrics.reading('sluice_queue_oldest_waiting_seconds', () => [[{ queue }, oldest]]);
        metrics.reading('sluice_queue_state', () =>
          QUEUE_SWITCHES.map((one) => [{ queue, state: one }, one === state ? 1 : 0]),
        );
      }
    } catch {
      this.#failed += 1;
    }
    metrics.counter('sluice_monitor_reads_failed_total', {}).value = this.#failed;
    return metrics.families();
  }
}
