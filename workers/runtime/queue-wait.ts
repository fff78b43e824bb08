/**
 * How a worker waits for jobs of a queue on PostgreSQL. BullMQ listens on one connection, and looks for
 * jobs on another one when it begins to; then it may wait for an hour. When the first ends just as it
 * begins to listen, or the second under its question, BullMQ does not notice. So its wait ends here.
 */
import { createPostgresBackend, type IQueueBackend } from 'bullmq';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { whenReachable } from '#core/database/reachable.ts';

/** Longest wait in seconds, as on Redis: what could not connect at all is not told. */
const WAIT_S = 10;

/** BullMQ's backend for PostgreSQL with short waits. */
export const createWaitingBackend: typeof createPostgresBackend = (...args) =>
  Object.defineProperty(createPostgresBackend(...args), 'maximumBlockTimeout', { value: WAIT_S });

/**
 * Ends the wait of a worker each time that a connection of its queue was lost, as soon as the server
 * answers again: then it looks for jobs, and listens on a new connection.
 * @param stop the worker stops, and waits no more
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
      if (!stop.aborted) log.warn({ err: error }, 'the queue could not be looked at again');
    } finally {
      isEnding = false;
    }
  };
  pool.on('remove', end);
  stop.addEventListener('abort', () => pool.off('remove', end), { once: true });
}
