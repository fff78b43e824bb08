/**
 * Keeps a few pipelined connections for reads that are quick. Those that turn out not to be are asked
 * again on the pool. While nobody reads, short writes may run on some of them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { cancelStatement } from './cancel.ts';
import { BrokenConnectionError, guardedClient, KEEP_ALIVE_MS } from './client.ts';
import type { PendingRead } from './pending-read.ts';
import {
  LOCK_MS,
  type Moved,
  PipelinedConnection,
  type PipelinedRead,
} from './pipelined-connection.ts';
import { type Client, isStatementError, sessionSettings } from './pool.ts';
import { isBehindPooler } from './probe.ts';
import { directSocket } from './row-protocol-reader.ts';
import type { Statement } from './sql.ts';
import { SQLSTATE } from './sqlstate.ts';
import type { ValueBytes } from './value-bytes.ts';
import { ValueQuery } from './value-query.ts';
import { Watchdog } from './watchdog.ts';

/** Prepared statements of one connection; past it the connection is replaced by a fresh one. */
const MAX_PREPARED = 2_000;
/** How often (ms) it is looked for reads that nobody waits for, or too many. */
const TICK_MS = 50;
/** A tick that is so late (ms) tells nothing: answers may have come in that were not read yet. */
const LATE_MS = 100;
/** A read that nobody waits for is left alone for so long (ms): most end by themselves. */
const ABANDONED_MS = 100;
/** A backend that does not heed a cancellation within so long (ms) is left to itself. */
const HEED_MS = 1_000;
const RECONNECT_MS = 500;

/** SQLSTATEs of a read that waited for a lock for too long, or in a deadlock. */
const WAITED = new Set<string>([SQLSTATE.lockNotAvailable, SQLSTATE.deadlockDetected]);

export interface PipelinePoolOptions {
  readonly url: string;
  readonly name: string;
  readonly log: Log;
  /** Connections; 0 for none. */
  readonly size: number;
  /** Milliseconds; 0 for none. */
  readonly statementTimeout: number;
}

/** A statement that connections know by a name. */
export interface Prepared {
  readonly name: string;
  readonly statement: Statement;
  /** How long it is expected to take (ms). */
  readonly time: number;
}

/** What became of a read. */
export type Outcome =
  | { readonly kind: 'answered'; readonly value: ValueBytes | null; readonly time: number }
  | { readonly kind: 'moved'; readonly reason: Moved };

/** A connection that a write has for a while. */
export interface BorrowedConnection {
  readonly client: Client;
  /** @param error the one with which the write failed */
  giveBack(error?: unknown): void;
}

