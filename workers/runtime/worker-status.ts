/** The status report of this worker: whether it takes jobs, and which jobs it runs. */
import type { WorkerReport } from '#core/jobs/worker-report.ts';

export interface WorkerFacts {
  /** Maximum concurrent jobs of each queue. */
  readonly slots: () => WorkerReport['slots'];
  /** Milliseconds since each delivery began or made progress. */
  readonly silences: () => WorkerReport['jobs'];
}

export class WorkerStatus {
  /** Why it cannot take jobs; null when it can. */
  reason: string | null = 'It is starting.';
  /** No delivery makes progress, although the required servers work. */
  hung = false;
  #facts: WorkerFacts = { slots: () => ({}), silences: () => ({}) };

  describe(facts: WorkerFacts): void {
    this.#facts = facts;
  }

  get slots(): WorkerReport['slots'] {
    return this.#facts.slots();
  }

  /** Milliseconds since any delivery began or made progress; null when no delivery runs. */
  get silence(): number | null {
    const silences = Object.values(this.#facts.silences());
    return silences.length === 0 ? null : Math.min(...silences);
  }

  report(): WorkerReport {
    const { slots, silences } = this.#facts;
    return { reason: this.reason, slots: slots(), jobs: silences() };
  }
}
