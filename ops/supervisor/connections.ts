/** The connections to PostgreSQL that all processes together may open, against what it allows. */
import pg from 'pg';
import type { Config } from '#core/config/config.ts';

/** Number of queues; a constant, because importing them would slow every start. */
export const QUEUES = 3;
/** The message bus of a process keeps one to itself. */
const BUS = 1;
/** A process that only puts jobs in shares this many among all queues. */
const PRODUCER = 2;
/** Consuming a queue keeps one for LISTEN and uses up to two more. */
const CONSUMER_PER_QUEUE = 3;
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
    (onPostgres ? BUS + PRODUCER + CONSUMER_PER_QUEUE * QUEUES : 0);
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
        nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1) AS role,
        nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1)
          AS database`);
    const [limits] = rows;
    if (limits === undefined) throw new Error('a query without conditions returned no row');
    return limits;
  } finally {
    await client.end();
  }
}

/**
 * A warning when the processes may want more connections than the server, the role or the database
 * allows; null when all is well.
 * @param url past any pooler
 */
export async function connectionWarning(config: Sizes, url: string): Promise<string | null> {
  const limits = await readLimits(url);
  const allowed = Math.min(
    limits.server,
    limits.role ?? Number.POSITIVE_INFINITY,
    limits.database ?? Number.POSITIVE_INFINITY,
  );
  const needed = connectionsNeeded(config);
  if (needed <= allowed) return null;
  return (
    `The processes may open ${needed} connections and PostgreSQL allows ${allowed}: lower ` +
    'DATABASE_POOL_MAX, STREAM_MAX, EDGE_PROCESSES or WORKER_PROCESSES, or raise its max_connections'
  );
}
