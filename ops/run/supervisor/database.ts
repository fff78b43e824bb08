/**
 * The database of this installation: the configured one, or the embedded one, which runs as long as
 * the supervisor.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import {
  type Cluster,
  type ClusterOptions,
  openCluster,
} from '#ops/run/embedded/embedded-database.ts';
import type { Report } from '#ops/run/embedded/postgres-binaries.ts';
import { connectionsToAllow } from './connection-budget.ts';
import { checkPreparedStatements } from './pooler-check.ts';
import { checkPostgres, describeUrl, waitFor } from './wait-for-servers.ts';

export interface Database {
  readonly url: string;
  /** The same database without a transaction pooler. */
  readonly directUrl: string;
  /** For the operator: the database, and the position of its data. */
  readonly description: string;
  /** Ends the embedded server within `within` milliseconds; does nothing to other servers. */
  stop(within: number): Promise<void>;
}

/** The inputs of the database besides the configuration. */
export interface Surroundings {
  /** Absolute path of `DATA_DIR`, which exists and, for the embedded database, is locked. */
  readonly dataDir: string;
  readonly report: Report;
  readonly log: Log;
  /** Cancels the start of the embedded server, or the wait for another one. */
  readonly stop: AbortSignal;
  /** Wait for a server that is unavailable. */
  readonly waits: boolean;
}

const RESTART_AFTER_MS = 1_000;

/**
 * PostgreSQL's own log: a file for each weekday in the folder `log` of the cluster. Failed
 * statements are omitted, because they contain values of requests.
 */
const SERVER_LOG = {
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgresql-%a.log',
  log_rotation_age: '1d',
  log_truncate_on_rotation: 'on',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};

/** Restarts the server, on the same port, when it ends unexpectedly. */
function keepRunning(first: Cluster, options: ClusterOptions, log: Log) {
  let current = first;
  const stopping = new AbortController();
  const life = (async () => {
    while (!stopping.signal.aborted) {
      const reason = await current.exited;
      if (stopping.signal.aborted) return;
      log.error({ reason }, 'PostgreSQL ended; it is restarted');
      try {
        current = await openCluster({ ...options, port: first.port });
        log.info('PostgreSQL is running again');
      } catch (error) {
        log.error({ err: error }, 'PostgreSQL could not be started');
        await delay(RESTART_AFTER_MS, null, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  })();
  return async (within: number) => {
    stopping.abort();
    await current.stop(within);
    await life;
    // It may have been restarted while it was being stopped.
    await current.stop(within);
  };
}

async function openEmbedded(config: Config, surroundings: Surroundings): Promise<Database> {
  const options = {
    dataDir: surroundings.dataDir,
    report: surroundings.report,
    settings: { ...SERVER_LOG, max_connections: String(connectionsToAllow(config)) },
  };
  const cluster = await openCluster({ ...options, signal: surroundings.stop });
  return {
    url: cluster.databaseUrl,
    directUrl: cluster.databaseUrl,
    description: `embedded PostgreSQL, in ${cluster.folder}`,
    stop: keepRunning(cluster, options, surroundings.log),
  };
}

async function openConfigured(
  config: Config,
  url: string,
  surroundings: Surroundings,
): Promise<Database> {
  const check = (variable: string, wanted: string) => {
    const look = () => checkPostgres(variable, wanted);
    return surroundings.waits ? waitFor(look, surroundings) : look();
  };
  const version = await check('DATABASE_URL', url);
  const direct = config.DATABASE_DIRECT_URL;
  if (direct !== undefined) {
    await check('DATABASE_DIRECT_URL', direct);
    await checkPreparedStatements(url);
  }
  return {
    url,
    directUrl: direct ?? url,
    description: `PostgreSQL ${version} at ${describeUrl(url)}`,
    stop: () => Promise.resolve(),
  };
}

/**
 * Makes the database available.
 * @throws {SetupError} one line with the reason why it cannot be used
 */
export async function openDatabase(config: Config, surroundings: Surroundings): Promise<Database> {
  if (config.DATABASE_URL !== undefined) {
    return openConfigured(config, config.DATABASE_URL, surroundings);
  }
  if (config.DATABASE_DIRECT_URL !== undefined) {
    throw new SetupError('DATABASE_DIRECT_URL: is set, and so DATABASE_URL must be set too');
  }
  return openEmbedded(config, surroundings);
}
