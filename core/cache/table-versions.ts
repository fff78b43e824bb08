/**
 * The versions of tables: what tells whether an answer that was put by is still true. A writer
 * marks its tables before it commits and settles them before it answers, so that whoever reads the
 * versions after that answer finds others than before.
 */

/** Stands for every table there is; every reader reads its version too. */
export const EVERY_TABLE = '*';

/** How long (ms) the marks of a writer that is gone keep readers away. */
export const MARK_MS = 10_000;

/** The port; the memory of one process and Redis stand behind it. */
export interface TableVersions {
  /**
   * The versions of some tables at one point in time between call and answer, as a text that is equal as
   * long as they are.
   * @returns null while one of the tables is being written, or when the versions cannot be told
   */
  stamp(tables: readonly string[]): Promise<string | null>;
  /**
   * Raises the versions and keeps readers from using any until {@link settle}, or until the mark
   * runs out because the writer is gone. Marking again prolongs it.
   * @returns false when that could not be told to all processes
   */
  mark(writer: string, tables: readonly string[]): Promise<boolean>;
  /**
   * Raises the versions once more and takes the marks of the writer away.
   * @returns false when that could not be told to all processes
   */
  settle(writer: string, tables: readonly string[]): Promise<boolean>;
  /** False while the versions cannot be told. */
  readonly ready: boolean;
  close(): void;
}
