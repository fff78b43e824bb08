/**
 * Reports the health of the installation: a status for everybody, the reasons for administrators.
 */
import { performance } from 'node:perf_hooks';
import type { Catalog } from '#core/catalog/catalog.ts';
import type { CatalogSource } from '#core/catalog/catalog-source.ts';
import type { Pool } from '#core/database/pool.ts';
import { quote, render, sql } from '#core/database/sql.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import type { HealthCheck, HealthChecks, HealthStatus } from '#core/process/health-check.ts';
import type { RuleAudit } from './unreadable-rules.ts';

export interface Health {
  readonly status: HealthStatus;
  readonly releaseId?: string;
  readonly serviceId?: string;
  readonly checks?: HealthChecks;
}

export interface HealthServiceOptions {
  readonly catalog: CatalogSource;
  readonly pool: Pool;
  readonly bus: MessageBus;
  /** Identifies the installation. */
  readonly cluster: string;
  /** Version of this release. */
  readonly release: string;
  /** Finds stored rules that cannot be read. */
  readonly rules: Pick<RuleAudit, 'unreadable'>;
  /** Backends that do not end their statement although it was cancelled. */
  readonly unresponsive: () => number;
  /** The warning about too few connections; undefined when there are enough. */
  readonly shortage: string | undefined;
  /** The schema of the system tables. */
  readonly schema: string;
  /** HISTORY_WARN_ROWS */
  readonly historyRows: number;
  /** Other checks of this process. */
  readonly others: () => HealthChecks;
}

/** An answer of the database that takes longer (ms) is a warning. */
const SLOW_MS = 150;
/** Timeout (ms) for the database's answer. */
const TIMEOUT_MS = 2_000;
/** When no message has arrived for this time (ms), that is a warning. */
const SILENCE_MS = 5_000;
/** For smaller tables a scan is faster than an index. */
const SMALL_TABLE = 1_000;

const RANK: Readonly<Record<HealthStatus, number>> = { ok: 0, warn: 1, error: 2 };

function worst(checks: HealthChecks): HealthStatus {
  let status: HealthStatus = 'ok';
  for (const check of Object.values(checks).flat()) {
    if (RANK[check.status] > RANK[status]) status = check.status;
  }
  return status;
}

/** Foreign keys without an index that nested reads need, with the statement that creates it. */
function missingIndexes(catalog: Catalog): HealthCheck[] {
  const checks = new Map<string, HealthCheck>();
  for (const relation of [...catalog.relations.values()].flatMap((map) => [...map.values()])) {
    if (relation.kind === 'm2o' || relation.kind === 'a2o' || relation.indexed) continue;
    const table = catalog.collections.get(relation.many.collection)?.table;
    if (!table || table.kind.includes('view') || table.estimatedRows < SMALL_TABLE) continue;
    const columns = relation.many.columns.map(quote).join(', ');
    const statement = `CREATE INDEX CONCURRENTLY ON ${quote(table.schema)}.${quote(table.name)} (${columns});`;
    checks.set(statement, {
      status: 'warn',
      componentType: 'datastore',
      observedValue: `${relation.collection}.${relation.field}`,
      output: `Reading it scans the whole table. ${statement}`,
    });
  }
  return [...checks.values()];
}

export class HealthService {
  readonly #options: HealthServiceOptions;

  constructor(options: HealthServiceOptions) {
    this.#options = options;
  }

