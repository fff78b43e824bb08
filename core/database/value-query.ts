/**
 * Runs a prepared statement and returns the first value of the first row, as the received bytes. It
 * requests no column descriptions from PostgreSQL, and builds no result object.
 */
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { DataRow } from './row-protocol-reader.ts';
import type { Statement } from './sql.ts';
import { ValueBytes } from './value-bytes.ts';

/** The driver's record of prepared statements, by name. */
interface PreparedNames {
  readonly submittedNamedStatements: Record<string, string>;
}

/** Called once, when PostgreSQL is ready for another statement, or with the connection's error. */
type Done = (error: Error | null, value: ValueBytes | null) => void;

/** Pipelined connections accept only the driver's own query class. */
export class ValueQuery extends pg.Query {
  /** The driver stores the handler that stops the query timeout here. */
  callback: (() => void) | undefined;
  readonly name: string;
  readonly text: string;
  readonly #values: (string | Buffer | null)[];
  #done: Done | null;
  #isFirst = true;
  #value: ValueBytes | null = null;
  /** The driver's own method: whether the name was sent to PostgreSQL. */
  declare readonly hasBeenParsed: (connection: pg.Connection) => boolean;

  constructor(name: string, { text, values }: Statement, done: Done) {
    super('');
    this.name = name;
    this.text = text;
    this.#values = values.map(prepareValue);
    this.#done = done;
  }

  /** The driver calls this; it sends a query without name and values as plain text. */
  requiresPreparation(): boolean {
    return true;
  }

  /** The driver calls this to start the query, on a corked socket. */
  prepare(connection: pg.Connection & PreparedNames): void {
    const { name, text } = this;
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ name, text, types: [] }, false);
      if (name !== '') connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values: this.#values }, false);
    connection.execute(null, false);
    connection.sync();
  }

  handleDataRow(row: DataRow): void {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    const { first } = row;
    this.#value = first && new ValueBytes(first);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#end(null);
  }

  handleError(error: Error): void {
    this.#end(error);
  }

  #end(error: Error | null): void {
    this.callback?.();
    const done = this.#done;
    this.#done = null;
    done?.(error, error === null ? this.#value : null);
  }
}
