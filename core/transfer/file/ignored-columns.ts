/**
 * Counts the values of columns that an import takes no value from: those that the mapping omits.
 * Columns that an import adds to rejected rows are no content, and are not counted.
 */

/** The columns of a file of rejected rows: the number of a row in the first file, and its faults. */
export const ROW_COLUMN = 'sluice_row';
export const REASON_COLUMN = 'sluice_reason';

/** Whether a column was added to a rejected row. */
export function isAdded(name: string): boolean {
  return name === ROW_COLUMN || name === REASON_COLUMN;
}

/** The values of one pass over the file, by the name of their column. */
export class IgnoredValues {
  readonly counts = new Map<string, number>();

  /** Counts a value of a column. */
  add(name: string): void {
    if (!isAdded(name)) this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}

/** The columns whose values one pass counts. */
export interface WatchedColumns {
  readonly values: IgnoredValues;
  readonly isIgnored: (name: string) => boolean;
}

/** The indexes and names of those columns in a header. */
export function watchedCells(
  names: readonly string[],
  watched: WatchedColumns | null,
): readonly (readonly [number, string])[] {
  if (watched === null) return [];
  return names.flatMap((name, cell) => (watched.isIgnored(name) ? [[cell, name] as const] : []));
}

/** The counts of the last complete pass over a file. */
export class IgnoredColumns {
  #counts: ReadonlyMap<string, number> = new Map();

  settle({ counts }: IgnoredValues): void {
    this.#counts = counts;
  }

  /** The counts by column; undefined when no value was ignored. */
  get counts(): Readonly<Record<string, number>> | undefined {
    return this.#counts.size === 0 ? undefined : Object.fromEntries(this.#counts);
  }
}
