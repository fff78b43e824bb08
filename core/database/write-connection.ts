/** Finds connections for writes of one round trip, which leave nothing behind. */
import { type Client, withConnection } from './pool.ts';
import type { PoolShares } from './pool-shares.ts';
import type { Reader } from './reader.ts';

/** Rows that may be written on a pipelined connection: it is soon wanted by whoever reads. */
const MAX_ROWS = 100;

/** Runs some work on a connection, which it has until the work has settled. */
export type OnConnection = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

export interface WriteConnections {
  readonly shares: PoolShares;
  readonly reader: Pick<Reader, 'borrow'>;
}

/** A write that is one implicit transaction. */
export interface ShortWrite {
  /** The table that it writes to first. */
  readonly table: string;
  /** How many rows it writes. */
  readonly rows: number;
  /** It touches rows that others may have locked. */
  readonly waitsForLocks: boolean;
}

/**
 * Takes connections of the pool and, while there is none for this table and nobody reads, pipelined
 * ones: most of its time a short write waits for its COMMIT to reach the disk, where others can join
 * it. One that may wait for locks would hold up those behind it, and takes the pool.
 */
export function connectionFor(
  { shares, reader }: WriteConnections,
  { table, rows, waitsForLocks }: ShortWrite,
): OnConnection {
  return async (work) => {
    const isShort = rows <= MAX_ROWS && !waitsForLocks;
    const borrowed = isShort && !shares.hasRoomFor(table) ? reader.borrow() : null;
    if (borrowed === null) return await withConnection(shares.writesTo(table), work);
    try {
      const result = await work(borrowed.client);
      borrowed.giveBack();
      return result;
    } catch (error) {
      borrowed.giveBack(error);
      throw error;
    }
  };
}
