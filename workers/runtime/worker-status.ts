/** What this worker says of itself: whether it takes jobs, and which it does. */
import type { WorkerReport } from '#core/jobs/worker-report.ts';

export interface WorkerFacts {
  /** Jobs of each queue that it does at the same time. */
  readonly slots: WorkerReport['slots'];
  /** Milliseconds since each delivery began or made progress. */
  readonly silences: () => WorkerReport['jobs'];
}

export class WorkerStatus {
  /** Why it cannot take jobs; null when it can. */
  reason: string | null = 'It is starting.';
  #facts: WorkerFacts = { slots: {}, silences: () => ({}) };

  describe(facts: WorkerFacts): void {
    this.#facts = facts;
  }

  report(): WorkerReport {
    const { slots, silences } = this.#facts;
    return { reason: this.reason, slots, jobs: silences() };
  }
}
