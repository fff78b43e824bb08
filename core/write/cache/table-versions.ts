/**
 * Versions of tables, which show whether a cached answer is still valid. A writer marks its tables
 * before it commits and settles them before it answers. A reader that reads the versions after that
 * answer finds new ones.
 */

/** Stands for every table. Each reader also reads its version. */
export const EVERY_TABLE = '*';

/** How long (ms) the marks of a dead writer keep readers away from the cache. */
export const MARK_MS = 10_000;

/** The interface; implemented in memory and in Redis. */
export interface TableVersions {
  /**
   * The versions of some tables at one point in time between call and answer, as a text that is
   * equal while they are.
   * @returns null while one of the tables is being written, or when the versions cannot be read
   */
  stamp(tables: readonly string[]): Promise<string | null>;
  /**
   * Raises the versions. Readers do not use them until {@link settle}, or until the mark expires
   * because the writer died. Marking again extends it.
   * @returns false when the versions could not be raised for all processes
   */
  mark(writer: string, tables: readonly string[]): Promise<boolean>;
  /**
   * Raises the versions again and removes the marks of the writer.
   * @returns false when the versions could not be raised for all processes
   */
  settle(writer: string, tables: readonly string[]): Promise<boolean>;
  /** False while the versions cannot be read. */
  readonly ready: boolean;
  close(): void;
}
