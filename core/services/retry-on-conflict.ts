/** Runs the transaction of a write, again when it met another that stood in its way. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** PostgreSQL broke the transaction off so that another could go on: 40P01 deadlock, 40001. */
const CONFLICTS = new Set(['40P01', '40001']);
const MAX_ATTEMPTS = 8;
/** Longest pause (ms) before the second attempt; it grows with each further one. */
const PAUSE_MS = 20;

/** Runs `attempt` until nobody else's transaction stands in its way, a few times at most. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isConflict = error instanceof pg.DatabaseError && CONFLICTS.has(error.code ?? '');
      if (!isConflict || count === MAX_ATTEMPTS) throw error;
    }
    await sleep(Math.random() * PAUSE_MS * count);
  }
}
