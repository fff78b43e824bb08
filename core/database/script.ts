/**
 * Runs several statements in one round trip. Only the last message is a Sync (manual, section
 * 54.2.4). Outside a transaction the statements therefore form one transaction: all take effect, or
 * none.
 */
import pg from 'pg';
import { isTracing } from '#core/base/tracing/span.ts';
import type { AnyRow } from './row-protocol-reader.ts';

/** One statement of a script. */
export interface Part {
  readonly text: string;
  /** In wire format. */
  readonly values: readonly (string | Buffer | null)[];
  /** The name of the prepared statement; empty for an unnamed statement. */
  readonly name: string;
  /** The statement is not yet prepared under the name. */
  readonly isNew: boolean;
  /** Names to drop; they may be unknown to the connection. */
  readonly drops: readonly string[];
}

/** The rows of a statement, all values as texts. */
export type Texts = (string | null)[][];

/** Maps a row of the statement at a place of the script; it must not store the row. */
export type RowOf<R> = (row: AnyRow, place: number) => R;

/**
 * Receives the driver's callbacks for PostgreSQL's messages. Pipelined connections accept only the
 * driver's own query class.
 */
export class Script<R> extends pg.Query {
  /** The mapped rows of each statement. */
  readonly done: Promise<readonly R[][]>;
  /** The driver stores the handler that stops the query timeout here. */
  callback: (() => void) | undefined;
  /** Of all parts; only for traces. */
  declare text: string;
  readonly #parts: readonly Part[];
  readonly #rowOf: RowOf<R>;
  readonly #results: R[][];
  #complete = 0;
  #resolve: (results: readonly R[][]) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(parts: readonly Part[], rowOf: RowOf<R>) {
    super('');
    this.#parts = parts;
    this.#rowOf = rowOf;
    this.#results = parts.map(() => []);
    if (isTracing()) this.text = parts.map(({ text }) => text).join(';\n');
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The number of statements executed so far. */
  get complete(): number {
    return this.#complete;
  }

  /** The driver calls this to start the script. */
  override readonly submit = (connection: pg.Connection): null => {
    const { stream } = connection;
    stream.cork();
    try {
      for (const { text, values, name, isNew, drops } of this.#parts) {
        // Closing an unknown name is not an error.
        for (const old of drops) connection.close({ type: 'S', name: old }, false);
        if (isNew) connection.parse({ name, text, types: [] }, false);
        connection.bind({ statement: name, values: [...values] }, false);
        connection.execute(null, false);
      }
      connection.sync();
    } finally {
      stream.uncork();
    }
    return null;
  };

  handleDataRow(row: AnyRow): void {
    this.#results[this.#complete]?.push(this.#rowOf(row, this.#complete));
  }

  handleCommandComplete(): void {
    this.#complete += 1;
  }

  handleEmptyQuery(): void {
    this.#complete += 1;
  }

  handleReadyForQuery(): void {
    this.callback?.();
    this.#resolve(this.#results);
  }

  handleError(error: Error): void {
    this.callback?.();
    this.#reject(error);
  }
}
