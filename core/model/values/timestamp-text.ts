/**
 * Checks dates and times: RFC 3339 and ISO 8601, extended or basic, or PostgreSQL's ISO output
 * (`infinity`, years beyond 9999, `BC`). The text must be an existing day and time. Other forms
 * that PostgreSQL accepts, such as `now` or `1/2/2024`, are rejected.
 */

const ZONE = '(?:Z|[+-](?<zoneHour>\\d{2})(?::?(?<zoneMinute>\\d{2})(?::?\\d{2})?)?)';
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d+)?)?';
const DATE = '(?<year>\\d{4,7})-(?<month>\\d{2})-(?<day>\\d{2})';
const TIMESTAMP = new RegExp(`^${DATE}(?:[T ]${TIME} ?${ZONE}?)?(?<bc> BC)?$`, 'i');
const BASIC_TIME = '(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2})(?:\\.\\d+)?';
const BASIC_DATE = '(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})';
const BASIC = new RegExp(`^${BASIC_DATE}(?:T${BASIC_TIME}${ZONE}?)?$`, 'i');
const CLOCK = new RegExp(`^${TIME} ?${ZONE}?$`, 'i');
const ENDLESS = /^-?infinity$/i;

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
  // There is no year 0: the one before 1 is 1 BC.
  return day >= 1 && day <= daysIn(parts.bc === undefined ? year : 1 - year, month);
}

/** Whether the text is a day with or without a time of day. */
export function isTimestampText(text: string, lastYear: number): boolean {
  const trimmed = text.trim();
  const parts = (TIMESTAMP.exec(trimmed) ?? BASIC.exec(trimmed))?.groups;
  return parts === undefined ? ENDLESS.test(trimmed) : isDay(parts, lastYear) && isClock(parts);
}

/** Whether the text is a time of day. */
export function isTimeOfDay(text: string): boolean {
  const parts = CLOCK.exec(text.trim())?.groups;
  return parts !== undefined && isClock(parts);
}

const ZERO = 0x30;
const TEMPLATE = Buffer.from('0000-00-00 00:00:00');

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

/** The end of the zone that begins at `at`; -1 when it has another form. */
function afterZone(bytes: Uint8Array, at: number, end: number): number {
  const byte = bytes[at];
  if (byte === 0x5a) return at + 1;
  if (byte !== 0x2b && byte !== 0x2d) return -1;
  const hours = isDigit(bytes[at + 1]) && isDigit(bytes[at + 2]);
  if (!hours) return -1;
  if (at + 3 === end || bytes[at + 3] !== 0x3a) return at + 3;
  return isDigit(bytes[at + 4]) && isDigit(bytes[at + 5]) ? at + 6 : -1;
}

/**
 * Whether bytes have one of the usual shapes of timestamps, `2024-02-29` or `2024-02-29 13:45:00`
 * with or without fraction and zone. Then only PostgreSQL needs to check them. Faster than {@link
 * isTimestampText} on a text.
 */
export function looksLikeTimestamp(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length !== 10 && length < TEMPLATE.length) return false;
  const last = Math.min(end, start + TEMPLATE.length);
  for (let at = start; at < last; at += 1) {
    const wanted = TEMPLATE[at - start];
    const byte = bytes[at];
    const fits =
      wanted === ZERO ? isDigit(byte) : byte === wanted || (wanted === 0x20 && byte === 0x54);
    if (!fits) return false;
  }
  let at = last;
  if (bytes[at] === 0x2e && at < end) {
    at += 1;
    if (!isDigit(bytes[at])) return false;
    while (at < end && isDigit(bytes[at])) at += 1;
  }
  return at === end || afterZone(bytes, at, end) === end;
}
