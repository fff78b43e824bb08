/**
 * Holds a few pipelined connections for quick reads. Reads that turn out to be slow move to the
 * pool. While there are no reads, short writes may run on some of the connections.
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

/** Prepared statements of one connection; above this number a new connection replaces it. */
const MAX_PREPARED = 2_000;
/** How often (ms) reads without a waiting client, or with too many followers, are detected. */
const TICK_MS = 50;
/** A tick with this delay (ms) is ignored: received answers may be unprocessed. */
const LATE_MS = 100;
/**
 * A read without a waiting client is not cancelled for this time (ms), because most end by
 * themselves.
 */
const ABANDONED_MS = 100;
/** A backend that ignores a cancellation for this time (ms) is abandoned. */
const HEED_MS = 1_000;
const RECONNECT_MS = 500;

/** SQLSTATEs of a read that waited too long for a lock, or was in a deadlock. */
const WAITED = new Set<string>([SQLSTATE.lockNotAvailable, SQLSTATE.deadlockDetected]);

export interface PipelinePoolOptions {
  readonly url: string;
  readonly name: string;
  readonly log: Log;
  /** The number of connections; 0 for none. */
  readonly size: number;
  /** Milliseconds; 0 for none. */
  readonly statementTimeout: number;
}

/** A statement that connections prepare under a name. */
export interface Prepared {
  readonly name: string;
  readonly statement: Statement;
  /** Its expected time (ms). */
  readonly time: number;
}

/** The result of a read. */
export type Outcome =
  | { readonly kind: 'answered'; readonly value: ValueBytes | null; readonly time: number }
  | { readonly kind: 'moved'; readonly reason: Moved };

/** A connection lent to a write. */
export interface BorrowedConnection {
  readonly client: Client;
  /** @param error the error of the failed write */
  giveBack(error?: unknown): void;
}

export class PipelinePool {
  readonly #options: PipelinePoolOptions;
  readonly #connections: (PipelinedConnection | null)[];
  /** Connections whose backends ignore a cancellation. */
  readonly #unresponsive = new Set<PipelinedConnection>();
  readonly #watchdog: Watchdog;
  /** When a write last returned a connection. */
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

  /** The number of backends that still run their statement after its cancellation. */
  get unresponsive(): number {
    return this.#unresponsive.size;
  }

  /** Opens the connections; those that fail are tried again in the background. */
  async open(): Promise<void> {
    this.#ticked = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    await Promise.all(this.#connections.map((_, index) => this.#connect(index)));
  }

  /** Reports the connections as metrics, under the pool name that PostgreSQL shows. */
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
    // Statements behind the first one of a connection wait for it.
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

  /** The connection that will probably start a quick read first; null without one. */
  forQuick(): PipelinedConnection | null {
    let best: PipelinedConnection | null = null;
    for (const connection of this.#connections) {
      if (!connection?.takesReads) continue;
      if (connection.load < (best?.load ?? Number.POSITIVE_INFINITY)) best = connection;
    }
    return best;
  }

  /** An idle connection for a long read; another one stays free for quick reads. */
  forLong(): PipelinedConnection | null {
    const [kept, spare] = this.#connections.filter(isFree);
    return kept && spare ? spare : null;
  }

  /**
   * Sends an empty statement on an idle connection.
   * @returns how long it took (ms); null without an idle connection, or when it failed
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
   * Lends a connection to a write of one round trip. Other writes may queue behind it while writes
   * return quickly. One connection stays free for new reads. Null during reads, while a write is
   * stuck, and without a spare connection.
   * @param waitsForLocks it waits for locks without a limit, because it is not retried elsewhere
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

  /** After a read: closes a connection that is no longer usable. */
  #tidy(connection: PipelinedConnection, error: Error | null): void {
    if (this.#unresponsive.has(connection)) connection.destroy();
    else if (connection.prepared.size > MAX_PREPARED) this.#retire(connection);
    if (isFatal(error)) this.#drop(connection);
  }

  /**
   * Cancels reads without a waiting client, or with too many followers. A cancellation addresses
   * only the connection: a late one hits the next read, which is then run again.
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

  /** Abandons a backend that ignores a cancellation: the reads behind it run again elsewhere. */
  #forsake(connection: PipelinedConnection): void {
    this.#unresponsive.add(connection);
    connection.client.on('end', () => this.#unresponsive.delete(connection));
    for (const read of connection.reads.slice(1)) read.move('struck');
    this.#replace(connection);
  }

  /** Replaces a connection with too many prepared statements. */
  #retire(connection: PipelinedConnection): void {
    if (this.#replace(connection)) connection.client.end().catch(() => undefined);
  }

  /** Drops a connection that the server is about to close: nothing more is sent on it. */
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
    this.#options.log.warn({ err: error }, 'lost a database connection');
    // The error belongs to the first read; the other reads run again.
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
      client.on('end', () =>
        this.#lost(index, client, new Error('the server closed the connection')),
      );
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
        log.warn({ err: error }, 'the database is unreachable');
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

/** Why a failed read must run again; null when the failure is its own. */
function reasonToMove(read: PipelinedRead, error: unknown): Moved | null {
  if (read.pending.isGone) return null;
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (WAITED.has(code ?? '')) return 'lock';
  if (code === SQLSTATE.queryCanceled && read.cut) return 'slow';
  const isForeign = code === SQLSTATE.queryCanceled || error instanceof BrokenConnectionError;
  return read.disturbed && isForeign ? 'struck' : null;
}