export class PipelinePool {
  readonly #options: PipelinePoolOptions;
  readonly #connections: (PipelinedConnection | null)[];
  /** Their backends do not heed a cancellation. */
  readonly #unresponsive = new Set<PipelinedConnection>();
  readonly #watchdog: Watchdog;
  /** When a connection came back from a write. */
  #returned = Number.NEGATIVE_INFINITY;
  #closed = false;
  #ticked = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PipelinePoolOptions) {
    this.#options = options;
    this.#connections = Array<PipelinedConnection | null>(options.size).fill(null);
    this.#watchdog = new Watchdog(options);
    this.#measure();
  }

  /** Backends that were asked to end their statement and still run it. */
  get unresponsive(): number {
    return this.#unresponsive.size;
  }

  /** Opens the connections; those that fail are tried again in the background. */
  async open(): Promise<void> {
    this.#ticked = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    await Promise.all(this.#connections.map((_, index) => this.#connect(index)));
  }

  /** Makes the connections visible, under the name of the pool that PostgreSQL shows. */
  #measure(): void {
    const labels = { pool: `${this.#options.name} pages` };
    const open = () => this.#connections.filter((connection) => connection !== null);
    metrics.reading('sluice_database_connections', () => {
      const idle = open().filter(({ isIdle }) => isIdle).length;
      return [
        [{ ...labels, state: 'used' }, open().length - idle],
        [{ ...labels, state: 'idle' }, idle],
      ];
    });
    metrics.reading('sluice_database_connections_max', () => [[labels, this.#connections.length]]);
    // What is behind the first of a connection waits for it.
    metrics.reading('sluice_database_waiting', () => {
      const behind = ({ reads, writes }: PipelinedConnection) => reads.length + writes - 1;
      return [[labels, open().reduce((sum, one) => sum + Math.max(0, behind(one)), 0)]];
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const connection of this.#unresponsive) connection.destroy();
    const ended = this.#connections.map((connection) => connection?.client.end());
    await Promise.allSettled(ended);
  }

  /** The connection that is likely to come to a quick read first; null for none. */
  forQuick(): PipelinedConnection | null {
    let best: PipelinedConnection | null = null;
    for (const connection of this.#connections) {
      if (!connection?.takesReads) continue;
      if (connection.load < (best?.load ?? Number.POSITIVE_INFINITY)) best = connection;
    }
    return best;
  }

  /** One on which nothing runs, for a read that takes long; another one is kept for quick reads. */
  forLong(): PipelinedConnection | null {
    const [kept, spare] = this.#connections.filter(isFree);
    return kept && spare ? spare : null;
  }

  /**
   * Sends an empty statement down a connection on which nothing runs.
   * @returns how long it took (ms); null when there is no such connection, or it broke
   */
  async probe(): Promise<number | null> {
    const connection = this.#connections.find(isFree);
    if (!connection) return null;
    const started = performance.now();
    try {
      await connection.client.query('');
    } catch {
      return null;
    }
    return performance.now() - started;
  }

  /** Runs a read; the promise rejects with the failure of the statement. */
  run(connection: PipelinedConnection, prepared: Prepared, pending: PendingRead): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const move = (reason: Moved) => resolve({ kind: 'moved', reason });
      const { cancelling: disturbed } = connection;
      const { name, statement, time: expected } = prepared;
      const read: PipelinedRead = { pending, time: expected, cut: false, disturbed, move };
      const query = new ValueQuery(name, statement, (error, value) => {
        const time = connection.end(read);
        this.#tidy(connection, error);
        if (error === null) return resolve({ kind: 'answered', value, time });
        const reason = reasonToMove(read, error);
        if (reason === null) reject(error);
        else move(reason);
      });
      connection.begin(read, name);
      connection.cork();
      connection.client.query(query);
    });
  }

  /**
   * Gives a connection to a write of one round trip, behind which others may be sent while writes
   * come back quickly; one is kept for whoever begins to read. Null while somebody reads or a write
   * is stuck, and when there is none to spare.
   * @param waitsForLocks it waits for locks as long as it must, because it is not tried elsewhere
   */
  borrow(waitsForLocks = true): BorrowedConnection | null {
    const [kept, ...others] = this.#connections;
    const isNeeded = (connection: PipelinedConnection | null) =>
      connection && (connection.reads.length > 0 || connection.isStuck);
    if (this.#closed || !kept || this.#connections.some(isNeeded)) return null;
    if (!waitsForLocks && kept.isPooled) return null;
    let best: PipelinedConnection | null = null;
    for (const connection of others) {
      if (!connection?.takesWrites(this.#returned)) continue;
      if (best === null || connection.writes < best.writes) best = connection;
    }
    return best && this.#lend(best, waitsForLocks);
  }

  #lend(connection: PipelinedConnection, waitsForLocks: boolean): BorrowedConnection {
    connection.cork();
    connection.beginWrite(waitsForLocks);
    return {
      client: connection.client,
      giveBack: (error) => {
        connection.endWrite();
        this.#returned = performance.now();
        if (isFatal(error)) this.#drop(connection);
      },
    };
  }

  /** After a read: gives up a connection that is of no use any more. */
  #tidy(connection: PipelinedConnection, error: Error | null): void {
    if (this.#unresponsive.has(connection)) connection.destroy();
    else if (connection.prepared.size > MAX_PREPARED) this.#retire(connection);
    if (isFatal(error)) this.#drop(connection);
  }

  /**
   * Ends reads that nobody waits for, or that too many wait behind. A cancellation names only the
   * connection: when it comes late it strikes the read behind, which is then asked again.
   */
  #tick(): void {
    const now = performance.now();
    const isLate = now - this.#ticked > TICK_MS + LATE_MS;
    this.#ticked = now;
    for (const connection of this.#connections) {
      if (!connection) continue;
      const overdue = connection.overdue(ABANDONED_MS);
      if (connection.unheeded > HEED_MS) this.#forsake(connection);
      else if (overdue?.pending.isGone || (overdue && !isLate)) this.#cancel(connection, overdue);
    }
  }

  #cancel(connection: PipelinedConnection, read: PipelinedRead): void {
    read.cut = true;
    connection.beginCancel();
    void cancelStatement(connection.client).then(() => connection.endCancel());
  }

  /** Leaves a backend alone that heeds no cancellation: what waits behind its read is asked again. */
  #forsake(connection: PipelinedConnection): void {
    this.#unresponsive.add(connection);
    connection.client.on('end', () => this.#unresponsive.delete(connection));
    for (const read of connection.reads.slice(1)) read.move('struck');
    this.#replace(connection);
  }

  /** Replaces a connection that holds too many prepared statements. */
  #retire(connection: PipelinedConnection): void {
    if (this.#replace(connection)) connection.client.end().catch(() => undefined);
  }

  /** Gives up a connection that the server is about to close: nothing more is sent on it. */
  #drop(connection: PipelinedConnection): void {
    for (const read of connection.reads) read.disturbed = true;
    if (this.#replace(connection)) connection.destroy();
  }

  #replace(connection: PipelinedConnection): boolean {
    const index = this.#connections.indexOf(connection);
    if (index < 0) return false;
    this.#connections[index] = null;
    void this.#connect(index);
    return true;
  }

  #lost(index: number, client: pg.Client, error: Error): void {
    const connection = this.#connections[index];
    if (this.#closed || connection?.client !== client) return;
    this.#options.log.warn({ err: error }, 'a database connection was lost');
    // What broke it was meant for the first; the others are asked again.
    for (const read of connection.reads.slice(1)) read.disturbed = true;
    this.#connections[index] = null;
    void this.#connect(index);
  }

  async #connect(index: number): Promise<void> {
    const { url, name, log, statementTimeout } = this.#options;
    const GuardedClient = guardedClient(log, { rowsAsBytesFrom: 0 });
    while (!this.#closed && this.#connections[index] === null) {
      const socket = directSocket();
      const client = new GuardedClient({
        connectionString: url,
        stream: () => socket,
        application_name: `sluice ${name} pages`,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        pipeline: true,
      });
      client.on('error', (error) => this.#lost(index, client, error));
      client.on('end', () => this.#lost(index, client, new Error('the server ended it')));
      try {
        await client.connect();
        this.#watchdog.add(client);
        await client.query(sessionSettings(statementTimeout));
        const isPooled = await isBehindPooler(client);
        if (!isPooled) await client.query(`SET lock_timeout = ${LOCK_MS}`);
        this.#connections[index] = new PipelinedConnection(client, socket, isPooled);
        if (this.#closed) await client.end();
        return;
      } catch (error) {
        log.warn({ err: error }, 'the database cannot be reached');
        client.end().catch(() => undefined);
        await delay(RECONNECT_MS, undefined, { ref: false });
      }
    }
  }
}

function isFree(connection: PipelinedConnection | null): boolean {
  return connection?.isIdle === true && !connection.cancelling;
}

/** Whether the server ends the connection after this error. */
function isFatal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isStatementError(error);
}

/** Why a read that failed is asked again; null when the failure is its own. */
function reasonToMove(read: PipelinedRead, error: unknown): Moved | null {
  if (read.pending.isGone) return null;
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (WAITED.has(code ?? '')) return 'lock';
  if (code === SQLSTATE.queryCanceled && read.cut) return 'slow';
  const isForeign = code === SQLSTATE.queryCanceled || error instanceof BrokenConnectionError;
  return read.disturbed && isForeign ? 'struck' : null;
}
