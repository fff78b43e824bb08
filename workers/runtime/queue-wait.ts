/**
 * Limits how long a worker waits for jobs of a queue on PostgreSQL. BullMQ listens on one
 * connection, and queries for jobs once on another. Then it may wait for an hour. It does not
 * detect the loss of the first connection when it begins to listen. Nor does it detect the loss of
 * the second during its query. So this file ends its wait.
 */
import { createPostgresBackend, type IQueueBackend } from 'bullmq';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { whenReachable } from '#core/database/reachable.ts';

/**
 * Maximum wait in seconds, as on Redis, because a connection that was never opened reports no loss.
 */
const WAIT_S = 10;

/** BullMQ's backend for PostgreSQL with short waits. */
export const createWaitingBackend: typeof createPostgresBackend = (...args) =>
  Object.defineProperty(createPostgresBackend(...args), 'maximumBlockTimeout', { value: WAIT_S });

/**
 * Ends the wait of a worker after each loss of a connection of its queue, once the server responds
 * again. The worker then queries for jobs, and listens on a new connection.
 * @param stop aborted when the worker stops, which ends this function's work
 */
export function endWaitAfterLoss(
  backend: Pick<IQueueBackend, 'disconnectBlocking' | 'reconnectBlocking'>,
  { pool, log, stop }: { readonly pool: Pool; readonly log: Log; readonly stop: AbortSignal },
): void {
  let isLost = false;
  let isEnding = false;
  const end = async () => {
    isLost = true;
    if (isEnding) return;
    isEnding = true;
    try {
      while (isLost) {
        isLost = false;
        await whenReachable(log, () => pool.query('SELECT 1'), stop);
        if (stop.aborted) return;
        await backend.disconnectBlocking();
        await backend.reconnectBlocking();
      }
    } catch (error) {
      if (!stop.aborted) log.warn({ err: error }, 'could not check the queue again');
    } finally {
      isEnding = false;
    }
  };
  pool.on('remove', end);
  stop.addEventListener('abort', () => pool.off('remove', end), { once: true });
}
