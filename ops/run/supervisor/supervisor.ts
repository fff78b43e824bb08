/**
 * All processes of this installation: started together, restarted when they end, drained together.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/base/log/log.ts';
import type { ProcessState } from '#core/base/metrics/process-metrics.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { BACK_OFF, type BackOff, Child, type ChildSpec } from './child-process.ts';

/** A process that responds later is omitted from the metrics. */
const METRICS_WITHIN_MS = 1_000;

const CHECK_MS = 1_000;
const WATCHDOG_MS = 15_000;

export interface SupervisorOptions {
  readonly children: readonly ChildSpec[];
  /** Working directory of the processes. */
  readonly cwd: string;
  readonly log: Log;
  readonly backOff?: BackOff;
  /** WATCHDOG_TIMEOUT */
  readonly watchdog?: number;
}

export class Supervisor {
  readonly #children: readonly Child[];
  readonly #log: Log;
  #checks: NodeJS.Timeout | undefined;
  readonly #failed = Promise.withResolvers<never>();

  constructor({
    children,
    cwd,
    log,
    backOff = BACK_OFF,
    watchdog = WATCHDOG_MS,
  }: SupervisorOptions) {
    this.#log = log;
    // Prevents an unhandled rejection without a listener.
    this.#failed.promise.catch(() => undefined);
    const onMisconfigured = (role: string) =>
      this.#failed.reject(new SetupError(`The ${role} cannot run with this configuration`));
    // Checks are counted instead of time, so that a supervisor that was itself frozen ends no
    // process.
    const mostMissed = Math.max(1, Math.ceil(watchdog / CHECK_MS));
    this.#children = children.map(
      (spec) =>
        new Child(spec, {
          ...{ cwd, log, backOff, mostMissed, onMisconfigured },
          collect: () => this.metrics(),
        }),
    );
  }

  /** Rejects when a process reports a wrong configuration; never resolves. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /**
   * Starts every process and resolves when each has been ready once.
   * @throws {SetupError} when one reports a wrong configuration
   */
  async start(): Promise<void> {
    for (const child of this.#children) child.start();
    this.#checks = setInterval(() => {
      for (const child of this.#children) child.check();
    }, CHECK_MS);
    await Promise.race([Promise.all(this.#children.map((child) => child.ready)), this.failed]);
  }

  /**
   * The metrics of every process; only the name for processes that do not respond within a second.
   */
  async metrics(): Promise<readonly ProcessState[]> {
    const numbers = new Map<string, number>();
    return await Promise.all(
      this.#children.map(async (child) => {
        const number = (numbers.get(child.role) ?? 0) + 1;
        numbers.set(child.role, number);
        const { pid, role } = child;
        const families = await child.metrics(METRICS_WITHIN_MS);
        const { isLive, reason } = child;
        return { name: `${role}-${number}`, pid, isLive, reason, families };
      }),
    );
  }

  /**
   * Drains every process. Ends the remaining ones after `within` milliseconds, or as soon as
   * `hasten` is aborted. Resolves when all have ended.
   */
  async stop(within: number, hasten: AbortSignal): Promise<void> {
    clearInterval(this.#checks);
    const gone = Promise.all(this.#children.map((child) => child.stop()));
    const done = new AbortController();
    const stopWaiting = AbortSignal.any([hasten, done.signal]);
    const late = delay(within, true, { signal: stopWaiting }).catch(() => !done.signal.aborted);
    if (await Promise.race([gone.then(() => false), late])) {
      this.#log.warn('ending the processes that have not drained');
      for (const child of this.#children) child.kill();
    }
    done.abort();
    await gone;
  }
}
