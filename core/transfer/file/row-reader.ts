/** One row of a file in any format, and the readers of rows. */
import type { CopyText } from './copy-text.ts';
import type { RowFault } from './row-fault.ts';

/** A row; readers reuse the same object. */
export interface Row {
  /** 1-based among the data rows. */
  readonly number: number;
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  /** The members of an object; null for the cells of a CSV file. */
  readonly members: Readonly<Record<string, unknown>> | null;
  /** The cells of a CSV row, also those without a column; null for an object. */
  cells(): readonly string[] | null;
  /** The text of the row in the file. */
  source(): string;
  /**
   * The value of a column as PostgreSQL's text; undefined when the row does not have it.
   * @throws {MisplacedValue}
   */
  value(column: number): string | null | undefined;
  /** The text in the file; null without a value, or for a value that is not text. */
  written(column: number): string | null;
  /** Writes that value; false, and writes nothing, when the row does not have it. */
  write(column: number, out: CopyText): boolean;
  /** The value when it is written as an integer of at most 15 digits, else NaN. */
  integer(column: number): number;
}

/** Receives the rows of a file. */
export interface RowHandler {
  row(row: Row): void;
  /** A faulty row; it is not delivered. `source` is its text in the file. */
  fault(fault: RowFault, source: string): void;
  /** A row without any value; it is not delivered. */
  skipped(row: number): void;
  /** A member of a JSON object without a column; the row comes next. */
  member(name: string, row: number): void;
}

/** Reads a file chunk by chunk. */
export interface RowReader {
  /** @throws {UnreadableFile} */
  push(chunk: Buffer): void;
  /** @throws {UnreadableFile} */
  end(): void;
  /** The number of the next row; 0 before the header of a CSV file. */
  next(): number;
}
