/**
 * Reports the health of the installation: a public status, and the reasons for administrators. Each
 * server is checked at most once a second, one check at a time, and a response never waits for a
 * blocked server.
 */

import type { Config } from '#core/base/config/variables.ts';
import type { HealthCheck, HealthChecks, HealthStatus } from '#core/base/process/health-check.ts';
import type { Pool } from '#core/database/pool.ts';
import type { UnclaimedAmount } from '#core/files/unclaimed-content.ts';
import { observeQueues } from '#core/jobs/queue-observation.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import type { RedisChecks } from '#core/messaging/redis/redis-checks.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { RuleAudit } from '../unreadable-rules.ts';
import { catalogChecks } from './catalog-checks.ts';
import { contentChecks } from './content-checks.ts';
import { connectionsUsed, historySize, lateResponse, responseTime } from './database-checks.ts';
import { UnreadableDocumentSearch } from './document-checks.ts';
import { type JobThresholds, jobChecks } from './job-checks.ts';
import { processChecks } from './process-checks.ts';
import { SAMPLE_WAIT_MS, SampledChecks } from './sampled-checks.ts';
import { type CheckedStorage, storageChecks } from './storage-checks.ts';

export interface Health {
  readonly status: HealthStatus;
  readonly releaseId?: string;
  readonly serviceId?: string;
  readonly checks?: HealthChecks;
}

export type HealthConfig = JobThresholds &
  Pick<Config, 'JOB_RETRY_DELAY' | 'HISTORY_WARN_ROWS' | 'HISTORY_WARN_SIZE' | 'STORAGE_WARN_FREE'>;

export interface HealthServiceOptions {
  readonly config: HealthConfig;
  readonly catalog: CatalogSource;
  readonly pool: Pool;
  readonly bus: MessageBus;
  /** Identifies the installation. */
  readonly cluster: string;
  /** Version of this release. */
  readonly release: string;
  /** Finds stored rules that cannot be read. */
  readonly rules: Pick<RuleAudit, 'unreadable'>;
  /** The number of backends that still run their statement after its cancellation. */
  readonly unresponsive: () => number;
  /** The warning about too few connections; undefined when there are enough. */
  readonly shortage: string | undefined;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Null when the queue is in PostgreSQL. */
  readonly redis: RedisChecks | null;
  /** One for each location. */
  readonly storages: readonly CheckedStorage[];
  /** The unclaimed content of the storages. */
  readonly unclaimed: () => Promise<readonly UnclaimedAmount[]>;
  /** Other checks of this process. */
  readonly others: () => HealthChecks;
}

/** When no message has arrived for this time (ms), that is a warning. */
const SILENCE_MS = 5_000;
/** Each server is checked once in this time (ms); the storage is written to less often. */
const EVERY_MS = 1_000;
const STORAGE_EVERY_MS = 10_000;
/** Each check reads a small part of the documents. */
const DOCUMENTS_EVERY_MS = 2_000;
/** A storage that takes this time (ms) for one byte is unavailable. */
const STORAGE_SILENT_MS = 5_000;
const LATE = `No answer within ${SAMPLE_WAIT_MS} ms.`;

const RANK: Readonly<Record<HealthStatus, number>> = { ok: 0, warn: 1, error: 2 };

/** The worst status of all checks. */
function worst(checks: HealthChecks): HealthStatus {
  let status: HealthStatus = 'ok';
  for (const check of Object.values(checks).flat()) {
    if (RANK[check.status] > RANK[status]) status = check.status;
  }
  return status;
}

export class HealthService {
  readonly #options: HealthServiceOptions;
  /** Each one checks another server. */
  readonly #sampled: readonly SampledChecks[];

