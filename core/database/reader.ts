/**
 * Runs the statements of reads. A statement seen before is prepared under a name and sent down one
 * of a few pipelined connections; a new or slow one takes a connection of the pool, so that it
 * never holds up the short ones behind it.
 */
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import Cursor from 'pg-cursor';
import type { Log } from '#core/log/log.ts';
import { type Pool, sessionSettings } from './pool.ts';
import type { Statement } from './sql.ts';

/** Statements whose shapes are remembered in one process. */
const MAX_SHAPES = 1_000;
/** Prepared statements of one connection; past it the connection is replaced by a fresh one. */
const MAX_PREPARED = 2_000;
/** Statements under way on one pipelined connection; past it the pool takes over. */
const MAX_IN_FLIGHT = 64;
/** A statement that PostgreSQL took this long for (ms) runs on the pool until it is fast again. */
const SLOW_MS = 100;
const RECONNECT_MS = 1_000;
/** Rows that a stream fetches at a time. */
const FETCH_ROWS = 1_000;

interface Shape {
  readonly name: string;
  seen: number;
  slow: boolean;
}

/** One pipelined connection with what is prepared and under way on it. */
interface Line {
  readonly client: pg.Client;
  readonly socket: Socket;
  corked: boolean;
  readonly prepared: Set<string>;
  inFlight: number;
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
}

/** The first column of a row as text. */
type Row = [string | null];

export class Reader {
  readonly #options: ReaderOptions;
  readonly #shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES });
  readonly #lines: (Line | null)[];
  #counter = 0;
  #closed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#lines = Array<Line | null>(options.lines).fill(null);
  }

  /** Opens the pipelined connections; those that fail are tried again in the background. */
  async open(): Promise<void> {
    await Promise.all(this.#lines.map((_, index) => this.#connect(index)));
  }

  /**
   * Runs a statement that yields one text.
   * @returns the first column of the first row; null when there is no row
   */
  async text(statement: Statement): Promise<string | null> {
    const shape = this.#shapeOf(statement.text);
    const line = shape.seen > 1 && !shape.slow ? this.#freeLine() : null;
    const row = line
      ? await this.#onLine(line, shape, statement)
      : await this.#onPool(shape, statement);
    return row?.[0] ?? null;
  }

  /**
   * Runs a statement that yields one text a row and hands the rows on as they come: what is not
   * yet wanted stays in PostgreSQL. Leaving the loop early ends the statement.
   */
  async *stream(statement: Statement, signal?: AbortSignal): AsyncGenerator<string[]> {
    signal?.throwIfAborted();
    const client = await this.#options.pool.connect();
    let held = true;
    const release = (destroy: boolean) => {
      if (held) client.release(destroy);
      held = false;
    };
    // Whoever goes away may never ask again, so that this alone gives the connection back.
    const abandon = () => {
      release(true);
      void this.#cancel(client);
    };
    signal?.addEventListener('abort', abandon);
    const cursor = client.query(
      new Cursor<Row>(statement.text, statement.values, { rowMode: 'array' }),
    );
    try {
      for (;;) {
        signal?.throwIfAborted();
        const rows = await cursor.read(FETCH_ROWS);
        if (rows.length === 0) break;
        yield rows.map(([text]) => text ?? 'null');
      }
    } finally {
      signal?.removeEventListener('abort', abandon);
      if (held) await cursor.close().catch(() => undefined);
      release(false);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#lines.map((line) => line?.client.end().catch(() => undefined)));
  }

  /** Asks the server to stop what the connection runs; ending the socket alone would not. */
  async #cancel(client: pg.PoolClient): Promise<void> {
    const backend = 'processID' in client ? client.processID : null;
    if (typeof backend !== 'number') return;
    await this.#options.pool
      .query('SELECT pg_cancel_backend($1)', [backend])
      .catch((error) => this.#options.log.warn({ err: error }, 'a statement was not cancelled'));
  }

  #shapeOf(text: string): Shape {
    let shape = this.#shapes.get(text);
    if (shape === undefined) {
      this.#counter += 1;
      shape = { name: `q${this.#counter}`, seen: 0, slow: false };
      this.#shapes.set(text, shape);
    }
    shape.seen += 1;
    return shape;
  }

  #freeLine(): Line | null {
    let best: Line | null = null;
    for (const line of this.#lines) {
      if (line && line.inFlight < (best?.inFlight ?? MAX_IN_FLIGHT)) best = line;
    }
    return best;
  }

  /** The time that counts is PostgreSQL's own: waiting for a connection is nobody's fault. */
  async #onPool(shape: Shape, statement: Statement): Promise<Row | undefined> {
    const client = await this.#options.pool.connect();
    const started = performance.now();
    let broken: Error | undefined;
    try {
      const { text, values } = statement;
      const name = shape.seen > 1 ? { name: shape.name } : {};
      const result = await client.query<Row>({ ...name, text, values, rowMode: 'array' });
      return result.rows[0];
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) && error instanceof Error) broken = error;
      throw error;
    } finally {
      shape.slow = performance.now() - started > SLOW_MS;
      client.release(broken);
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

  async #onLine(line: Line, shape: Shape, statement: Statement): Promise<Row | undefined> {
    line.inFlight += 1;
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
    } finally {
      line.inFlight -= 1;
      if (line.prepared.size > MAX_PREPARED) this.#retire(line);
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
    while (!this.#closed && this.#lines[index] === null) {
      const socket = new Socket();
      const client = new pg.Client({
        connectionString: url,
        stream: () => socket,
        application_name: `sluice ${name} pages`,
        keepAlive: true,
        pipeline: true,
      });
      const lost = (error: Error) => {
        if (this.#closed || this.#lines[index]?.client !== client) return;
        log.warn({ err: error }, 'a database connection was lost');
        this.#lines[index] = null;
        void this.#connect(index);
      };
      client.on('error', lost);
      client.on('end', () => lost(new Error('the server ended the connection')));
      try {
        await client.connect();
        await client.query(sessionSettings(statementTimeout));
        this.#lines[index] = { client, socket, corked: false, prepared: new Set(), inFlight: 0 };
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
