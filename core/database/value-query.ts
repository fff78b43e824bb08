/**
 * Runs a prepared statement of which the first value of the first row is wanted, as the bytes that
 * arrived. PostgreSQL is not asked to describe its columns, and no result is made of what it answers.
 */
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import type { DataRow } from './row-protocol-reader.ts';
import type { Statement } from './sql.ts';
import { ValueBytes } from './value-bytes.ts';

/** What the driver notes about prepared statements, by their names. */
interface PreparedNames {
  readonly submittedNamedStatements: Record<string, string>;
}

/** Called once, when PostgreSQL is ready for another statement, or with why it will not be. */
type Done = (error: Error | null, value: ValueBytes | null) => void;

/** Connections that pipeline take nothing but the driver's own kind of query. */
export class ValueQuery extends pg.Query {
  /** Where the driver puts what ends the time that it gives a query. */
  callback: (() => void) | undefined;
  readonly name: string;
  readonly text: string;
  readonly #values: (string | Buffer | null)[];
  #done: Done | null;
  #isFirst = true;
  #value: ValueBytes | null = null;
  /** The driver's own: whether the name was sent to PostgreSQL. */
  declare readonly hasBeenParsed: (connection: pg.Connection) => boolean;

  constructor(name: string, { text, values }: Statement, done: Done) {
    super('');
    this.name = name;
    this.text = text;
    this.#values = values.map(prepareValue);
    this.#done = done;
  }

  /** Asked by the driver, which sends what has neither a name nor values as a plain text. */
  requiresPreparation(): boolean {
    return true;
  }

  /** Called by the driver when it is this query's turn, on a corked socket. */
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
