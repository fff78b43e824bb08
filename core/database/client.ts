/**
 * Connections that survive errors in their callbacks. The driver runs in socket callbacks, where a
 * throw would end the process: here it ends only the connection and its statements. A too long
 * message is rejected by its header, before it is parsed.
 */
import { EventEmitter } from 'node:events';
import { Duplex } from 'node:stream';
import pg from 'pg';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { isTracing } from '#core/base/tracing/span.ts';
import { RowProtocolReader } from './row-protocol-reader.ts';
import { traceStatements } from './trace-statements.ts';

/**
 * The maximum size of a PostgreSQL message in bytes; Node.js cannot create a string of twice that
 * size.
 */
export const MESSAGE_MAX_SIZE = 268_435_456;

/** After this idle time (ms) TCP keep-alive probes the peer. */
export const KEEP_ALIVE_MS = 10_000;
/** Timeout (ms) for opening a connection, even where waiting for a free one may take longer. */
const CONNECT_WITHIN_MS = 8_000;

/** Type (1) and length (4), which counts itself (manual, section 54.7). */
const HEADER_SIZE = 5;
const LENGTH_AT = 1;
const LENGTH_SIZE = 4;

/** A connection was closed because of an error in received data or in its processing. */
export class BrokenConnectionError extends Error {
  constructor(cause: unknown) {
    super('The connection was given up after an error in its callbacks.', { cause });
    this.name = 'BrokenConnectionError';
  }
}

/** PostgreSQL began to send a message that exceeds the maximum size. */
export class MessageTooLargeError extends BrokenConnectionError {
  readonly limit: number;

  constructor(size: number, limit: number) {
    super(new Error(`a message of ${size} bytes`));
    this.limit = limit;
  }
}

/** The parts of the driver's connection that its type declarations lack or hide. */
interface Connection extends EventEmitter {
  attachListeners(stream: EventEmitter): void;
  parse(query: { readonly name: string }, more: boolean): void;
  close(target: { readonly type: 'S'; readonly name: string }, more: boolean): void;
}

function isConnection(value: unknown): value is Connection {
  return value instanceof EventEmitter && 'attachListeners' in value && 'parse' in value;
}

/** Parses the headers of the messages in a stream of bytes. */
class Headers {
  readonly #limit: number;
  readonly #header = Buffer.alloc(HEADER_SIZE);
  /** Bytes of a header that was split between chunks. */
  #held = 0;
  /** Remaining bytes of the current message. */
  #left = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws MessageTooLargeError */
  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const size = Math.min(this.#left, chunk.length - at);
        this.#left -= size;
        at += size;
      } else if (this.#held === 0 && chunk.length - at >= HEADER_SIZE) {
        this.#begin(chunk.readUInt32BE(at + LENGTH_AT));
        at += HEADER_SIZE;
      } else {
        const taken = chunk.copy(this.#header, this.#held, at);
        this.#held += taken;
        at += taken;
        if (this.#held < HEADER_SIZE) continue;
        this.#held = 0;
        this.#begin(this.#header.readUInt32BE(LENGTH_AT));
      }
    }
  }

  #begin(length: number): void {
    if (length > this.#limit) throw new MessageTooLargeError(length, this.#limit);
    this.#left = length - LENGTH_SIZE;
  }
}

/** How the messages of a connection are read. */
interface Reading {
  /** The maximum size of a message in bytes. */
  readonly limit: number;
  /** Rows of at least this size in bytes are delivered by {@link RowProtocolReader}. */
  readonly rowsAsBytesFrom: number;
}

/** Checks received data before the driver processes it. */
function guardMessages(connection: Connection, log: Log, reading: Reading): void {
  const { limit, rowsAsBytesFrom } = reading;
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const messages = new EventEmitter();
    attach(messages);
    const headers = new Headers(limit);
    const parse = (bytes: Buffer) => messages.emit('data', bytes);
    const isTaken = rowsAsBytesFrom < Number.POSITIVE_INFINITY;
    const intake = isTaken ? new RowProtocolReader(connection, parse, rowsAsBytesFrom) : null;
    stream.on('data', (chunk: Buffer) => {
      try {
        headers.read(chunk);
        if (intake === null) parse(chunk);
        else intake.take(chunk);
      } catch (error) {
        const isKnown = error instanceof MessageTooLargeError;
        if (!isKnown) log.error({ err: error }, 'a callback of the database driver failed');
        const reason = isKnown ? error : new BrokenConnectionError(error);
        if (stream instanceof Duplex) stream.destroy(reason);
      }
    });
  };
}

/**
 * Closes a statement name before another statement is parsed under it. The earlier one may have
 * been rejected, for example after a change of its table. PostgreSQL then does not have the name,
 * but a pooler does, and disconnects a client that reuses it.
 */
function freeNames(connection: Connection): void {
  const given = new Set<string>();
  const parse = connection.parse.bind(connection);
  connection.parse = (query, more) => {
    const { name } = query;
    if (given.has(name)) connection.close({ type: 'S', name }, more);
    else if (name) given.add(name);
    parse(query, more);
  };
}

/** The metric label of a connection's pool: the application name in PostgreSQL. */
export function poolName({ application_name: name = 'other' }: pg.ClientConfig): string {
  return name.replace(/^sluice /, '');
}

function poolOf(config: string | pg.ClientConfig = {}): string {
  return poolName(typeof config === 'string' ? {} : config);
}

/** Counts the statements of a connection. */
function countStatements(connection: Connection, config?: string | pg.ClientConfig): void {
  const pool = poolOf(config);
  const statements = metrics.counter('sluice_database_statements_total', { pool });
  connection.on('readyForQuery', () => {
    statements.value += 1;
  });
}

/** Limits connecting to a server that accepts the connection but does not respond. */
function bounded(config: string | pg.ClientConfig = {}): pg.ClientConfig {
  const given = typeof config === 'string' ? { connectionString: config } : config;
  const { connectionTimeoutMillis = CONNECT_WITHIN_MS } = given;
  const within = Math.min(connectionTimeoutMillis, CONNECT_WITHIN_MS);
  return { ...given, connectionTimeoutMillis: within };
}

/** The class of the driver's clients for a process. */
export function guardedClient(
  log: Log,
  { limit = MESSAGE_MAX_SIZE, rowsAsBytesFrom = Number.POSITIVE_INFINITY }: Partial<Reading> = {},
) {
  return class GuardedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(bounded(config));
      if ('connection' in this && isConnection(this.connection)) {
        guardMessages(this.connection, log, { limit, rowsAsBytesFrom });
        freeNames(this.connection);
        countStatements(this.connection, config);
        if (isTracing()) traceStatements(this, this.connection, poolOf(config));
      }
    }

    /** An error in a listener, or an unhandled error event, must not affect other code. */
    override emit(name: string | symbol, ...values: unknown[]): boolean {
      try {
        return super.emit(name, ...values);
      } catch (error) {
        log.error({ err: error, event: String(name) }, 'a listener of a connection failed');
        return true;
      }
    }
  };
}
