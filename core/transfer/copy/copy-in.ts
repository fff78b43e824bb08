/** Sends rows to COPY … FROM STDIN as fast as PostgreSQL accepts them. */
import { type CopyStreamQuery, from as copyFrom } from 'pg-copy-streams';
import { render, type Sql } from '#core/database/sql.ts';
import { expectCopyAnswer } from '#core/database/watchdog.ts';
import type { ImportConnection } from '../target/import-connection.ts';

export class CopyIn {
  readonly #connection: ImportConnection;
  readonly #stream: CopyStreamQuery;
  /** Settles when PostgreSQL has ended the COPY, with or without an error. */
  readonly #ended: Promise<void>;
  #pending: Promise<void> = Promise.resolve();
  #failure: unknown;
  #over = false;

  /** Starts the COPY; the connection is busy until it has ended. */
  constructor(connection: ImportConnection, statement: Sql) {
    connection.signal.throwIfAborted();
    this.#connection = connection;
    this.#stream = connection.client.query(copyFrom(render(statement).text));
    this.#ended = new Promise((resolve) => {
      const end = (failure?: unknown) => {
        this.#failure ??= failure;
        this.#over = true;
        resolve();
      };
      this.#stream.once('finish', () => end());
      this.#stream.once('error', end);
      // The connection reports its loss to the statement, only once.
      this.#stream.on('error', () => undefined);
    });
  }

  /**
   * Sends rows. The next rows can be prepared meanwhile: this waits only for earlier ones.
   * @throws PostgreSQL's error, or the signal's reason
   */
  async write(rows: Buffer): Promise<void> {
    const abort = () => this.#stream.destroy();
    this.#connection.signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#pending, this.#ended]);
    this.#connection.signal.removeEventListener('abort', abort);
    this.#check();
    this.#pending = new Promise((resolve) => {
      this.#stream.write(rows, () => resolve());
    });
  }

  #check(): void {
    this.#connection.signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Ends the COPY. @returns the number of copied rows */
  async end(): Promise<number> {
    await Promise.race([this.#pending, this.#ended]);
    this.#check();
    this.#stream.end();
    const answered = expectCopyAnswer(this.#connection.client);
    await this.#connection.interruptible(this.#ended).finally(answered);
    this.#check();
    return this.#stream.rowCount;
  }

  /** Aborts the COPY: none of its rows stays. */
  async abort(): Promise<void> {
    // After its end the stream has no connection to abort.
    if (!this.#over) this.#stream.destroy();
    await this.#ended;
  }
}
