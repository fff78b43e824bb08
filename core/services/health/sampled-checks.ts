/**
 * Checks that query a server: sequentially, never twice at the same time, and with a result within
 * a second even if the server is blocked.
 */
import type { HealthChecks } from '#core/base/process/health-check.ts';

export interface Sampling {
  /** They run in this order, and do not throw. */
  readonly steps: readonly (() => Promise<HealthChecks>)[];
  /** Milliseconds for which a result is reused. */
  readonly every: number;
  /**
   * The result when a step takes too long; `done` has the results of the previous steps, `waited`
   * is the time (ms) since the first step began.
   */
  readonly late: (done: HealthChecks, waited: number) => HealthChecks;
}

/** The maximum time (ms) that a caller waits for a result. */
export const SAMPLE_WAIT_MS = 800;

function hasFailed(checks: HealthChecks): boolean {
  return Object.values(checks).some((found) => found.some(({ status }) => status === 'error'));
}

export class SampledChecks {
  readonly #sampling: Sampling;
  #latest: { readonly checks: HealthChecks; readonly at: number } | null = null;
  #running: Promise<void> | null = null;
  #done: HealthChecks = {};
  #begunAt = 0;

  constructor(sampling: Sampling) {
    this.#sampling = sampling;
  }

  /** The results of the last round, or of one that begins now; never throws. */
  async read(): Promise<HealthChecks> {
    const { every, late } = this.#sampling;
    const known = this.#latest;
    if (known !== null && performance.now() - known.at < every) return known.checks;
    this.#running ??= this.#round();
    const end = Promise.withResolvers<void>();
    const timer = setTimeout(end.resolve, SAMPLE_WAIT_MS);
    await Promise.race([this.#running, end.promise]);
    clearTimeout(timer);
    const latest = this.#latest;
    if (latest !== null && latest !== known) return latest.checks;
    // A failed check without a newer result still fails.
    if (known !== null && hasFailed(known.checks)) return known.checks;
    return { ...this.#done, ...late(this.#done, performance.now() - this.#begunAt) };
  }

  async #round(): Promise<void> {
    this.#done = {};
    this.#begunAt = performance.now();
    try {
      for (const step of this.#sampling.steps) this.#done = { ...this.#done, ...(await step()) };
      this.#latest = { checks: this.#done, at: performance.now() };
    } finally {
      this.#running = null;
    }
  }
}
