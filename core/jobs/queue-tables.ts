/** The queue's own tables in PostgreSQL: made and brought up to date by the queue library. */
import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import { QUEUE_SCHEMA, type QueueConnection } from './connection.ts';

/**
 * Makes the tables, or brings them up to date; one read when there is nothing to do. On Redis
 * there is nothing to make. The role needs CREATE on the database the first time.
 */
export async function prepareQueueTables(connection: QueueConnection): Promise<void> {
  if (connection.kind === 'redis') return;
  const client = await connection.pool.connect();
  try {
    const version = await assertSchemaCompatibility(client, QUEUE_SCHEMA).catch(
      (error: unknown) => {
        if (error instanceof SchemaMigrationRequiredError) return 0;
        throw error;
      },
    );
    if (version < LATEST_SCHEMA_VERSION) await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    client.release();
  }
}
