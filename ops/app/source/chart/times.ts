/** Times along an axis, in the language and the time zone of the reader. */

import { momentAt, wallTime } from '../data/zone.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** As many labels fit side by side on a phone. */
const MOST_TICKS = 6;

/** The moment of a text; without a zone it is what clocks of the reader show, a date alone its beginning. */
export function momentOf(text: string, zone: string): Date {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return momentAt(`${text}T00:00`, zone);
  return /T[\d:.]+$/.test(text) ? momentAt(text, zone) : new Date(text);
}

/** The number of the part of the calendar that a time is in: a time of a zone as if it were one of UTC. */
type Bucket = (time: Date) => number;

const dayOf: Bucket = (time) => Math.floor(Number(time) / DAY);
const minutes =
  (count: number): Bucket =>
  (time) =>
    Math.floor(Number(time) / (count * MINUTE));
const months =
  (count: number): Bucket =>
  (time) =>
    Math.floor((time.getUTCFullYear() * 12 + time.getUTCMonth()) / count);

/** A time as if the clocks of its zone were those of UTC. */
const asUtc = (time: Date, zone: string) => new Date(`${wallTime(time, zone)}Z`);

/** Round parts of the calendar, each longer than the one before. Weeks begin on Monday. */
const BUCKETS: readonly Bucket[] = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map(minutes),
  dayOf,
  (time) => Math.floor(dayOf(time) / 2),
  (time) => Math.floor((dayOf(time) + 3) / 7),
  ...[1, 3, 6, 12, 24, 60, 120].map(months),
];

/** The times that begin a round part of the calendar: few enough to stand side by side. */
export function roundTimes(times: readonly Date[], zone: string): readonly Date[] {
  const walls = times.map((time) => asUtc(time, zone));
  const starts = (bucket: Bucket) =>
    times.filter((_, place) => {
      const [previous, wall] = [walls[place - 1], walls[place]];
      return previous !== undefined && wall !== undefined && bucket(previous) !== bucket(wall);
    });
  return BUCKETS.map(starts).find(({ length }) => length <= MOST_TICKS) ?? [];
}

/** The shortest time from one to the next. */
function stepOf(times: readonly Date[]): number {
  const steps = times.slice(1).map((time, place) => +time - Number(times[place]));
  return Math.min(...steps, Number.POSITIVE_INFINITY);
}

/** Writes a time so exactly as its neighbours need it: in full, and short for an axis. */
export function timeWriters(times: readonly Date[], locale: string, zone: string) {
  const step = stepOf(times);
  const span = times.length < 2 ? 0 : Number(times.at(-1)) - Number(times[0]);
  const write = (options: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
    return (time: Date) => format(time);
  };
  const day = { day: 'numeric', month: 'short' } as const;
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const isDaily = step >= DAY - 60 * MINUTE;
  const isMonthly = step >= 28 * DAY - 60 * MINUTE;
  const full = isMonthly
    ? write({ month: 'long', year: 'numeric' })
    : write({ ...day, year: 'numeric', ...(!isDaily && clock) });
  const ofDay = write(day);
  const ofClock = write(clock);
  const ofMonth = write({ month: 'short', year: 'numeric' });
  const short = (time: Date) => {
    if (isMonthly || span > 400 * DAY) return ofMonth(time);
    const isMidnight = wallTime(time, zone).slice(11, 16) === '00:00';
    return isDaily || isMidnight || span > 6 * DAY ? ofDay(time) : ofClock(time);
  };
  return { full, short };
}
