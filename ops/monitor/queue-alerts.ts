/** Writes to the log when jobs do not run, with the reason, and when they run again. */
import type { Config } from '#core/config/config.ts';
import type { Pool } from '#core/database/pool.ts';
import { observeQueues } from '#core/jobs/queue-observation.ts';
import type { Log } from '#core/log/log.ts';
import { type JobThresholds, jobChecks } from '#core/services/health/job-checks.ts';

export interface AlertParts {
  readonly pool: Pool;
  readonly schema: string;
  readonly config: JobThresholds & Pick<Config, 'JOB_RETRY_DELAY'>;
  readonly log: Log;
}

const EVERY_MS = 2_000;

/** Looks at workers and queues until the returned function is called. */
export function watchQueues({ pool, schema, config, log }: AlertParts): () => void {
  const alerts = new Set<string>();
  let isLooking = false;

  const look = async () => {
    const options = { within: config.QUEUE_STUCK_AFTER, retryDelay: config.JOB_RETRY_DELAY };
    const checks = jobChecks(await observeQueues(pool, schema, options), config);
    const found = new Map<string, string>();
    for (const [check, entries] of Object.entries(checks)) {
      for (const { status, componentId = '', output } of entries) {
        if (status === 'error' && output) found.set(`${check} ${componentId}`.trim(), output);
      }
    }
    for (const [name, reason] of found) {
      if (!alerts.has(name)) log.error({ check: name, reason }, 'jobs do not run');
      alerts.add(name);
    }
    for (const name of alerts) {
      if (found.has(name)) continue;
      log.info({ check: name }, 'jobs run again');
      alerts.delete(name);
    }
  };

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // A database that is away is logged by those that need it.
    look()
      .catch((error: unknown) => log.debug({ err: error }, 'the queues could not be looked at'))
      .finally(() => {
        isLooking = false;
      });
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
