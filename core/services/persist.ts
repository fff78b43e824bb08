/** Runs the transaction of a write, again when it met another that stood in its way. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Client, type Pool, transaction } from '#core/database/pool.ts';

/** PostgreSQL broke the transaction off so that another could go on: 40P01 deadlock, 40001. */
const CONFLICTS = new Set(['40P01', '40001']);
const MAX_ATTEMPTS = 8;
/** Longest pause (ms) before the second attempt; it grows with each further one. */
const PAUSE_MS = 20;

/** Commits what `work` does, or nothing of it. */
export async function persist<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(pool, work);
    } catch (error) {
      const isConflict = error instanceof pg.DatabaseError && CONFLICTS.has(error.code ?? '');
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
    await sleep(Math.random() * PAUSE_MS * attempt);
  }
}
