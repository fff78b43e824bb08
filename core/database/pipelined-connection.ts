/** One pipelined connection: what runs on it, and whether another statement should follow. */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { PendingRead } from './pending-read.ts';

/** Statements on one connection at a time; past it the pool takes over. */
const MAX_IN_FLIGHT = 64;
/** Writes on one connection at a time, each behind the other. */
const MAX_WRITES = 4;
/** A write that takes longer than this (ms) may wait for a lock: no more follow it. */
const STUCK_MS = 20;
/** A cancellation may strike so much later (ms): a read is asked again then, a write is not. */
const STRIKE_MS = 1_000;
/** Nothing follows a read that takes so many times what was expected, and so long (ms). */
const OVERDUE_FACTOR = 4;
const OVERDUE_MS = 20;
/**
 * A read that others wait behind is cut when it takes longer (ms), or that many times what reads on
 * the same connection take on average: while everything is slow, nothing is cut.
 */
export const CUT_MS = 250;
const CUT_FACTOR = 16;
/** The average is over about so many reads. */
const AVERAGED = 16;
/** Pause (ms) before a cancellation is sent again, which may have overtaken its statement. */
const AGAIN_MS = 200;
/** Longest wait (ms) of a read for a lock; then it is asked again as one that waits for locks. */
export const LOCK_MS = 50;

/** Why a read is asked again on the pool. */
export type Moved = 'lock' | 'slow' | 'struck';

/** One read on a pipelined connection. */
export interface PipelinedRead {
  readonly pending: PendingRead;
  /** How long it is expected to take (ms). */
  readonly time: number;
  /** It was cancelled because others wait behind it. */
  cut: boolean;
  /** A cancellation was sent, or the connection was given up, that may have been for another one. */
  disturbed: boolean;
  /** Asks it again on the pool, without waiting for what becomes of it here. */
  readonly move: (reason: Moved) => void;
}

export class PipelinedConnection {
  readonly client: pg.Client;
  readonly isPooled: boolean;
  readonly prepared = new Set<string>();
  /** In the order in which PostgreSQL runs them. */
  readonly reads: PipelinedRead[] = [];
  cancelling = false;
  readonly #socket: Socket;
  #corked = false;
  /** How many writes run on it; nothing is read on it meanwhile. */
  #writes = 0;
  /** When the first of them became the first. */
  #wroteSince = 0;
  #waitsForLocks = false;
  /** How long the reads are expected to take together (ms). */
  #load = 0;
  /** When the first of them became the first. */
  #since = 0;
  /** When the last cancellation was sent, and the first one for the read that runs. */
  #cancelled = Number.NEGATIVE_INFINITY;
  #firstCancelled: number | null = null;
  /** How long reads take on average (ms). */
  #average = 0;

  /**
   * @param isPooled a pooler gives the session to others between two transactions: no setting of it is
   *   changed, and reads that wait for a lock are cut instead
   */
  constructor(client: pg.Client, socket: Socket, isPooled: boolean) {
    this.client = client;
    this.isPooled = isPooled;
    this.#socket = socket;
  }

  /** Milliseconds that the reads on it are expected to take. */
  get load(): number {
    return this.#load;
  }

  get isIdle(): boolean {
    return this.#writes === 0 && this.reads.length === 0;
  }

  /** Whether a read may follow what is on it. */
  get takesReads(): boolean {
    const [first] = this.reads;
    if (this.#writes > 0 || this.reads.length >= MAX_IN_FLIGHT) return false;
    return !first || this.#time() <= Math.max(OVERDUE_MS, OVERDUE_FACTOR * first.time);
  }

  /** A write on it may wait for a lock. */
  get isStuck(): boolean {
    return this.#writes > 0 && performance.now() - this.#wroteSince > STUCK_MS;
  }

  get writes(): number {
    return this.#writes;
  }

  /**
   * Whether a write may run on it, or behind another one.
   * @param returned when one came back last, on any of the connections
   */
  takesWrites(returned: number): boolean {
    const now = performance.now();
    if (this.cancelling || now - this.#cancelled < STRIKE_MS) return false;
    return this.#writes < (now - returned < STUCK_MS ? MAX_WRITES : 1);
  }

  /** How long the first read has been running (ms). */
  #time(): number {
    return performance.now() - this.#since;
  }

  /** The first read, if it holds up others for too long or nobody waits for it any more. */
  overdue(abandonedAfter: number): PipelinedRead | null {
    const [first] = this.reads;
    if (!first || this.cancelling || performance.now() - this.#cancelled < AGAIN_MS) return null;
    const time = this.#time();
    if (first.pending.isGone) return time < abandonedAfter ? null : first;
    const most = Math.max(CUT_MS, CUT_FACTOR * this.#average);
    return this.reads.length > 1 && time > most ? first : null;
  }

  /** How long ago a cancellation was sent that the first read does not heed (ms); 0 for none. */
  get unheeded(): number {
    const since = this.#firstCancelled;
    return since === null || this.reads.length === 0 ? 0 : performance.now() - since;
  }

  /** Notes that a cancellation begins, which may strike any of the reads. */
  beginCancel(): void {
    this.cancelling = true;
    for (const read of this.reads) read.disturbed = true;
  }

  endCancel(): void {
    this.cancelling = false;
    this.#cancelled = performance.now();
    this.#firstCancelled ??= this.#cancelled;
  }

  begin(read: PipelinedRead, name: string): void {
    if (this.reads.push(read) === 1) this.#since = performance.now();
    this.#load += read.time;
    if (name !== '') this.prepared.add(name);
    this.#boundLocks(false);
  }

  /** @returns how long it took PostgreSQL (ms) */
  end(read: PipelinedRead): number {
    const now = performance.now();
    const time = now - this.#since;
    this.#since = now;
    this.#firstCancelled = null;
    this.#average += (time - this.#average) / AVERAGED;
    this.reads.splice(this.reads.indexOf(read), 1);
    this.#load = this.reads.length === 0 ? 0 : this.#load - read.time;
    return time;
  }

  /** @param waitsForLocks as long as it must; else no longer than a read */
  beginWrite(waitsForLocks: boolean): void {
    this.#writes += 1;
    if (this.#writes === 1) this.#wroteSince = performance.now();
    this.#boundLocks(waitsForLocks);
  }

  /** What is sent from now on waits for locks as long as it must, or no longer than LOCK_MS. */
  #boundLocks(waits: boolean): void {
    if (this.isPooled || this.#waitsForLocks === waits) return;
    this.#waitsForLocks = waits;
    this.client.query(`SET lock_timeout = ${waits ? 0 : LOCK_MS}`).catch(() => undefined);
  }

  endWrite(): void {
    this.#writes -= 1;
    this.#wroteSince = performance.now();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Statements of the same turn of the event loop leave in one system call. */
  cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#corked = false;
      this.#socket.uncork();
    });
  }
}