  /** Runs all checks; never throws. */
  async check(): Promise<Required<Health>> {
    const { cluster, release, others } = this.#options;
    const [responseTime, rules, history] = await Promise.all([
      this.#responseTime(),
      this.#rules(),
      this.#history(),
    ]);
    const checks = {
      'pg:responseTime': [responseTime],
      'pg:connectionsUsed': [this.#connections()],
      ...this.#shortage(),
      ...this.#unresponsive(),
      'history:rows': [history],
      'messages:silence': [this.#messages()],
      ...this.#catalogChecks(),
      ...(rules.length === 0 ? {} : { 'access:unreadableRules': rules }),
      ...others(),
    };
    return { status: worst(checks), releaseId: release, serviceId: cluster, checks };
  }

  async #responseTime(): Promise<HealthCheck> {
    const started = performance.now();
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const query = this.#options.pool.query('SELECT 1').then(
      () => null,
      () => 'The database does not answer.',
    );
    const output = await Promise.race([
      query,
      new Promise<string>((resolve) => {
        late.addEventListener('abort', () => resolve(`No answer within ${TIMEOUT_MS} ms.`));
      }),
    ]);
    const observedValue = Math.round((performance.now() - started) * 1_000) / 1_000;
    return {
      status: output !== null ? 'error' : observedValue > SLOW_MS ? 'warn' : 'ok',
      componentType: 'datastore',
      observedUnit: 'ms',
      observedValue,
      threshold: SLOW_MS,
      ...(output === null ? {} : { output }),
    };
  }

  /** Rules that match nothing because they cannot be read. */
  async #rules(): Promise<readonly HealthCheck[]> {
    const component = { status: 'warn', componentType: 'component' } as const;
    const looked = this.#options.rules.unreadable().then(
      (rules) =>
        rules.map(({ reason, ...rule }) => ({ ...component, observedValue: rule, output: reason })),
      () => [{ ...component, output: 'The stored rules could not be looked at.' }],
    );
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const missed = new Promise<readonly HealthCheck[]>((resolve) => {
      const output = `The stored rules were not looked at within ${TIMEOUT_MS} ms.`;
      late.addEventListener('abort', () => resolve([{ ...component, output }]));
    });
    return Promise.race([looked, missed]);
  }

  /** Whether activities and revisions have become many, as PostgreSQL estimates them. */
  async #history(): Promise<HealthCheck> {
    const { pool, schema, historyRows: threshold } = this.#options;
    const component = { componentType: 'datastore', observedUnit: 'rows', threshold } as const;
    const unknown = {
      ...component,
      status: 'warn',
      output: 'The history could not be looked at.',
    } as const;
    const looked = pool
      .query<{ rows: number }>(
        render(sql`SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows FROM pg_class
          WHERE oid IN (to_regclass(${`${quote(schema)}.system_activity`}),
            to_regclass(${`${quote(schema)}.system_revisions`}))`),
      )
      .then(
        ({ rows: [row] }): HealthCheck => {
          const observedValue = row?.rows ?? 0;
          if (observedValue <= threshold) return { ...component, status: 'ok', observedValue };
          const output =
            'It is kept for ever unless RETENTION_ENABLED is set; ' +
            '`npm run sluice -- history prune` deletes old entries.';
          return { ...component, status: 'warn', observedValue, output };
        },
        (): HealthCheck => unknown,
      );
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const missed = new Promise<HealthCheck>((resolve) => {
      late.addEventListener('abort', () => resolve(unknown));
    });
    return Promise.race([looked, missed]);
  }

  #connections(): HealthCheck {
    const { pool } = this.#options;
    return {
      status: pool.waitingCount > 0 ? 'warn' : 'ok',
      componentType: 'datastore',
      observedUnit: 'connections',
      observedValue: pool.totalCount - pool.idleCount,
      threshold: pool.options.max,
    };
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

  #catalogChecks(): Record<string, readonly HealthCheck[]> {
    const { catalog } = this.#options;
    const { version, leftOut, warnings, error, stale } = catalog.status();
    const component = { componentType: 'component' } as const;
    const checks: Record<string, readonly HealthCheck[]> = {
      'catalog:version': [
        {
          ...component,
          status: error !== null || stale ? 'warn' : 'ok',
          observedValue: version,
          ...(error === null ? {} : { output: `An earlier catalog is still used: ${error}` }),
        },
      ],
      'catalog:leftOut': leftOut.map((entry) => ({
        ...component,
        status: 'ok',
        observedValue: `${entry.schema}.${entry.name}`,
        output: entry.reason,
      })),
      'catalog:metadata': warnings.map((output) => ({ ...component, status: 'ok', output })),
      'catalog:indexes': missingIndexes(catalog.current()),
    };
    return Object.fromEntries(Object.entries(checks).filter(([, entries]) => entries.length > 0));
  }
}
