/** Runs the transaction of a write, and repeats it after a conflict with another one. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SQLSTATE } from '#core/database/sqlstate.ts';

/** PostgreSQL aborted the transaction so that another could continue: 40P01 deadlock, 40001. */
const CONFLICTS = new Set<string>([SQLSTATE.deadlockDetected, SQLSTATE.serializationFailure]);
const MAX_ATTEMPTS = 8;
/** Maximum pause (ms) before the second attempt; it grows with each further one. */
const PAUSE_MS = 20;

/** Runs `attempt` until it does not conflict with another transaction, a few times at most. */
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
