/** How often the items of collections changed on each of the last days. */

export const DAYS = 14;
export const DAY_MS = 86_400_000;

/** A day of a collection; the server writes the numbers as texts. */
export interface DayRow {
  readonly collection: string;
  readonly timestamp_year: string | number;
  readonly timestamp_month: string | number;
  readonly timestamp_day: string | number;
  readonly count: string | number;
}

/** The changes of each day by collection, the latest day last. Days are those of UTC, as in the answer. */
export function changesByDay(
  rows: readonly DayRow[],
  now: number,
): ReadonlyMap<string, readonly number[]> {
  const today = Math.floor(now / DAY_MS);
  const days = new Map<string, number[]>();
  for (const row of rows) {
    const { collection, timestamp_year: year, timestamp_month: month, timestamp_day: day } = row;
    const since = today - Date.UTC(Number(year), Number(month) - 1, Number(day)) / DAY_MS;
    const counts = days.get(collection) ?? Array.from({ length: DAYS }, () => 0);
    const index = DAYS - 1 - since;
    if (index in counts) counts[index] = Number(row.count);
    days.set(collection, counts);
  }
  return days;
}
