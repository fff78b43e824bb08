/**
 * Parses dates and times exactly, like PostgreSQL in a UTC session: extended and basic ISO-8601
 * forms, and PostgreSQL's own output. Invalid input is rejected elsewhere.
 */

const ZONE = '(?<zone>Z|(?<sign>[+-])(?<zh>\\d{2})(?::?(?<zm>\\d{2})(?::?(?<zs>\\d{2}))?)?)';
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?<fraction>[.,]\\d+)?)?';
const DATE = '(?<year>\\d{4,7})-(?<month>\\d{2})-(?<day>\\d{2})';
const BASIC_TIME = '(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2})(?<fraction>\\.\\d+)?';
const BASIC_DATE = '(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})';
const TIMESTAMP = new RegExp(`^${DATE}(?:[T ]${TIME} ?${ZONE}?)?(?<bc> BC)?$`, 'i');
const BASIC = new RegExp(`^${BASIC_DATE}(?:T${BASIC_TIME}${ZONE}?)?$`, 'i');
const CLOCK = new RegExp(`^${TIME} ?${ZONE}?$`, 'i');

const SECOND = 1_000_000n;
export const DAY = 86_400n * SECOND;

type Parts = Readonly<Record<string, string | undefined>>;

/** Microseconds since midnight; null for a fraction that PostgreSQL would round. */
function clockOf({ hour, minute, second, fraction }: Parts): bigint | null {
  const digits = (fraction ?? '').slice(1).replace(/0+$/, '');
  if (digits.length > 6) return null;
  const whole = (BigInt(hour ?? 0) * 60n + BigInt(minute ?? 0)) * 60n + BigInt(second ?? 0);
  return whole * SECOND + BigInt(digits.padEnd(6, '0'));
}

/** Days since 1970 in the Gregorian calendar, for any year (Fliegel and Van Flandern). */
function dayOf({ year, month, day, bc }: Parts): bigint {
  const full = bc === undefined ? Number(year) : 1 - Number(year);
  const months = Number(month);
  const shifted = months > 2 ? full : full - 1;
  const era = Math.floor(shifted / 400);
  const ofEra = shifted - era * 400;
  const ofYear = Math.floor((153 * (months + (months > 2 ? -3 : 9)) + 2) / 5) + Number(day) - 1;
  const days = ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear;
  return BigInt(era * 146_097 + days - 719_468);
}

function offsetOf({ sign, zh, zm, zs }: Parts): bigint {
  const seconds = (BigInt(zh ?? 0) * 60n + BigInt(zm ?? 0)) * 60n + BigInt(zs ?? 0);
  return (sign === '-' ? -seconds : seconds) * SECOND;
}

function partsOf(text: string): Parts | undefined {
  return (TIMESTAMP.exec(text) ?? BASIC.exec(text))?.groups;
}

/** `infinity` is after all timestamps, `-infinity` before them; undefined for another text. */
function endless(text: string): number | undefined {
  if (!/^-?infinity$/i.test(text)) return undefined;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Microseconds since 1970, for a date those of its midnight; null for another value. */
export type Instant = bigint | number | null;

/** A date: its time of day and zone are ignored. */
export function parseDate(text: string): Instant {
  const parts = partsOf(text.trim());
  return parts === undefined ? (endless(text.trim()) ?? null) : dayOf(parts) * DAY;
}

/** @param zoned applies the zone; a type without a zone ignores it */
export function parseInstant(text: string, zoned: boolean): Instant {
  const parts = partsOf(text.trim());
  if (parts === undefined) return endless(text.trim()) ?? null;
  const clock = clockOf(parts);
  if (clock === null) return null;
  return dayOf(parts) * DAY + clock - (zoned ? offsetOf(parts) : 0n);
}

/** Microseconds since midnight. */
export function parseTime(text: string): Instant {
  const parts = CLOCK.exec(text.trim())?.groups;
  return parts === undefined ? null : clockOf(parts);
}

/** The day from which PostgreSQL rounds timestamps (2000-01-01). */
const EPOCH = 10_957n * DAY;

/** Rounds to a number of fractional digits of seconds, like a column of that precision. */
export function roundSeconds(instant: Instant, digits: number, isTime: boolean): Instant {
  if (typeof instant !== 'bigint') return instant;
  const unit = 10n ** BigInt(6 - digits);
  const base = isTime ? 0n : EPOCH;
  const from = instant - base;
  const size = from < 0n ? -from : from;
  const whole = ((size + unit / 2n) / unit) * unit;
  return base + (from < 0n ? -whole : whole);
}
