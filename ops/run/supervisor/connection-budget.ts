/** Compares the connections that all processes together may open with the limit of PostgreSQL. */
import pg from 'pg';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from '#core/model/system/setup-error.ts';

/** Number of queues; a constant, because importing them would slow down every start. */
export const QUEUES = 4;
/** Connections of the message bus of a process. */
const BUS = 1;
/** Maximum connections for all queues of a process that only adds jobs. */
const PRODUCER = 2;
/** Each consumer of a queue has one for LISTEN; consumers and producer share these in addition. */
const CONSUMER = 8;
/** Maximum connections of MikroORM in a worker. */
const ENTITIES = 2;
/** A job uses one connection for its transaction while the worker needs other connections. */
const WORKER_LEAST = 2;
/** Connections of the monitor, without those for the queues. */
const MONITOR = 2;
/** Reserved for migrations, health checks of operators and similar tasks. */
const SPARE = 10;

type Sizes = Pick<
  Config,
  | 'DATABASE_POOL_MAX'
  | 'STREAM_MAX'
  | 'EDGE_PROCESSES'
  | 'WORKER_PROCESSES'
  | 'REDIS_URL'
  | 'MONITOR_PORT'
>;

/** Maximum connections of all configured processes together. */
export function connectionsNeeded(config: Sizes): number {
  const onPostgres = config.REDIS_URL === undefined;
  const pool = config.DATABASE_POOL_MAX;
  const edge = pool + config.STREAM_MAX + (onPostgres ? BUS + Math.min(PRODUCER, pool) : 0);
  const own = Math.max(WORKER_LEAST, pool);
  const worker =
    own +
    Math.min(ENTITIES, own - 1) +
    (onPostgres ? BUS + QUEUES + Math.min(CONSUMER, own - 1) : 0);
  const watched = config.MONITOR_PORT > 0 ? MONITOR + (onPostgres ? BUS + PRODUCER : 0) : 0;
  return config.EDGE_PROCESSES * edge + config.WORKER_PROCESSES * worker + watched;
}

/** `max_connections` for a database that only these processes use. */
export function connectionsToAllow(config: Sizes): number {
  return Math.max(100, connectionsNeeded(config) + SPARE);
}

interface Limits {
  readonly server: number;
  readonly role: number | null;
  readonly database: number | null;
}

async function readLimits(url: string): Promise<Limits> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Limits>(`
      SELECT current_setting('max_connections')::int
          - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0) AS server,
        nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user AND NOT rolsuper), -1) AS role,
        nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1)
          AS database`);
    const [limits] = rows;
    if (limits === undefined) throw new Error('a query without conditions returned no row');
    return limits;
  } finally {
    await client.end();
  }
}

/** The connections of the processes, and a warning if they are fewer than configured. */
export interface Allotment {
  readonly DATABASE_POOL_MAX: number;
  readonly STREAM_MAX: number;
  readonly EDGE_PROCESSES: number;
  readonly WORKER_PROCESSES: number;
  /** Null when they match the configuration. */
  readonly warning: string | null;
}

/** The minimum with which a process works. */
const LEAST = { DATABASE_POOL_MAX: 1, STREAM_MAX: 1 };

/** The highest possible number of connections per process; null when no number fits. */
function fitProcesses(config: Sizes, allowed: number): Sizes | null {
  for (let pool = config.DATABASE_POOL_MAX; pool >= LEAST.DATABASE_POOL_MAX; pool -= 1) {
    for (let stream = config.STREAM_MAX; stream >= LEAST.STREAM_MAX; stream -= 1) {
      const sizes = { ...config, DATABASE_POOL_MAX: pool, STREAM_MAX: stream };
      if (connectionsNeeded(sizes) <= allowed) return sizes;
    }
  }
  return null;
}

/** Only the configured roles. */
function oneOfEach({ EDGE_PROCESSES, WORKER_PROCESSES }: Sizes) {
  return {
    EDGE_PROCESSES: Math.min(EDGE_PROCESSES, 1),
    WORKER_PROCESSES: Math.min(WORKER_PROCESSES, 1),
  };
}

/** Reduces connections per process first, then edges, then workers. */
function fit(config: Sizes, allowed: number): Sizes | null {
  const one = oneOfEach(config);
  for (let workers = config.WORKER_PROCESSES; workers >= one.WORKER_PROCESSES; workers -= 1) {
    for (let edges = config.EDGE_PROCESSES; edges >= one.EDGE_PROCESSES; edges -= 1) {
      const sizes = { ...config, EDGE_PROCESSES: edges, WORKER_PROCESSES: workers };
      const fitting = fitProcesses(sizes, allowed);
      if (fitting !== null) return fitting;
    }
  }
  return null;
}

/**
 * The connections of the processes, within the limits of the server, the role and the database.
 * @param url without a pooler
 * @throws {SetupError} when these are too few for one edge and one worker
 */
export async function allotConnections(config: Sizes, url: string): Promise<Allotment> {
  const limits = await readLimits(url);
  const allowed = Math.min(
    limits.server,
    limits.role ?? Number.POSITIVE_INFINITY,
    limits.database ?? Number.POSITIVE_INFINITY,
  );
  const needed = connectionsNeeded(config);
  if (needed <= allowed) return { ...allotted(config), warning: null };
  const sizes = fit(config, allowed);
  if (sizes === null) {
    const least = connectionsNeeded({ ...config, ...LEAST, ...oneOfEach(config) });
    throw new SetupError(
      `DATABASE_URL: PostgreSQL allows ${allowed} connections and the processes need at least ${least}: ` +
        'raise the limit (max_connections, or CONNECTION LIMIT of role or database)',
    );
  }
  const given = Object.entries(allotted(sizes)).map(([name, value]) => `${name}=${value}`);
  return {
    ...allotted(sizes),
    warning:
      `The processes may open ${needed} connections and PostgreSQL allows ${allowed}: they run with ` +
      `${given.join(', ')}; lower these variables, or raise the limit of PostgreSQL`,
  };
}

function allotted(sizes: Sizes): Omit<Allotment, 'warning'> {
  const { DATABASE_POOL_MAX, STREAM_MAX, EDGE_PROCESSES, WORKER_PROCESSES } = sizes;
  return { DATABASE_POOL_MAX, STREAM_MAX, EDGE_PROCESSES, WORKER_PROCESSES };
}
