/** Dates and times of ISO 8601 as kinds of values. */
import { DATE, DATE_TIME, TIMESTAMP } from './kinds.ts';

const MOMENT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,6})?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MOST_OFFSET_HOURS = 14;

/** Whether the calendar has a day. */
export function isDay(year: number, month: number, day: number): boolean {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && !isLeap ? 28 : (DAYS[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= last;
}

/** The kinds of a date or a time; 0 for other texts. */
export function momentKinds(text: string): number {
  const match = MOMENT.exec(text);
  if (match === null) return 0;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return 0;
  if (match[4] === undefined) return DATE;
  const zone = match[7];
  if (zone === undefined) return DATE_TIME | TIMESTAMP;
  const [hours = 0, minutes = 0] = (zone.slice(1).match(/\d\d/g) ?? []).map(Number);
  return hours < MOST_OFFSET_HOURS && minutes < 60 ? TIMESTAMP : 0;
}
