/** A file whose cells are typed: a workbook or a Parquet file. */
import type { HeaderCell } from '../csv-rows.ts';

/** The types that a file can declare for its columns. */
export type DeclaredType =
  | 'integer'
  | 'bigInteger'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'timestamp'
  | 'uuid'
  | 'binary'
  | 'json'
  | 'text';

/** A table file, opened. */
export interface TableFile {
  /** The names of its columns; a column without a name has an empty one. */
  readonly header: readonly HeaderCell[];
  /** The types of its columns; null when only the cells have types. */
  readonly types: readonly DeclaredType[] | null;
  /**
   * The frames of its rows from the beginning; it can be read more than once.
   * @param read is called with the number of file bytes as they are read
   */
  content(read?: (bytes: number) => void): AsyncIterable<Buffer>;
  /** The address of a cell, such as `C17`; null when the format has none. */
  address(row: number, cell: number): string | null;
  /** Frees its temporary files. */
  close(): void;
}
