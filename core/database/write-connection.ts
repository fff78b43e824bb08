/** Finds connections for writes of one round trip, which leave nothing behind. */
import type { BorrowedConnection } from './pipeline-pool.ts';
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
  /** The user, or the address, for whom it is; null for the process itself. */
  readonly holder: string | null;
  /** It touches rows that others may have locked. */
  readonly waitsForLocks: boolean;
}

/**
 * A pipelined connection, while the pool has none for this table and nobody reads: most of its time a
 * short write waits for its COMMIT to reach the disk, where others can join it. Null when there is none
 * to spare. It is for writes that wait for nobody: others would hold up those behind them.
 * @param waitsForLocks should it have to wait all the same, it does; else it fails after LOCK_MS
 */
export function spareConnection(
  { shares, reader }: WriteConnections,
  { table, rows }: Pick<ShortWrite, 'table' | 'rows'>,
  waitsForLocks: boolean,
): OnConnection | null {
  const isWanted = rows <= MAX_ROWS && !shares.hasRoomFor(table);
  const borrowed = isWanted ? reader.borrow(waitsForLocks) : null;
  return borrowed && ((work) => lend(borrowed, work));
}

async function lend<T>(
  { client, giveBack }: BorrowedConnection,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(client);
    giveBack();
    return result;
  } catch (error) {
    giveBack(error);
    throw error;
  }
}

/** Takes connections of the pool, and spare ones for what waits for nobody. */
export function connectionFor(
  connections: WriteConnections,
  { table, rows, holder, waitsForLocks }: ShortWrite,
): OnConnection {
  const { shares } = connections;
  return (work) => {
    const spare = waitsForLocks ? null : spareConnection(connections, { table, rows }, true);
    return spare === null ? withConnection(shares.writesTo(table, holder), work) : spare(work);
  };
}
