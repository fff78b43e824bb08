/** Finds connections for writes of one round trip, which leave no session state. */
import type { BorrowedConnection } from './pipeline-pool.ts';
import { type Client, withConnection } from './pool.ts';
import type { PoolShares } from './pool-shares.ts';
import type { Reader } from './reader.ts';

/** The maximum number of rows for a write on a pipelined connection, which reads may soon need. */
const MAX_ROWS = 100;

/** Runs work on a connection, which is reserved until the work has settled. */
export type OnConnection = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

export interface WriteConnections {
  readonly shares: PoolShares;
  readonly reader: Pick<Reader, 'borrow'>;
}

/** A write that is one implicit transaction. */
export interface ShortWrite {
  /** The first table that it writes to. */
  readonly table: string;
  /** The number of rows that it writes. */
  readonly rows: number;
  /** The user, or the address, that it runs for; null for the process itself. */
  readonly holder: string | null;
  /** It touches rows that other transactions may have locked. */
  readonly waitsForLocks: boolean;
}

/**
 * A pipelined connection, while the pool has none for this table and there are no reads. A short
 * write mostly waits for its COMMIT to be flushed to disk, and other commits can join that flush.
 * Null without a spare connection. Use it for writes that do not wait for locks, because later
 * statements would wait behind them.
 * @param waitsForLocks it may wait for a lock without a limit; else it fails after LOCK_MS
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

/** Uses pool connections, and spare ones for writes that do not wait for locks. */
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
