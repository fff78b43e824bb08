/**
 * Converts long lists among the values of a statement to PostgreSQL's text format, in slices. The
 * driver would block for a tenth of a second with the maximum number of items per request.
 */
import { prepareValue } from 'pg/lib/utils.js';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { parameterOf, type Statement } from './sql.ts';

/** The maximum length of a list that the driver converts. */
const SHORT = 1_000;
/** The number of entries converted at once. */
const PIECE = 1_000;

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > SHORT;
}

async function textOf(list: readonly unknown[], slice: TimeSlice): Promise<string> {
  const pieces: string[] = [];
  for (let start = 0; start < list.length; start += PIECE) {
    await slice.rest();
    pieces.push(String(prepareValue(parameterOf(list.slice(start, start + PIECE)))).slice(1, -1));
  }
  return `{${pieces.join(',')}}`;
}

/** Whether a statement has long lists. */
export function hasLongLists({ values }: Statement): boolean {
  return values.some(isLong);
}

/** A statement with its long lists as text. */
export async function withTexts(statement: Statement): Promise<Statement> {
  if (!hasLongLists(statement)) return statement;
  const slice = new TimeSlice();
  const values: unknown[] = [];
  for (const value of statement.values) {
    values.push(isLong(value) ? await textOf(value, slice) : value);
  }
  return { ...statement, values };
}
