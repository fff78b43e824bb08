/**
 * Runs the statements of reads. A statement seen before is prepared under a name and sent down one
 * of a few pipelined connections, of which the first is for those that are quick; a new or slow one
 * takes a connection of the pool, so that it never holds up the short ones behind it. While nobody
 * reads, short writes may borrow some of them.
 */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { Log } from '#core/log/log.ts';
import { cancelStatement } from './cancel.ts';
import { BrokenConnectionError, guardedClient, KEEP_ALIVE_MS } from './client.ts';
import { type Line, lineFor, newLine, spareLine, type Turn } from './line.ts';
import { Loan } from './loan.ts';
import { type Client, isStatementError, type Pool, sessionSettings } from './pool.ts';
import type { Statement } from './sql.ts';
import type { StreamLimits } from './stream-slots.ts';
import { Streams } from './streams.ts';
import { Watchdog } from './watchdog.ts';

/** Statements whose shapes are remembered in one process. */
const MAX_SHAPES = 1_000;
/** Prepared statements of one connection; past it the connection is replaced by a fresh one. */
const MAX_PREPARED = 2_000;
/** A statement that takes PostgreSQL longer (ms) runs on the pool until it is faster again. */
const SLOW_MS = 250;
/**
 * On a pipelined connection these times are averages over about so many: on a busy machine a single
 * long one would send what is fast as a rule to the pool, where more run at once, and longer for it.
 */
const AVERAGED = 8;
/** How often it is looked for statements whose askers went away. */
const WATCH_MS = 100;
const RECONNECT_MS = 500;
/** SQLSTATE of a statement that was cancelled. */
const CANCELLED = '57014';

interface Shape {
  readonly name: string;
  seen: number;
  /** How long it takes PostgreSQL (ms). */
  time: number;
}

export interface ReaderOptions {
  readonly url: string;
  readonly name: string;
  readonly log: Log;
  readonly pool: Pool;
  /** Pipelined connections; 0 sends everything to the pool. */
  readonly lines: number;
  /** Milliseconds; 0 for none. */
  readonly statementTimeout: number;
  readonly streams: StreamLimits;
  /** STREAM_MAX_TIME, in milliseconds. */
  readonly streamMaxTime: number;
}

/** A connection that is lent. */
export interface Borrowed {
  readonly client: Client;
  giveBack(): void;
}

/** The first column of a row as text. */
type Row = [string | null];

function isCancelled(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === CANCELLED;
}

