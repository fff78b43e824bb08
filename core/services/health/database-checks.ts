/**
 * The health of PostgreSQL from this process: its response time, the pool, and the size of the
 * history.
 */
import type { Config } from '#core/base/config/variables.ts';
import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';
import type { Pool } from '#core/database/pool.ts';
import { quote, render, sql } from '#core/database/sql.ts';

/** A longer response time (ms) is a warning. */
const SLOW_MS = 150;
const COMPONENT = { componentType: 'datastore' } as const;

/** Runs an empty query; never throws. */
export async function responseTime(pool: Pool): Promise<HealthChecks> {
  const started = performance.now();
  const output = await pool.query('SELECT 1').then(
    () => null,
    () => 'The database does not answer.',
  );
  const observedValue = Math.round((performance.now() - started) * 1_000) / 1_000;
  const check: HealthCheck = {
    status: output !== null ? 'error' : observedValue > SLOW_MS ? 'warn' : 'ok',
    ...COMPONENT,
    ...{ observedUnit: 'ms', observedValue, threshold: SLOW_MS },
    ...(output === null ? {} : { output }),
  };
  return { 'pg:responseTime': [check] };
}

/** The database, or the pool, did not respond in time. */
export function lateResponse(pool: Pool, waited: number): HealthCheck {
  const observed = { observedUnit: 'ms', observedValue: waited, threshold: SLOW_MS } as const;
  // Other queries of the pool may be answered while this one waits.
  if (pool.waitingCount > 0 && pool.totalCount >= pool.options.max) {
    const output =
      'No connection of the pool was free; raise DATABASE_POOL_MAX, or find what is slow.';
    return { status: 'warn', ...COMPONENT, ...observed, output };
  }
  const output = `No answer within ${waited} ms.`;
  return { status: 'error', ...COMPONENT, ...observed, output };
}

/** The connections of the pool that are in use. */
export function connectionsUsed(pool: Pool): HealthCheck {
  return {
    status: pool.waitingCount > 0 ? 'warn' : 'ok',
    ...COMPONENT,
    observedUnit: 'connections',
    observedValue: pool.totalCount - pool.idleCount,
    threshold: pool.options.max,
  };
}

interface HistorySize {
  readonly rows: number;
  readonly bytes: number;
}

const HISTORY_ADVICE =
  'It is kept for ever unless RETENTION_ENABLED is set; ' +
  '`npm run sluice -- history prune` deletes old entries.';

/** Whether there are too many activities and revisions, by PostgreSQL's estimates; never throws. */
export async function historySize(
  pool: Pool,
  schema: string,
  limits: Pick<Config, 'HISTORY_WARN_ROWS' | 'HISTORY_WARN_SIZE'>,
): Promise<HealthChecks> {
  const check = (observedUnit: 'rows' | 'bytes', value: number, threshold: number): HealthCheck => {
    const observed = { ...COMPONENT, observedUnit, observedValue: value, threshold } as const;
    if (value <= threshold) return { status: 'ok', ...observed };
    return { status: 'warn', ...observed, output: HISTORY_ADVICE };
  };
  const statement = sql`SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows,
      coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes
    FROM pg_class WHERE oid IN (to_regclass(${`${quote(schema)}.system_activity`}),
      to_regclass(${`${quote(schema)}.system_revisions`}))`;
  try {
    const { rows } = await pool.query<HistorySize>(render(statement));
    const { rows: entries = 0, bytes = 0 } = rows[0] ?? {};
    return {
      'history:size': [
        check('rows', entries, limits.HISTORY_WARN_ROWS),
        check('bytes', bytes, limits.HISTORY_WARN_SIZE),
      ],
    };
  } catch {
    const output = 'The history could not be looked at.';
    return { 'history:size': [{ status: 'warn', ...COMPONENT, output }] };
  }
}
