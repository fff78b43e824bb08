/**
 * Turns long lists among the values of a statement into the texts that PostgreSQL reads, in slices. The
 * driver would do it at once, which takes a tenth of a second for as many items as one request may write.
 */
import { prepareValue } from 'pg/lib/utils.js';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { parameterOf, type Statement } from './sql.ts';

/** Entries of a list that is left to the driver. */
const SHORT = 1_000;
/** Entries that become a text at once. */
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

/** A statement whose long lists are texts. */
export async function withTexts(statement: Statement): Promise<Statement> {
  if (!hasLongLists(statement)) return statement;
  const slice = new TimeSlice();
  const values: unknown[] = [];
  for (const value of statement.values) {
    values.push(isLong(value) ? await textOf(value, slice) : value);
  }
  return { ...statement, values };
}
