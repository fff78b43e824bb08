/** Logs when jobs do not run, with the reason, and when they run again. */
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { observeQueues } from '#core/jobs/queue-observation.ts';
import { type JobThresholds, jobChecks } from '#core/services/health/job-checks.ts';

export interface AlertParts {
  readonly pool: Pool;
  readonly schema: string;
  readonly config: JobThresholds & Pick<Config, 'JOB_RETRY_DELAY'>;
  readonly log: Log;
}

const EVERY_MS = 2_000;

/**
 * Checks workers and queues until the returned function is called. A problem that ends before a job
 * would have waited too long is no alert, because every worker starts and stops.
 */
export function watchQueues({ pool, schema, config, log }: AlertParts): () => void {
  const alerts = new Set<string>();
  /** When each error was first detected, by `performance.now()`. */
  let since = new Map<string, number>();
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
    const now = performance.now();
    since = new Map([...found.keys()].map((name) => [name, since.get(name) ?? now]));
    for (const [name, reason] of found) {
      if (alerts.has(name) || now - (since.get(name) ?? now) < config.QUEUE_STUCK_AFTER) continue;
      log.error({ check: name, reason }, 'jobs do not run');
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
    // The processes that need the database log its outage.
    look()
      .catch((error: unknown) => log.debug({ err: error }, 'could not check the queues'))
      .finally(() => {
        isLooking = false;
      });
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}
