/**
 * Judges dates and times in the ISO-8601 forms: a shape that fits must name a real day and a real
 * time. Whatever else PostgreSQL reads (its special words, other orders and separators) is left
 * to it, unless the text cannot be a moment at all because it has no digit.
 */

const DATE = '(?<year>\\d{4,7})-(?<month>\\d{1,2})-(?<day>\\d{1,2})';
const TIME = '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d*)?)?';
const ZONE = '(?:Z|[+-](?<zoneHour>\\d{2})(?::?(?<zoneMinute>\\d{2}))?)';
const MOMENT = new RegExp(`^${DATE}(?:[T ]${TIME} ?${ZONE}?)?$`, 'i');
const CLOCK = new RegExp(`^${TIME} ?${ZONE}?$`, 'i');

const DAY_WORDS = new Set([
  'now',
  'today',
  'tomorrow',
  'yesterday',
  'epoch',
  'infinity',
  '+infinity',
  '-infinity',
]);
const CLOCK_WORDS = new Set(['now', 'allballs']);

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

type Parts = Readonly<Record<string, string | undefined>>;

function isClock(parts: Parts): boolean {
  const hour = Number(parts.hour ?? 0);
  const minute = Number(parts.minute ?? 0);
  const second = Number(parts.second ?? 0);
  // Midnight may be written as 24:00, and a leap second as :60.
  if (hour > 24 || (hour === 24 && (minute > 0 || second > 0))) return false;
  if (Number(parts.zoneHour ?? 0) > 15 || Number(parts.zoneMinute ?? 0) > 59) return false;
  return minute < 60 && second <= 60;
}

function isDay(parts: Parts, lastYear: number): boolean {
  const year = Number(parts.year);
  const month = Number(parts.month);
  const day = Number(parts.day);
  if (year === 0 || year > lastYear || month < 1 || month > 12) return false;
  return day >= 1 && day <= daysIn(year, month);
}

/** Whether PostgreSQL may take the text as a day with or without a time of day. */
export function mayBeMoment(text: string, lastYear: number): boolean {
  const trimmed = text.trim();
  const parts = MOMENT.exec(trimmed)?.groups;
  if (parts !== undefined) return isDay(parts, lastYear) && isClock(parts);
  return DAY_WORDS.has(trimmed.toLowerCase()) || /\d/.test(trimmed);
}

/** Whether PostgreSQL may take the text as a time of day. */
export function mayBeClock(text: string): boolean {
  const trimmed = text.trim();
  const parts = CLOCK.exec(trimmed)?.groups;
  if (parts !== undefined) return isClock(parts);
  return CLOCK_WORDS.has(trimmed.toLowerCase()) || /\d/.test(trimmed);
}
