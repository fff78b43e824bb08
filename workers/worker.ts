/** The life of a worker process. */
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
 * Lets the heap grow to twice what is in use before it is collected, and not to four times: what
 * an import makes of rows outlives their batch for a while, and takes some 100 MiB otherwise.
 */
function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** Lets processes that answer requests on the same host have the processors first. */
function yieldProcessors({ WORKER_NICENESS: niceness }: Config, log: Log): void {
  if (niceness <= getPriority()) return;
  try {
    setPriority(niceness);
  } catch (error) {
    log.warn({ err: error }, 'the priority of the worker could not be lowered');
  }
}

/** Does jobs until the process is asked to drain, then ends it. Resolves when work has begun. */
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
    // What still runs would ask closed connections again and again without a pause.
    if (!(await runtime.drain())) return;
    // All work is done or given back; a server that does not answer any more is not waited for.
    const closed = services[Symbol.asyncDispose]();
    await Promise.race([closed, delay(CLOSE_WITHIN_MS)]);
    await endTracing();
  };
  await runtime.start();
  logUncaughtErrors(log);
  tellSupervisor({ type: 'ready' });
  reportReadiness(() => ({ reason: status.reason, hung: status.hung }));
}
