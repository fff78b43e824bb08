/**
 * Runs several statements in one round trip. Nothing but the last message asks PostgreSQL for an
 * answer (manual, section 54.2.4), so that outside of a transaction they are one of their own:
 * all of them count, or none.
 */
import pg from 'pg';
import { isTracing } from '#core/base/tracing/span.ts';
import type { AnyRow } from './row-protocol-reader.ts';

/** One statement of a script. */
export interface Part {
  readonly text: string;
  /** As they travel. */
  readonly values: readonly (string | Buffer | null)[];
  /** The name under which the connection keeps it prepared; empty for one that is sent as it is. */
  readonly name: string;
  /** The connection does not know the name yet. */
  readonly isNew: boolean;
  /** Names that it need not keep any longer; it may not know them. */
  readonly drops: readonly string[];
}

/** The rows of a statement, all values as texts. */
export type Texts = (string | null)[][];

/** Makes something of a row of the statement in a place of the script; it must not keep the row. */
export type RowOf<R> = (row: AnyRow, place: number) => R;

/**
 * What the driver tells of what PostgreSQL answers. Connections that pipeline take nothing but the
 * driver's own kind of query.
 */
export class Script<R> extends pg.Query {
  /** What was made of the rows of each statement. */
  readonly done: Promise<readonly R[][]>;
  /** Where the driver puts what ends the time that it gives a query. */
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

  /** The statements that were carried out so far. */
  get complete(): number {
    return this.#complete;
  }

  /** Called by the driver when it is this script's turn. */
  override readonly submit = (connection: pg.Connection): null => {
    const { stream } = connection;
    stream.cork();
    try {
      for (const { text, values, name, isNew, drops } of this.#parts) {
        // To close what is not there is no error.
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
