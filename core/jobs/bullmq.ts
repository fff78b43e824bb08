/**
 * Everything that uses BullMQ itself. Loading it costs 0.2 s and 80 MB, so this module is imported
 * when a queue is first used; an edge without jobs never loads it.
 */
import assert from 'node:assert/strict';
import {
  assertSchemaCompatibility,
  createPostgresBackend,
  createRedisBackend,
  isPgPool,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
  withBackend,
} from 'bullmq';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import { QUEUE_SCHEMA, type QueueConnection } from './queue-connection.ts';

/**
 * Creates or updates BullMQ's tables in PostgreSQL; a single read when they are up to date. Redis
 * requires no preparation. The first time the role needs CREATE on the database.
 */
export async function prepareQueueTables(connection: QueueConnection): Promise<void> {
  if (connection.kind === 'redis') return;
  const client = await connection.pool.connect();
  try {
    const version = await assertSchemaCompatibility(client, QUEUE_SCHEMA).catch((error) => {
      if (error instanceof SchemaMigrationRequiredError) return 0;
      throw error;
    });
    if (version < LATEST_SCHEMA_VERSION) await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    client.release();
  }
}

function newQueue(serverName: string, connection: QueueConnection) {
  if (connection.kind === 'postgres') {
    const { Queue } = withBackend(createPostgresBackend);
    // BullMQ declares a separate pool type, with a function that checks it.
    assert(isPgPool(connection.pool));
    return new Queue<null>(serverName, { connection: connection.pool });
  }
  const { Queue } = withBackend(createRedisBackend);
  return new Queue<null>(serverName, { connection: connection.redis });
}

/** Opens one queue and creates missing tables first. */
export async function openBullQueue(
  serverName: string,
  connection: QueueConnection,
  log: Log,
): Promise<ReturnType<typeof newQueue>> {
  await prepareQueueTables(connection);
  const queue = newQueue(serverName, connection);
  queue.on('error', warnThrottled(log.child({ queue: serverName }), 'the queue failed'));
  try {
    await queue.waitUntilReady();
    return queue;
  } catch (error) {
    // BullMQ caches a failed first connection, so the next call creates a new queue.
    queue.close().catch(() => undefined);
    throw error;
  }
}
