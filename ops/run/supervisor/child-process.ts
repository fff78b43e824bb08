/** One supervised process: started, restarted when it ends, drained on request. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Log } from '#core/base/log/log.ts';
import type { MetricFamily } from '#core/base/metrics/metrics.ts';
import type { ProcessState } from '#core/base/metrics/process-metrics.ts';
import {
  type Beat,
  type ChildMessage,
  EXIT_CONFIGURATION,
  type SupervisorMessage,
} from '#core/base/process/supervised-process.ts';

/** The process to start. */
export interface ChildSpec {
  /** `edge` or `worker`; names the process in log lines. */
  readonly role: string;
  /** Absolute path of the script. */
  readonly script: string;
  /** Options of Node before the script. */
  readonly options?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Pauses before a restart, in milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly most: number;
  /**
   * After this time a process counts as healthy, and its next restart uses the first pause again.
   */
  readonly settled: number;
}

export const BACK_OFF: BackOff = { first: 1_000, most: 30_000, settled: 30_000 };

/** A process sends a heartbeat once a second; a busy one may be late. */
const SILENT_CHECKS = 3;
/** A hanging process may still return its jobs. */
const DRAIN_WITHIN_MS = 8_000;

export interface ChildOptions {
  /** Working directory. */
  readonly cwd: string;
  readonly log: Log;
  readonly backOff: BackOff;
  /** The metrics of all processes, for a process that requests them. */
  readonly collect: () => Promise<readonly ProcessState[]>;
  /** Checks without a heartbeat after which the process is ended. */
  readonly mostMissed: number;
  /** The process ended because of its configuration; it is not restarted. */
  readonly onMisconfigured: (role: string) => void;
}

export class Child {
  readonly #spec: ChildSpec;
  readonly #options: ChildOptions;
  readonly #ready = Promise.withResolvers<void>();
  #process: ChildProcess | null = null;
  #serving = false;
  #stopping = false;
  #failures = 0;
  #restart: NodeJS.Timeout | undefined;
  readonly #asked = new Map<number, (families: readonly MetricFamily[] | null) => void>();
  #question = 0;
  /** Its last heartbeat; null before the first one. */
  #beat: Beat | null = null;
  /** Checks since the last heartbeat. */
  #missed = 0;
  #isRestarting = false;
  #ended = Promise.withResolvers<void>();

  constructor(spec: ChildSpec, options: ChildOptions) {
    this.#spec = spec;
    this.#options = options;
  }

  /** Resolves when the process has reported for the first time that it is ready. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  start(): void {
    const { role, script, options = [], env } = this.#spec;
    const child = spawn(process.execPath, [...options, script], {
      cwd: this.#options.cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const since = Date.now();
    this.#process = child;
    this.#serving = false;
    this.#beat = null;
    this.#missed = 0;
    this.#isRestarting = false;
    this.#ended = Promise.withResolvers();
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'beat') this.#hear(message);
      if (message.type === 'metrics') this.#asked.get(message.id)?.(message.families);
      if (message.type === 'collect') void this.#collect(child, message.id);
      if (message.type !== 'ready') return;
      this.#serving = true;
      // At the first start the banner reports this for all processes.
      const level = this.#failures === 0 ? 'debug' : 'info';
      this.#options.log[level]({ child: role, childPid: child.pid }, 'process is ready');
      this.#ready.resolve();
    });
    // A process that could not be spawned has no exit event.
    child.on('error', (error) => {
      this.#options.log.error({ child: role, err: error }, 'process failed');
      if (child.pid === undefined) this.#onEnd(since, null, null);
    });
    child.once('exit', (code, signal) => this.#onEnd(since, code, signal));
  }

  /** Requests the process to drain; resolves when it has ended. It is not restarted. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#process;
    if (child === null) return;
    if (this.#serving && child.connected) {
      child.send({ type: 'drain' } satisfies SupervisorMessage, () => undefined);
    } else {
      // It may not receive messages yet.
      child.kill('SIGTERM');
    }
    await this.#ended.promise;
  }

  get role(): string {
    return this.#spec.role;
  }

  /** Null while no process runs. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** The metrics of the process; null when it does not respond within this many milliseconds. */
  async metrics(within: number): Promise<readonly MetricFamily[] | null> {
    const child = this.#process;
    if (!this.#serving || child === null || !child.connected) return null;
    this.#question += 1;
    const id = this.#question;
    const { promise, resolve } = Promise.withResolvers<readonly MetricFamily[] | null>();
    this.#asked.set(id, resolve);
    const timer = setTimeout(() => resolve(null), within);
    const message: SupervisorMessage = { type: 'metrics', id };
    child.send(message, (error) => {
      if (error !== null) resolve(null);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
    }
  }

  /** Why the process cannot do its work; null when it can. */
  get reason(): string | null {
    if (this.#process === null) return 'It does not run; it is started again.';
    if (!this.#serving) return 'It is starting.';
    if (this.#missed > SILENT_CHECKS) return `It gives no sign of life for ${this.#missed} s.`;
    return this.#beat?.reason ?? null;
  }

  /** Whether the process runs and sends heartbeats. */
  get isLive(): boolean {
    return this.#process !== null && this.#missed <= SILENT_CHECKS;
  }

  /** Ends the process when it has not sent a heartbeat for too long; called once a second. */
  check(): void {
    if (this.#beat === null || this.#stopping || this.#process === null) return;
    this.#missed += 1;
    if (this.#missed < this.#options.mostMissed || this.#isRestarting) return;
    this.#isRestarting = true;
    const { log } = this.#options;
    log.error(
      { child: this.#spec.role, childPid: this.pid, seconds: this.#missed },
      'process sends no heartbeat; killing it',
    );
    this.kill();
  }

  #hear({ reason, hung }: Beat): void {
    this.#beat = { reason, hung };
    this.#missed = 0;
    const child = this.#process;
    if (!hung || this.#isRestarting || this.#stopping || child === null) return;
    this.#isRestarting = true;
    const { log } = this.#options;
    log.error(
      { child: this.#spec.role, childPid: child.pid, reason },
      'nothing in the process makes progress; it is restarted',
    );
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), DRAIN_WITHIN_MS).unref();
  }

  /** Ends the process immediately. */
  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  async #collect(child: ChildProcess, id: number): Promise<void> {
    const processes = await this.#options.collect();
    const message: SupervisorMessage = { type: 'collected', id, processes };
    if (child.connected) child.send(message, () => undefined);
  }

  #onEnd(since: number, code: number | null, signal: NodeJS.Signals | null): void {
    const { log, backOff, onMisconfigured } = this.#options;
    const child = this.#spec.role;
    const childPid = this.#process?.pid;
    this.#process = null;
    this.#serving = false;
    this.#ended.resolve();
    if (this.#stopping) return;
    if (code === EXIT_CONFIGURATION) {
      onMisconfigured(child);
      return;
    }
    if (Date.now() - since >= backOff.settled) this.#failures = 0;
    const pause = Math.min(backOff.first * 2 ** this.#failures, backOff.most);
    this.#failures += 1;
    log.error({ child, childPid, code, signal, pause }, 'process ended; it is restarted');
    this.#restart = setTimeout(() => this.#startAgain(), pause);
  }

  /** The system may temporarily lack processes or memory. */
  #startAgain(): void {
    try {
      this.start();
    } catch (error) {
      this.#options.log.error({ child: this.#spec.role, err: error }, 'could not start a process');
      this.#onEnd(Date.now(), null, null);
    }
  }
}
