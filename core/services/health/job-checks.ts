/**
 * Evaluates workers and queues: live workers, waiting jobs and the reason, and running jobs without
 * a sign of life.
 */
import type { Config } from '#core/base/config/variables.ts';
import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import {
  MOST_COUNTED,
  type Observation,
  type ObservedQueue,
} from '#core/jobs/queue-observation.ts';
import { isStuck, slotsOf } from '#core/jobs/stuck-queue.ts';
import { deliveryName } from '#core/jobs/worker-report.ts';

export type JobThresholds = Pick<
  Config,
  'QUEUE_STUCK_AFTER' | 'QUEUE_WAIT_WARN' | 'JOB_SILENT_AFTER'
>;

/** A worker renews its lease once a second, and its report with it. */
const REPORT_LATE_MS = 5_000;
/** The maximum number of listed jobs. */
const MOST_LISTED = 20;

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}

function liveCheck({ workers, queues, running }: Observation): HealthCheck[] {
  const component = { componentType: 'system' } as const;
  const open = running.length + queues.reduce((sum, { waiting }) => sum + waiting, 0);
  const hindered = workers.flatMap(({ name, report }) =>
    report === null || report.reason === null ? [] : [{ name, reason: report.reason }],
  );
  const count = { ...component, observedValue: workers.length, observedUnit: 'processes' } as const;
  if (workers.length === 0) {
    const output =
      open === 0
        ? 'No worker is alive: imports, exports and schema changes would wait.'
        : 'No worker is alive: the open jobs wait.';
    return [{ status: open === 0 ? 'warn' : 'error', ...count, threshold: 1, output }];
  }
  const status = hindered.length === workers.length ? 'error' : 'warn';
  return [
    { status: 'ok', ...count, threshold: 1 },
    ...hindered.map(({ name, reason }): HealthCheck => {
      return { status, ...component, componentId: name, output: `It takes no jobs: ${reason}` };
    }),
  ];
}

/** The status of a queue, and the reason why its jobs wait. */
function judge(
  observation: Observation,
  queue: ObservedQueue,
  thresholds: JobThresholds,
): Pick<HealthCheck, 'status' | 'output'> {
  const { name, state, waiting, oldest, eligible, unreached, running } = queue;
  if (waiting === 0) return { status: 'ok' };
  if (observation.workers.length === 0) {
    return { status: 'error', output: 'No worker is alive.' };
  }
  if (state === 'paused') {
    return {
      status: 'warn',
      output: `The queue is paused; POST /queues/${name}/resume ends that.`,
    };
  }
  if (isStuck(observation, queue, thresholds.QUEUE_STUCK_AFTER)) {
    const age = seconds(eligible?.age ?? 0);
    const output =
      `Job ${eligible?.id} (${eligible?.kind}) could run for ${age} s, a slot is free, ` +
      'and no worker takes it; see workers:live, redis:writable and the log of the workers.';
    return { status: 'error', output };
  }
  if (unreached !== null && unreached.age >= thresholds.QUEUE_STUCK_AFTER) {
    const output =
      `${unreached.jobs} of its jobs need files that no live worker reaches (storage ` +
      `${unreached.storage}); start a worker that does, or cancel them.`;
    return { status: 'error', output };
  }
  if ((oldest ?? 0) < thresholds.QUEUE_WAIT_WARN) return { status: 'ok' };
  const slots = slotsOf(observation, name);
  const output =
    slots !== null && slots > 0 && running >= slots
      ? `All ${slots} slots are busy; more workers or a higher concurrency shorten the wait.`
      : 'Its worker starts, others run before it in its collection, or it is tried again later.';
  return { status: 'warn', output };
}

function waitingChecks(observation: Observation, thresholds: JobThresholds): HealthCheck[] {
  return observation.queues.flatMap((queue): HealthCheck[] => {
    const component = { componentType: 'component', componentId: queue.name } as const;
    const { QUEUE_STUCK_AFTER, QUEUE_WAIT_WARN } = thresholds;
    const verdict = judge(observation, queue, thresholds);
    return [
      {
        ...verdict,
        ...component,
        observedUnit: queue.waiting === MOST_COUNTED ? 'jobs, at least' : 'jobs',
        observedValue: queue.waiting,
      },
      {
        status: verdict.status,
        ...component,
        observedUnit: 's',
        observedValue: seconds(queue.oldest ?? 0),
        threshold: seconds(verdict.status === 'error' ? QUEUE_STUCK_AFTER : QUEUE_WAIT_WARN),
      },
    ];
  });
}

function silentChecks({ workers, running }: Observation, thresholds: JobThresholds): HealthCheck[] {
  const { JOB_SILENT_AFTER } = thresholds;
  const silences = new Map<string, number>();
  for (const { report } of workers) {
    for (const [name, silence] of Object.entries(report?.jobs ?? {})) silences.set(name, silence);
  }
  const isComplete = workers.every(({ report }) => report !== null);
  const found = running.flatMap((job): HealthCheck[] => {
    const facts = {
      componentType: 'component',
      componentId: job.id,
      observedUnit: 's',
    } as const;
    const silence = silences.get(deliveryName(job));
    if (silence !== undefined && silence >= JOB_SILENT_AFTER) {
      const output =
        `The ${job.kind} job makes no progress. A single long statement makes none; ` +
        `DELETE /jobs/${job.id} cancels it.`;
      const threshold = seconds(JOB_SILENT_AFTER);
      return [{ status: 'warn', ...facts, observedValue: seconds(silence), threshold, output }];
    }
    if (silence !== undefined || !isComplete || job.age < REPORT_LATE_MS) return [];
    const status = workers.length > 0 ? 'warn' : 'error';
    const output =
      `No live worker does the ${job.kind} job; ` +
      'another worker takes it over when its lock expires (JOB_LOCK_DURATION).';
    const threshold = seconds(REPORT_LATE_MS);
    return [{ status, ...facts, observedValue: seconds(job.age), threshold, output }];
  });
  const status = found.some((check) => check.status === 'error')
    ? 'error'
    : found.length > 0
      ? 'warn'
      : 'ok';
  const total: HealthCheck = {
    status,
    componentType: 'component',
    observedUnit: 'jobs',
    observedValue: found.length,
    threshold: 0,
  };
  return [total, ...found.slice(0, MOST_LISTED)];
}

/** The checks `workers:live`, `queue:waiting` and `jobs:silent`. */
export function jobChecks(observation: Observation, thresholds: JobThresholds): HealthChecks {
  return {
    'workers:live': liveCheck(observation),
    'queue:waiting': waitingChecks(observation, thresholds),
    'jobs:silent': silentChecks(observation, thresholds),
  };
}
