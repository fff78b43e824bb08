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
  /** Nothing in it makes progress, although the servers that it needs work. */
  hung = false;
  #facts: WorkerFacts = { slots: {}, silences: () => ({}) };

  describe(facts: WorkerFacts): void {
    this.#facts = facts;
  }

  get slots(): WorkerReport['slots'] {
    return this.#facts.slots;
  }

  /** Milliseconds since any delivery began or made progress; null when none runs. */
  get silence(): number | null {
    const silences = Object.values(this.#facts.silences());
    return silences.length === 0 ? null : Math.min(...silences);
  }

  report(): WorkerReport {
    const { slots, silences } = this.#facts;
    return { reason: this.reason, slots, jobs: silences() };
  }
}
