/** One pipelined connection: its running statements, and whether another one may follow. */
import type { Socket } from 'node:net';
import type pg from 'pg';
import type { PendingRead } from './pending-read.ts';

/** The maximum number of statements on one connection; further ones use the pool. */
const MAX_IN_FLIGHT = 64;
/** The maximum number of queued writes on one connection. */
const MAX_WRITES = 4;
/** A write that takes longer than this (ms) may wait for a lock: no write may follow it. */
const STUCK_MS = 20;
/**
 * The maximum delay (ms) of a cancellation's effect: a read hit by it runs again, a write cannot.
 */
const STRIKE_MS = 1_000;
/**
 * No statement follows a read that exceeds its expected time by this factor, and this time (ms).
 */
const OVERDUE_FACTOR = 4;
const OVERDUE_MS = 20;
/**
 * A read with followers is cancelled when it takes longer (ms), and exceeds the average of this
 * connection by the factor: when everything is slow, no read is cancelled.
 */
export const CUT_MS = 250;
const CUT_FACTOR = 16;
/** The average is over about this number of reads. */
const AVERAGED = 16;
/** Pause (ms) before a cancellation is sent again, because it may have overtaken its statement. */
const AGAIN_MS = 200;
/** The maximum lock wait (ms) of a read; then it runs again as one that waits for locks. */
export const LOCK_MS = 50;

/** Why a read runs again on the pool. */
export type Moved = 'lock' | 'slow' | 'struck';

/** One read on a pipelined connection. */
export interface PipelinedRead {
  readonly pending: PendingRead;
  /** Its expected time (ms). */
  readonly time: number;
  /** It was cancelled because other reads wait behind it. */
  cut: boolean;
  /** A cancellation, or closing the connection, was perhaps meant for another read. */
  disturbed: boolean;
  /** Runs it again on the pool, without waiting for its result here. */
  readonly move: (reason: Moved) => void;
}

export class PipelinedConnection {
  readonly client: pg.Client;
  readonly isPooled: boolean;
  readonly prepared = new Set<string>();
  /** In PostgreSQL's execution order. */
  readonly reads: PipelinedRead[] = [];
  cancelling = false;
  readonly #socket: Socket;
  #corked = false;
  /** The number of running writes; there are no reads on it meanwhile. */
  #writes = 0;
  /** When the current first write became the first. */
  #wroteSince = 0;
  #waitsForLocks = false;
  /** The total expected time of the reads (ms). */
  #load = 0;
  /** When the current first read became the first. */
  #since = 0;
  /** When the last cancellation was sent, and the first one for the running read. */
  #cancelled = Number.NEGATIVE_INFINITY;
  #firstCancelled: number | null = null;
  /** The average time of reads (ms). */
  #average = 0;

  /**
   * @param isPooled a pooler shares the session between transactions: its settings are not changed,
   * and reads that wait for a lock are cancelled instead
   */
  constructor(client: pg.Client, socket: Socket, isPooled: boolean) {
    this.client = client;
    this.isPooled = isPooled;
    this.#socket = socket;
  }

  /** The total expected time of its reads in milliseconds. */
  get load(): number {
    return this.#load;
  }

  get isIdle(): boolean {
    return this.#writes === 0 && this.reads.length === 0;
  }

  /** Whether a read may follow the current statements. */
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
   * @param returned when the last write on any of the connections returned
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

  /** The first read, if it blocks other reads for too long or no client waits for it any more. */
  overdue(abandonedAfter: number): PipelinedRead | null {
    const [first] = this.reads;
    if (!first || this.cancelling || performance.now() - this.#cancelled < AGAIN_MS) return null;
    const time = this.#time();
    if (first.pending.isGone) return time < abandonedAfter ? null : first;
    const most = Math.max(CUT_MS, CUT_FACTOR * this.#average);
    return this.reads.length > 1 && time > most ? first : null;
  }

  /** How long ago the first ignored cancellation of the first read was sent (ms); 0 without one. */
  get unheeded(): number {
    const since = this.#firstCancelled;
    return since === null || this.reads.length === 0 ? 0 : performance.now() - since;
  }

  /** Records the start of a cancellation, which may hit any of the reads. */
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

  /** @param waitsForLocks without a limit; else no longer than a read */
  beginWrite(waitsForLocks: boolean): void {
    this.#writes += 1;
    if (this.#writes === 1) this.#wroteSince = performance.now();
    this.#boundLocks(waitsForLocks);
  }

  /** Later statements wait for locks without a limit, or at most LOCK_MS. */
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

  /** Statements of the same turn of the event loop are sent in one system call. */
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
