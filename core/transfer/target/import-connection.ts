/**
 * The connection of an import: its running statement is cancelled when the import is. The importer
 * ends the transaction; nothing is committed here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { simpleQuery } from '#core/database/simple-query.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';

/** How often (ms) the cancellation of a sequence of statements is repeated. */
const CANCEL_AGAIN_MS = 100;

export type Rows = pg.QueryResult<Record<string, unknown>>;

export interface ImportConnectionOptions {
  readonly client: pg.ClientBase;
  readonly signal: AbortSignal;
  /** Cancels the running statement of a backend from another connection. */
  readonly interrupt: (backend: number) => Promise<void>;
}

export class ImportConnection {
  readonly client: pg.ClientBase;
  readonly signal: AbortSignal;
  readonly #interrupt: (backend: number) => Promise<void>;
  #backend = 0;

  private constructor(options: ImportConnectionOptions) {
    this.client = options.client;
    this.signal = options.signal;
    this.#interrupt = options.interrupt;
  }

  /** Begins a transaction on the client, with settings of its own. */
  static async begin(options: ImportConnectionOptions, settings: Sql): Promise<ImportConnection> {
    options.signal.throwIfAborted();
    const connection = new ImportConnection(options);
    const pid = sql`SELECT pg_backend_pid() AS pid`;
    const begun = [sql`BEGIN`, pid, settings];
    const [, found] = await simpleQuery<{ pid: number }>(options.client, begun);
    connection.#backend = found?.rows[0]?.pid ?? 0;
    return connection;
  }

  /** Waits for a running statement, which is cancelled with the import. */
  async interruptible<T>(statement: Promise<T>): Promise<T> {
    let cancelled: Promise<void> | undefined;
    const cancel = () => {
      cancelled = this.#interrupt(this.#backend).catch(() => undefined);
    };
    this.signal.addEventListener('abort', cancel, { once: true });
    if (this.signal.aborted) cancel();
    try {
      return await statement;
    } finally {
      this.signal.removeEventListener('abort', cancel);
      // A late cancellation must not hit the next user of the connection.
      await cancelled;
    }
  }

  /** Runs several statements; cancelling the import cancels the running one. */
  async work<T>(statements: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    const working = statements();
    const isOver = working.then(
      () => true,
      () => true,
    );
    const cancel = async () => {
      // A cancellation between two statements has no effect.
      while (!(await Promise.race([isOver, delay(CANCEL_AGAIN_MS, false)]))) {
        await this.#interrupt(this.#backend).catch(() => undefined);
      }
    };
    let cancelling: Promise<void> | undefined;
    const abort = () => {
      cancelling = cancel();
    };
    this.signal.addEventListener('abort', abort, { once: true });
    try {
      return await working;
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    } finally {
      this.signal.removeEventListener('abort', abort);
      await cancelling;
    }
  }

  /** Runs a statement. @throws the signal's reason when the import was cancelled meanwhile */
  async run(statement: Sql): Promise<Rows> {
    this.signal.throwIfAborted();
    const running = this.client.query<Record<string, unknown>>(render(statement));
    try {
      return await this.interruptible(running);
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    }
  }

  /** Runs several statements in one message, up to the first that fails. */
  async runAll(statements: readonly Sql[]): Promise<readonly Rows[]> {
    this.signal.throwIfAborted();
    try {
      return await this.interruptible(simpleQuery(this.client, statements));
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    }
  }

  /** Runs a statement that returns one number. */
  async number(statement: Sql): Promise<number> {
    const { rows } = await this.run(statement);
    return Number(Object.values(rows[0] ?? {})[0] ?? 0);
  }
}
