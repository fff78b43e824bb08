/** The connections to PostgreSQL that all processes together may open, against what it allows. */
import pg from 'pg';
import type { Config } from '#core/config/config.ts';
import { SetupError } from '#core/system/setup-error.ts';

/** Number of queues; a constant, because importing them would slow every start. */
export const QUEUES = 3;
/** The message bus of a process keeps one to itself. */
const BUS = 1;
/** A process that only puts jobs in shares this many among all queues. */
const PRODUCER = 2;
/** Consumers of queues keep one each for LISTEN, and share up to so many more with their producer. */
const CONSUMER = 8;
/** The EntityManager of a worker. */
const ENTITIES = 2;
/** Migrations, health checks of operators and the like. */
const SPARE = 10;

type Sizes = Pick<
  Config,
  'DATABASE_POOL_MAX' | 'STREAM_MAX' | 'EDGE_PROCESSES' | 'WORKER_PROCESSES' | 'REDIS_URL'
>;

/** Most connections that the configured processes open together. */
export function connectionsNeeded(config: Sizes): number {
  const onPostgres = config.REDIS_URL === undefined;
  const edge = config.DATABASE_POOL_MAX + config.STREAM_MAX + (onPostgres ? BUS + PRODUCER : 0);
  const worker =
    config.DATABASE_POOL_MAX +
    ENTITIES +
    (onPostgres ? BUS + QUEUES + Math.min(CONSUMER, config.DATABASE_POOL_MAX) : 0);
  return config.EDGE_PROCESSES * edge + config.WORKER_PROCESSES * worker;
}

/** `max_connections` for a database that serves these processes alone. */
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

/** How many connections the processes get, and what is to be said of that. */
export interface Allotment {
  readonly DATABASE_POOL_MAX: number;
  readonly STREAM_MAX: number;
  /** Null when they get what is configured. */
  readonly warning: string | null;
}

/** The least with which a process works. */
const LEAST = { DATABASE_POOL_MAX: 2, STREAM_MAX: 1 };

/** The most connections for each process that are not too many together; null when there is no such. */
function fit(config: Sizes, allowed: number): Omit<Allotment, 'warning'> | null {
  const streams = Math.min(config.STREAM_MAX, LEAST.STREAM_MAX);
  for (let pool = config.DATABASE_POOL_MAX; pool >= LEAST.DATABASE_POOL_MAX; pool -= 1) {
    for (let stream = config.STREAM_MAX; stream >= streams; stream -= 1) {
      const sizes = { DATABASE_POOL_MAX: pool, STREAM_MAX: stream };
      if (connectionsNeeded({ ...config, ...sizes }) <= allowed) return sizes;
    }
  }
  return null;
}

/**
 * What the processes get of the connections that the server, the role and the database allow.
 * @param url past any pooler
 * @throws {SetupError} when these are fewer than the processes work with
 */
export async function allotConnections(config: Sizes, url: string): Promise<Allotment> {
  const limits = await readLimits(url);
  const allowed = Math.min(
    limits.server,
    limits.role ?? Number.POSITIVE_INFINITY,
    limits.database ?? Number.POSITIVE_INFINITY,
  );
  const { DATABASE_POOL_MAX, STREAM_MAX } = config;
  const needed = connectionsNeeded(config);
  if (needed <= allowed) return { DATABASE_POOL_MAX, STREAM_MAX, warning: null };
  const sizes = fit(config, allowed);
  const advice = 'EDGE_PROCESSES or WORKER_PROCESSES, or raise what PostgreSQL allows';
  if (sizes === null) {
    const streams = Math.min(STREAM_MAX, LEAST.STREAM_MAX);
    const least = connectionsNeeded({ ...config, ...LEAST, STREAM_MAX: streams });
    throw new SetupError(
      `DATABASE_URL: PostgreSQL allows ${allowed} connections and the processes need ${least} at ` +
        `the least: lower ${advice} (max_connections, or CONNECTION LIMIT of role or database)`,
    );
  }
  return {
    ...sizes,
    warning:
      `The processes may open ${needed} connections and PostgreSQL allows ${allowed}: they run with ` +
      `DATABASE_POOL_MAX=${sizes.DATABASE_POOL_MAX} and STREAM_MAX=${sizes.STREAM_MAX}; lower these, ${advice}`,
  };
}
