/**
 * What is made with the queue library itself, which costs 0.2 s and 80 MB to load: this module is
 * imported when a queue is first used, because an edge that takes no job should not pay for it.
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
import type { Log } from '#core/log/log.ts';
import { warnThrottled } from '#core/log/throttled-warning.ts';
import type { BullQueue } from './bull-job-queue.ts';
import { QUEUE_SCHEMA, type QueueConnection } from './connection.ts';

/**
 * Makes the queue's tables in PostgreSQL, or brings them up to date; one read when there is
 * nothing to do. On Redis there is nothing to make. The role needs CREATE on the database the
 * first time.
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

function newQueue(serverName: string, connection: QueueConnection): BullQueue {
  if (connection.kind === 'postgres') {
    const { Queue } = withBackend(createPostgresBackend);
    // The library describes a pool by a type of its own, and has the test for it.
    assert(isPgPool(connection.pool));
    return new Queue<null>(serverName, { connection: connection.pool });
  }
  const { Queue } = withBackend(createRedisBackend);
  return new Queue<null>(serverName, { connection: connection.redis });
}

/** Opens one queue; makes the queue's tables first when they are missing. */
export async function openBullQueue(
  serverName: string,
  connection: QueueConnection,
  log: Log,
): Promise<BullQueue> {
  await prepareQueueTables(connection);
  const queue = newQueue(serverName, connection);
  queue.on('error', warnThrottled(log.child({ queue: serverName }), 'the queue failed'));
  try {
    await queue.waitUntilReady();
    return queue;
  } catch (error) {
    // The library keeps a failed first connection for good, so the next call makes a new queue.
    queue.close().catch(() => undefined);
    throw error;
  }
}