  constructor(options: HealthServiceOptions) {
    this.#options = options;
    const { config, pool, schema, redis, storages, unclaimed } = options;
    const database = new SampledChecks({
      every: EVERY_MS,
      steps: [
        () => responseTime(pool),
        () => this.#jobs(),
        () => processChecks(pool, schema),
        () => historySize(pool, schema, config),
        () => contentChecks(unclaimed),
      ],
      late: (done) =>
        'pg:responseTime' in done
          ? { 'workers:live': [{ status: 'warn', output: LATE }], ...done }
          : { 'pg:responseTime': [lateResponse(pool, SAMPLE_WAIT_MS)] },
    });
    const rules = new SampledChecks({
      every: 0,
      steps: [() => this.#rules()],
      late: () => ({ 'access:unreadableRules': [{ status: 'warn', output: LATE }] }),
    });
    const search = new UnreadableDocumentSearch(pool, options.catalog);
    const documents = new SampledChecks({
      every: DOCUMENTS_EVERY_MS,
      steps: [() => search.look()],
      late: () => search.checks,
    });
    const files = storages.map(
      (storage) =>
        new SampledChecks({
          every: STORAGE_EVERY_MS,
          steps: [() => storageChecks(storage, config.STORAGE_WARN_FREE)],
          late: (_, waited) => {
            const status = waited < STORAGE_SILENT_MS ? 'warn' : 'error';
            return { [`storage:${storage.name}:writable`]: [{ status, output: LATE }] };
          },
        }),
    );
    const queue =
      redis === null
        ? []
        : [
            new SampledChecks({
              every: EVERY_MS,
              steps: [() => redis.write(), () => redis.memory()],
              late: () => ({ 'redis:responseTime': [{ status: 'error', output: LATE }] }),
            }),
          ];
    this.#sampled = [database, rules, documents, ...files, ...queue];
  }

  /** Runs all checks, within a second; never throws. */
  async check(): Promise<Required<Health>> {
    const { cluster, release, others, pool, catalog } = this.#options;
    const sampled = await Promise.all(this.#sampled.map((checks) => checks.read()));
    const checks: HealthChecks = {
      ...Object.assign({}, ...sampled),
      'pg:connectionsUsed': [connectionsUsed(pool)],
      ...this.#shortage(),
      ...this.#unresponsive(),
      'messages:silence': [this.#messages()],
      ...catalogChecks(catalog),
      ...others(),
    };
    return { status: worst(checks), releaseId: release, serviceId: cluster, checks };
  }

  async #jobs(): Promise<HealthChecks> {
    const { pool, schema, config } = this.#options;
    const options = { within: config.QUEUE_STUCK_AFTER, retryDelay: config.JOB_RETRY_DELAY };
    try {
      return jobChecks(await observeQueues(pool, schema, options), config);
    } catch {
      const output = 'Workers and queues could not be looked at.';
      return { 'workers:live': [{ status: 'warn', componentType: 'system', output }] };
    }
  }

  /** Unreadable rules, which match nothing. */
  async #rules(): Promise<HealthChecks> {
    const component = { status: 'warn', componentType: 'component' } as const;
    const name = 'access:unreadableRules';
    try {
      const rules = await this.#options.rules.unreadable();
      if (rules.length === 0) return {};
      const found = rules.map(({ reason, ...rule }) => {
        return { ...component, observedValue: rule, output: reason };
      });
      return { [name]: found };
    } catch {
      return { [name]: [{ ...component, output: 'The stored rules could not be looked at.' }] };
    }
  }

  #unresponsive(): HealthChecks {
    const observedValue = this.#options.unresponsive();
    if (observedValue === 0) return {};
    const output = 'Statements go on although they were cancelled; each holds a connection.';
    const component = { componentType: 'datastore', observedUnit: 'connections' } as const;
    return { 'pg:unresponsive': [{ status: 'warn', ...component, observedValue, output }] };
  }

  #shortage(): HealthChecks {
    const { shortage } = this.#options;
    if (shortage === undefined) return {};
    const check = { status: 'warn', componentType: 'datastore', output: shortage } as const;
    return { 'pg:connectionsAllowed': [check] };
  }

  #messages(): HealthCheck {
    const observedValue = Math.round(this.#options.bus.silence());
    return {
      status: observedValue > SILENCE_MS ? 'warn' : 'ok',
      componentType: 'system',
      observedUnit: 'ms',
      observedValue,
      threshold: SILENCE_MS,
    };
  }
}
