/** Runs the transaction of a write, again when it met another that stood in its way. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ChangeJournal, Note } from '#core/changes/journal.ts';
import type { Client, Pool } from '#core/database/pool.ts';

/** PostgreSQL broke the transaction off so that another could go on: 40P01 deadlock, 40001. */
const CONFLICTS = new Set(['40P01', '40001']);
const MAX_ATTEMPTS = 8;
/** Longest pause (ms) before the second attempt; it grows with each further one. */
const PAUSE_MS = 20;

/** Commits what `work` does and tells of the changes that it notes, or nothing of either. */
export async function persist<T>(
  journal: ChangeJournal,
  pool: Pool,
  work: (client: Client, note: Note) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await journal.transaction(pool, work);
    } catch (error) {
      const isConflict = error instanceof pg.DatabaseError && CONFLICTS.has(error.code ?? '');
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error;
    }
    await sleep(Math.random() * PAUSE_MS * attempt);
  }
}
