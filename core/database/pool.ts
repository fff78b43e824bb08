/** Pools of ordinary connections: for transactions, COPY, cursors and cancellable statements. */
import pg from 'pg';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { guardedClient, KEEP_ALIVE_MS } from './client.ts';
import { refusalOf } from './refused-write.ts';
import { Watchdog } from './watchdog.ts';

export type Pool = pg.Pool;
/** A connection that was taken out of a pool. */
export type Connection = pg.PoolClient;
/** The part of a connection that runs statements. */
export type Client = Pick<Connection, 'query'>;
/** A source of connections. */
export interface Connections {
  connect(): Promise<Connection>;
}

/**
 * The maximum time (ms) between two statements of a request's transaction. A process that is
 * disconnected or frozen there holds locks, and other processes wait for these at most
 * `QUERY_TIMEOUT`. A healthy process sends a message every few seconds ({@link Watchdog}), whatever
 * its transaction waits for.
 */
const IDLE_WITHIN_MS = 10_000;
/**
 * The minimum size (bytes) of a row that is passed on as it arrived: a shorter one is cheaper as a
 * text.
 */
const LONG_ROW = 16_384;
/**
 * Settings of every session: times in UTC, no JIT compilation for short statements, limited waits.
 * The session of a process that disappeared is ended within a minute, even if it runs a statement
 * or holds locks.
 */
export function sessionSettings(statementTimeout: number): string {
  return [
    "SET TimeZone = 'UTC'",
    "SET DateStyle = 'ISO, YMD'",
    "SET IntervalStyle = 'postgres'",
    'SET standard_conforming_strings = on',
    'SET jit = off',
    `SET statement_timeout = ${statementTimeout}`,
    `SET idle_in_transaction_session_timeout = ${statementTimeout > 0 ? IDLE_WITHIN_MS : 0}`,
    'SET tcp_keepalives_idle = 20',
    'SET tcp_keepalives_interval = 5',
    'SET tcp_keepalives_count = 4',
    'SET tcp_user_timeout = 40000',
    // A server on Windows does not support this setting.
    "SELECT set_config('client_connection_check_interval', '10s', false) WHERE version() !~* 'visual c|mingw'",
  ].join('; ');
}

/**
 * Opens a pool. Waiting for a connection is limited by `DATABASE_POOL_WAIT`.
 * @param options.max the maximum number of connections; `DATABASE_POOL_MAX` by default
 * @param options.statementTimeout milliseconds; 0 for none
 */
export function createPool(
  config: Pick<Config, 'DATABASE_POOL_MAX' | 'DATABASE_POOL_WAIT'>,
  url: string,
  log: Log,
  options: { name: string; max?: number; statementTimeout: number },
): Pool {
  const { statementTimeout } = options;
  const watchdog = new Watchdog({ url, log, statementTimeout });
  const pool = new pg.Pool({
    Client: guardedClient(log, { rowsAsBytesFrom: LONG_ROW }),
    connectionString: url,
    application_name: `sluice ${options.name}`,
    max: options.max ?? config.DATABASE_POOL_MAX,
    connectionTimeoutMillis: config.DATABASE_POOL_WAIT,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    onConnect: async (client) => {
      watchdog.add(client);
      await client.query(sessionSettings(statementTimeout));
    },
  });
  pool.on('error', (error) => log.warn({ err: error }, 'lost an idle database connection'));
  // The pool itself handles errors of idle connections only; an unhandled error would end the
  // process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'lost a database connection'));
  });
  measure(pool, options.name);
  return pool;
}

/** Reports the connections of a pool as metrics. A closed pool has no connections. */
function measure(pool: Pool, name: string): void {
  const labels = { pool: name };
  metrics.reading('sluice_database_connections', () => [
    [{ ...labels, state: 'used' }, pool.totalCount - pool.idleCount],
    [{ ...labels, state: 'idle' }, pool.idleCount],
  ]);
  metrics.reading('sluice_database_connections_max', () => [[labels, pool.options.max]]);
  metrics.reading('sluice_database_waiting', () => [[labels, pool.waitingCount]]);
}

/**
 * Runs `work` in a transaction on one connection: committed when it resolves, rolled back when it
 * throws. A failed connection is not returned to the pool.
 */
export async function transaction<T>(
  connections: Connections,
  work: (client: Connection) => Promise<T>,
): Promise<T> {
  const client = await connections.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    const refusal = refusalOf(client);
    await client.query('ROLLBACK').catch((lost: Error) => {
      broken = lost;
    });
    throw refusal ?? error;
  } finally {
    client.release(broken);
  }
}

/** Whether only the statement failed, so that the connection stays usable. */
export function isStatementError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR';
}

/** Runs `work`, which leaves no transaction open, on a connection. */
export async function withConnection<T>(
  connections: Connections,
  work: (client: Connection) => Promise<T>,
): Promise<T> {
  const client = await connections.connect();
  let broken = false;
  try {
    return await work(client);
  } catch (error) {
    broken = error instanceof pg.DatabaseError && !isStatementError(error);
    throw refusalOf(client) ?? error;
  } finally {
    // The pool already handles a lost connection.
    client.release(broken);
  }
}
