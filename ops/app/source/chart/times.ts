/** Times along an axis, in the language and the time zone of the reader. */

const MINUTE = 60_000;
const DAY = 86_400_000;
/** As many labels fit side by side on a phone. */
const MOST_TICKS = 6;

/** The moment of a text; a date alone is the beginning of that day here. */
export function momentOf(text: string): Date {
  return new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
}

type Bucket = (time: Date) => number;

const dayOf: Bucket = (time) =>
  Math.round(Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / DAY);
const minutes =
  (count: number): Bucket =>
  (time) =>
    dayOf(time) * 1_440 + Math.floor((time.getHours() * 60 + time.getMinutes()) / count) * count;
const months =
  (count: number): Bucket =>
  (time) =>
    Math.floor((time.getFullYear() * 12 + time.getMonth()) / count);

/** Round parts of the calendar, each longer than the one before. Weeks begin on Monday. */
const BUCKETS: readonly Bucket[] = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map(minutes),
  dayOf,
  (time) => Math.floor(dayOf(time) / 2),
  (time) => Math.floor((dayOf(time) + 3) / 7),
  ...[1, 3, 6, 12, 24, 60, 120].map(months),
];

/** The times that begin a round part of the calendar: few enough to stand side by side. */
export function roundTimes(times: readonly Date[]): readonly Date[] {
  const starts = (bucket: Bucket) =>
    times.filter((time, place) => {
      const previous = times[place - 1];
      return previous !== undefined && bucket(previous) !== bucket(time);
    });
  return BUCKETS.map(starts).find(({ length }) => length <= MOST_TICKS) ?? [];
}

/** The shortest time from one to the next. */
function stepOf(times: readonly Date[]): number {
  const steps = times.slice(1).map((time, place) => +time - Number(times[place]));
  return Math.min(...steps, Number.POSITIVE_INFINITY);
}

/** Writes a time so exactly as its neighbours need it: in full, and short for an axis. */
export function timeWriters(times: readonly Date[], locale: string) {
  const step = stepOf(times);
  const span = times.length < 2 ? 0 : Number(times.at(-1)) - Number(times[0]);
  const write = (options: Intl.DateTimeFormatOptions) => {
    const { format } = new Intl.DateTimeFormat(locale, options);
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
    const isMidnight = time.getHours() === 0 && time.getMinutes() === 0;
    return isDaily || isMidnight || span > 6 * DAY ? ofDay(time) : ofClock(time);
  };
  return { full, short };
}
