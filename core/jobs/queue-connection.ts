/** The connection of a process to the server of the queues, shared by all queues. */
import type { Redis, RedisOptions } from 'ioredis';
import pg from 'pg';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import { guardedClient, KEEP_ALIVE_MS } from '#core/database/client.ts';
import { Watchdog } from '#core/database/watchdog.ts';
import {
  boundGreeting,
  HANG_UP_WITHIN_MS,
  REDIS_KEEP_ALIVE_MS,
  startHeartbeat,
} from '#core/messaging/redis/heartbeat.ts';

/** The schema of BullMQ's tables; BullMQ accepts no other name. */
export const QUEUE_SCHEMA = 'bullmq';
const CONNECT_WITHIN_MS = 4_000;
const BACK_OFF_MS = { first: 50, most: 500 };

/** The server of the queues. One pool or one Redis connection serves all queues of a process. */
export type QueueConnection =
  | { readonly kind: 'postgres'; readonly pool: pg.Pool }
  | { readonly kind: 'redis'; readonly redis: Redis; readonly endHeartbeat: () => void };

export interface QueueConnectionOptions {
  /** Maximum connections to PostgreSQL; each consumer reserves one for LISTEN. */
  readonly max: number;
  /** A producer gets an error during an outage; a consumer waits until it is over. */
  readonly role: 'producer' | 'consumer';
}

/**
 * Opens the connection: to Redis when `REDIS_URL` is set, otherwise to the database directly. A
 * pooler is not used, because consumers LISTEN. No command is sent before the first use.
 */
export async function openQueueConnection(
  config: Pick<Config, 'REDIS_URL' | 'DATABASE_DIRECT_URL'>,
  url: string,
  log: Log,
  options: QueueConnectionOptions,
): Promise<QueueConnection> {
  if (config.REDIS_URL !== undefined) {
    const { Redis } = await import('ioredis');
    /** BullMQ duplicates it for blocking commands. */
    class QueueRedis extends Redis {
      override duplicate(override?: Partial<RedisOptions>): Redis {
        const copy = super.duplicate(override);
        boundGreeting(copy);
        return copy;
      }
    }
    const redis = new QueueRedis(config.REDIS_URL, {
      lazyConnect: true,
      connectionName: `sluice-queue-${options.role}`,
      connectTimeout: CONNECT_WITHIN_MS,
      // Also applies to the connections on which BullMQ blocks; BullMQ monitors those itself.
      disconnectTimeout: HANG_UP_WITHIN_MS,
      keepAlive: REDIS_KEEP_ALIVE_MS,
      // BullMQ requires that a consumer's commands wait for a lost connection.
      maxRetriesPerRequest: options.role === 'consumer' ? null : 1,
      retryStrategy: (times) => Math.min(BACK_OFF_MS.first * 2 ** times, BACK_OFF_MS.most),
    });
    redis.on('error', warnThrottled(log, 'the queue lost Redis'));
    const endHeartbeat = startHeartbeat(redis, () => {
      log.warn('replacing a half-open connection of the queue');
      redis.disconnect(true);
    });
    return { kind: 'redis', redis, endHeartbeat };
  }
  const direct = config.DATABASE_DIRECT_URL ?? url;
  const watchdog = new Watchdog({ url: direct, log, statementTimeout: 0 });
  const pool = new pg.Pool({
    Client: guardedClient(log),
    connectionString: direct,
    application_name: 'sluice queue',
    max: options.max,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: `-c search_path=${QUEUE_SCHEMA}`,
  });
  pool.on('error', warnThrottled(log, 'the queue lost a database connection'));
  // The pool listens only to errors of idle connections; an unhandled error would end the process.
  pool.on('connect', (client) => {
    watchdog.add(client);
    client.on('error', (error) => log.debug({ err: error }, 'the queue lost a connection in use'));
  });
  return { kind: 'postgres', pool };
}

/** Closes the connection; pending requests fail. */
export async function closeQueueConnection(connection: QueueConnection): Promise<void> {
  if (connection.kind === 'postgres') return await connection.pool.end();
  connection.endHeartbeat();
  connection.redis.disconnect();
}
