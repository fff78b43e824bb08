/** Durations as PostgreSQL writes them, such as `1 year 2 mons 3 days 04:05:06`, and their parts. */

export const UNITS = ['years', 'months', 'days', 'hours', 'minutes', 'seconds'] as const;

export type Unit = (typeof UNITS)[number];

/** A number for each unit; seconds may have decimals. */
export type Duration = Readonly<Record<Unit, number>>;

export const NO_DURATION: Duration = {
  ...{ years: 0, months: 0, days: 0 },
  ...{ hours: 0, minutes: 0, seconds: 0 },
};

const NAMES: readonly (readonly [RegExp, Unit])[] = [
  [/^years?$/, 'years'],
  [/^mon(th)?s?$/, 'months'],
  [/^days?$/, 'days'],
  [/^hours?$/, 'hours'],
  [/^min(ute)?s?$/, 'minutes'],
  [/^sec(ond)?s?$/, 'seconds'],
];
const CLOCK = /(?:^|\s)([+-]?)(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?$/;
const PART = /([+-]?\d+(?:\.\d+)?)\s+([a-z]+)/g;

/** The parts of a duration; null for what is none, or is written in another style. */
export function readDuration(text: string): Duration | null {
  const whole = text.trim();
  const clock = CLOCK.exec(whole);
  const words = (clock === null ? whole : whole.slice(0, clock.index)).trim();
  if (words === '' && clock === null) return null;
  if (words.replace(PART, '').trim() !== '') return null;
  const parts = [...words.matchAll(PART)].map(([, amount, word = '']) => ({
    amount: Number(amount),
    unit: NAMES.find(([pattern]) => pattern.test(word))?.[1],
  }));
  if (parts.some(({ unit }) => unit === undefined)) return null;
  const duration: Record<Unit, number> = { ...NO_DURATION };
  for (const { amount, unit } of parts) if (unit !== undefined) duration[unit] += amount;
  if (clock === null) return duration;
  const [, sign, hours, minutes, seconds = '0'] = clock;
  const factor = sign === '-' ? -1 : 1;
  duration.hours += factor * Number(hours);
  duration.minutes += factor * Number(minutes);
  duration.seconds += factor * Number(seconds);
  return duration;
}

/** The text that PostgreSQL reads: each part by its unit, so that none turns into another. */
export function writeDuration(duration: Duration): string {
  const parts = UNITS.filter((unit) => duration[unit] !== 0).map(
    (unit) => `${duration[unit]} ${unit}`,
  );
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** A duration in words of a language; null for what is none. */
export function tellDuration(text: string, locale: string): string | null {
  const duration = readDuration(text);
  if (duration === null) return null;
  const told = UNITS.filter((unit) => duration[unit] !== 0);
  const word = (unit: Unit) =>
    new Intl.NumberFormat(locale, {
      ...{ style: 'unit', unit: unit.slice(0, -1), unitDisplay: 'short' },
      maximumFractionDigits: 6,
    }).format(duration[unit]);
  return (told.length === 0 ? (['seconds'] as const) : told).map(word).join(' ');
}
