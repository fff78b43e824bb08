/** Lends connections to writes of one round trip, which leave nothing behind. */
import { type Client, lend, type Pool } from './pool.ts';
import type { Reader } from './reader.ts';

/** Rows that a borrower may write: it shall not keep long what somebody may want to read from. */
const MAX_ROWS = 100;

/** Lends a connection to some work until that has settled. */
export type Lend = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

/** Whether the next who asks would wait. */
function isTaken(pool: Pool): boolean {
  const free = pool.idleCount + pool.options.max - pool.totalCount;
  return free <= pool.waitingCount;
}

/**
 * Lends connections of the pool and, while all of those are taken and nobody reads, of the reader:
 * most of its time a short write waits for its COMMIT to reach the disk, where others can join it.
 * @param rows how many the work writes
 */
export function lender(pool: Pool, reader: Pick<Reader, 'borrow'>, rows: number): Lend {
  return async (work) => {
    const borrowed = rows <= MAX_ROWS && isTaken(pool) ? reader.borrow() : null;
    if (borrowed === null) return await lend(pool, work);
    try {
      return await work(borrowed.client);
    } finally {
      borrowed.giveBack();
    }
  };
}
