/**
 * The child side of supervision for edges and workers: reports when it is ready, and drains on
 * request, on SIGTERM, or when the supervisor is gone. The supervisor handles SIGINT, because a
 * terminal sends it to the whole process group.
 */
import { ConfigError, loadConfig } from '../config/config.ts';
import type { Config } from '../config/variables.ts';
import { type MetricFamily, metrics } from '../metrics/metrics.ts';
import { measureProcess, type ProcessState } from '../metrics/process-metrics.ts';

/** EX_CONFIG of sysexits.h: a variable is wrong, and a restart would not help. */
export const EXIT_CONFIGURATION = 78;

/** Shorter than the second for which the supervisor waits for each process. */
const COLLECT_WITHIN_MS = 3_000;

/** The report that a process sends once a second. */
export interface Beat {
  /** Why it cannot do its work; null when it can. */
  readonly reason: string | null;
  /** It makes no progress, but would after a restart. */
  readonly hung: boolean;
}

const BEAT_MS = 1_000;

/** Messages between supervisor and child. */
export type ChildMessage =
  | { readonly type: 'ready' }
  | ({ readonly type: 'beat' } & Beat)
  | { readonly type: 'failpoint'; readonly name: string }
  | {
      readonly type: 'metrics';
      /** The id of the request. */
      readonly id: number;
      readonly families: readonly MetricFamily[];
    }
  /** Requests the metrics of all processes. */
  | { readonly type: 'collect'; readonly id: number };
export type SupervisorMessage =
  | { readonly type: 'drain' }
  /** Requests the metrics. */
  | { readonly type: 'metrics'; readonly id: number }
  | {
      readonly type: 'collected';
      /** The id of the request. */
      readonly id: number;
      readonly processes: readonly ProcessState[];
    };

/**
 * Reads the configuration of a child. An error is printed on stderr and ends the process.
 * @param role named in the error when the supervisor's DATABASE_URL is missing
 */
export function readConfiguration(role: string): { config: Config; url: string } {
  try {
    const config = loadConfig();
    const url = config.DATABASE_URL;
    if (url === undefined) throw new ConfigError([`DATABASE_URL: must be set for ${role}`]);
    return { config, url };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIGURATION);
  }
}

/**
 * Reports to the supervisor once a second that this process lives, and whether it can do its work.
 */
export function reportReadiness(read: () => Beat): void {
  const beat = () => tellSupervisor({ type: 'beat', ...read() });
  beat();
  setInterval(beat, BEAT_MS).unref();
}

/** Measures this process, and sends the metrics to the supervisor on request. */
export function reportMetrics(): void {
  measureProcess();
  process.on('message', (message: SupervisorMessage) => {
    if (message.type !== 'metrics') return;
    tellSupervisor({ type: 'metrics', id: message.id, families: metrics.families() });
  });
}

let questions = 0;

/** Requests the metrics of all processes from the supervisor; empty without a supervisor. */
export async function collectMetrics(): Promise<readonly ProcessState[]> {
  if (!process.connected) return [];
  questions += 1;
  const id = questions;
  const { promise, resolve } = Promise.withResolvers<readonly ProcessState[]>();
  const hear = (message: SupervisorMessage) => {
    if (message.type === 'collected' && message.id === id) resolve(message.processes);
  };
  const timer = setTimeout(() => resolve([]), COLLECT_WITHIN_MS);
  process.on('message', hear);
  tellSupervisor({ type: 'collect', id });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.off('message', hear);
  }
}

/** Sends a message to the supervisor; does nothing in a process without a supervisor. */
export function tellSupervisor(message: ChildMessage): void {
  if (process.connected) process.send?.(message);
}

/**
 * Calls `drain` once, for any kind of request, and exits when it resolves.
 * @param drain stops taking work and resolves when running work has ended or been returned
 */
export function drainOnDemand(drain: () => Promise<void>): void {
  let draining = false;
  const start = () => {
    if (draining) return;
    draining = true;
    drain().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', start);
  if (process.channel === undefined) {
    process.on('SIGINT', start);
    return;
  }
  process.on('SIGINT', () => undefined);
  process.on('message', (message: SupervisorMessage) => {
    if (message.type === 'drain') start();
  });
  process.on('disconnect', start);
}