export class Reader {
  readonly #options: ReaderOptions;
  readonly #shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES });
  readonly #streams: Streams;
  readonly #lines: (Line | null)[];
  readonly #watchdog: Watchdog;
  #counter = 0;
  /** When a connection that was lent came back. */
  #returned = Number.NEGATIVE_INFINITY;
  #closed = false;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#streams = new Streams({
      pool: options.pool,
      statementTimeout: options.statementTimeout,
      maxTime: options.streamMaxTime,
      limits: options.streams,
    });
    this.#lines = Array<Line | null>(options.lines).fill(null);
    this.#watchdog = new Watchdog(options);
  }

  /** Opens the pipelined connections; those that fail are tried again in the background. */
  async open(): Promise<void> {
    this.#watch = setInterval(() => this.#cancelAbandoned(), WATCH_MS).unref();
    await Promise.all(this.#lines.map((_, index) => this.#connect(index)));
  }

  /**
   * Runs a statement that yields one text.
   * @param signal cancels the statement when it is aborted
   * @returns the first column of the first row; null when there is no row
   */
  async text(statement: Statement, signal?: AbortSignal): Promise<string | null> {
    const shape = this.#shapeOf(statement.text);
    const line = shape.seen > 1 && shape.time <= SLOW_MS ? lineFor(this.#lines, shape.time) : null;
    const row = line
      ? await this.#onLine(line, shape, statement, signal)
      : await this.#onPool(shape, statement, signal);
    return row?.[0] ?? null;
  }

  /** Runs a statement that yields one text a row, as {@link Streams.read} does. */
  stream(statement: Statement, holder: string, signal?: AbortSignal): AsyncGenerator<string[]> {
    return this.#streams.read(statement, holder, signal);
  }

  /**
   * Lends a pipelined connection for a write of one round trip, behind which others may stand while
   * writes come back quickly; one is kept for those who begin to read. Null while somebody reads or
   * a write is stuck, and when there is none to spare.
   */
  borrow(): Borrowed | null {
    const line = this.#closed ? null : spareLine(this.#lines, this.#returned);
    return line && this.#lend(line);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all(this.#lines.map((line) => line?.client.end().catch(() => undefined)));
  }

  #lend(line: Line): Borrowed {
    line.lent += 1;
    if (line.lent === 1) line.lentSince = performance.now();
    return {
      client: line.client,
      giveBack: () => {
        line.lent -= 1;
        line.lentSince = performance.now();
        this.#returned = line.lentSince;
      },
    };
  }

  #shapeOf(text: string): Shape {
    let shape = this.#shapes.get(text);
    if (shape === undefined) {
      this.#counter += 1;
      shape = { name: `q${this.#counter}`, seen: 0, time: 0 };
      this.#shapes.set(text, shape);
    }
    shape.seen += 1;
    return shape;
  }

  /** The time that counts is PostgreSQL's own: waiting for a connection is nobody's fault. */
  async #onPool(
    shape: Shape,
    statement: Statement,
    signal: AbortSignal | undefined,
  ): Promise<Row | undefined> {
    const loan = await Loan.take(this.#options.pool, signal);
    const started = performance.now();
    let good = true;
    try {
      const { text, values } = statement;
      const name = shape.seen > 1 ? { name: shape.name } : {};
      const result = await loan.client.query<Row>({ ...name, text, values, rowMode: 'array' });
      return result.rows[0];
    } catch (error) {
      good = isStatementError(error);
      throw error;
    } finally {
      shape.time = performance.now() - started;
      loan.giveBack(good);
    }
  }

  /** Statements of the same turn of the event loop leave in one system call. */
  #cork(line: Line): void {
    if (line.corked) return;
    line.corked = true;
    line.socket.cork();
    setImmediate(() => {
      line.corked = false;
      line.socket.uncork();
    });
  }

  async #onLine(
    line: Line,
    shape: Shape,
    statement: Statement,
    signal: AbortSignal | undefined,
  ): Promise<Row | undefined> {
    const turn: Turn = { signal, time: shape.time, disturbed: line.cancelling };
    if (line.turns.push(turn) === 1) line.turned = performance.now();
    line.load += turn.time;
    line.prepared.add(shape.name);
    this.#cork(line);
    try {
      const result = await line.client.query<Row>({
        name: shape.name,
        text: statement.text,
        values: statement.values,
        rowMode: 'array',
      });
      return result.rows[0];
    } catch (error) {
      const isForeign = isCancelled(error) || error instanceof BrokenConnectionError;
      const meant = signal?.aborted === true || !turn.disturbed || !isForeign;
      if (meant) throw error;
    } finally {
      const now = performance.now();
      shape.time += (now - line.turned - shape.time) / AVERAGED;
      line.turned = now;
      line.turns.splice(line.turns.indexOf(turn), 1);
      line.load = line.turns.length === 0 ? 0 : line.load - turn.time;
      if (line.prepared.size > MAX_PREPARED) this.#retire(line);
    }
    return this.#onPool(shape, statement, signal);
  }

  /**
   * Ends statements on pipelined connections whose askers went away. A cancellation names only the
   * connection: when it comes late it strikes the statement behind, which is then asked again.
   */
  #cancelAbandoned(): void {
    for (const line of this.#lines) {
      const first = line?.turns[0];
      if (!line || !first?.signal?.aborted || line.cancelling) continue;
      if (performance.now() - line.turned < WATCH_MS) continue;
      line.cancelling = true;
      for (const turn of line.turns) turn.disturbed = true;
      void cancelStatement(line.client).then(() => {
        line.cancelling = false;
        line.cancelled = performance.now();
      });
    }
  }

  /** Replaces a connection that holds too many prepared statements. */
  #retire(line: Line): void {
    const index = this.#lines.indexOf(line);
    if (index < 0) return;
    this.#lines[index] = null;
    line.client.end().catch(() => undefined);
    void this.#connect(index);
  }

  async #connect(index: number): Promise<void> {
    const { url, name, log, statementTimeout } = this.#options;
    const Client = guardedClient(log);
    while (!this.#closed && this.#lines[index] === null) {
      const socket = new Socket();
      const client = new Client({
        connectionString: url,
        stream: () => socket,
        application_name: `sluice ${name} pages`,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        pipeline: true,
      });
      const lost = (error: Error) => {
        if (this.#closed || this.#lines[index]?.client !== client) return;
        log.warn({ err: error }, 'a database connection was lost');
        // What broke it was meant for the first; the others are asked again.
        for (const turn of this.#lines[index].turns.slice(1)) turn.disturbed = true;
        this.#lines[index] = null;
        void this.#connect(index);
      };
      client.on('error', lost);
      client.on('end', () => lost(new Error('the server ended the connection')));
      try {
        await client.connect();
        this.#watchdog.add(client);
        await client.query(sessionSettings(statementTimeout));
        this.#lines[index] = newLine(client, socket);
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
