/** The life cycle of a worker process. */
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import {
  drainOnDemand,
  reportMetrics,
  reportReadiness,
  tellSupervisor,
} from '#core/base/process/supervised-process.ts';
import { logUncaughtErrors } from '#core/base/process/uncaught-errors.ts';
import { openTracing } from '#core/base/tracing/open-tracing.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { openServices } from './open-services.ts';
import type { Actor } from './runtime/actor.ts';
import { Runtime } from './runtime/runtime.ts';
import { WorkerStatus } from './runtime/worker-status.ts';

const CLOSE_WITHIN_MS = 500;

/**
 * Limits the heap to twice the live memory before a collection, instead of four times. Objects that
 * an import creates from rows outlive their batch for a while, and would take about 100 MiB
 * otherwise.
 */
function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** Gives processes that answer requests on the same host priority for the processors. */
function yieldProcessors({ WORKER_NICENESS: niceness }: Config, log: Log): void {
  if (niceness <= getPriority()) return;
  try {
    setPriority(niceness);
  } catch (error) {
    log.warn({ err: error }, 'could not lower the priority of the worker');
  }
}

/**
 * Runs jobs until the process receives the signal to drain, then ends it. Resolves when work has
 * begun.
 */
export async function runWorker(
  config: Config,
  url: string,
  log: Log,
  actors: readonly Actor[],
): Promise<void> {
  boundHeapGrowth();
  reportMetrics();
  yieldProcessors(config, log);
  let drain = async () => {};
  drainOnDemand(() => drain());
  const endTracing = await openTracing(config, { role: 'worker', release: RELEASE, log });
  const status = new WorkerStatus();
  const services = await openServices(config, url, log, status);
  const runtime = new Runtime(services, actors, status);
  drain = async () => {
    // Work that still runs would repeatedly query closed connections without a pause.
    if (!(await runtime.drain())) return;
    // All work is done or returned; an unresponsive server is not awaited.
    const closed = services[Symbol.asyncDispose]();
    await Promise.race([closed, delay(CLOSE_WITHIN_MS)]);
    await endTracing();
  };
  await runtime.start();
  logUncaughtErrors(log);
  tellSupervisor({ type: 'ready' });
  reportReadiness(() => ({ reason: status.reason, hung: status.hung }));
}
