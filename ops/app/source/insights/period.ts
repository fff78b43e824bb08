/**
 * The period that a dashboard shows, and its parts along an axis of time. Parts are those of UTC, as the
 * API groups by them.
 */
import type { Item } from '../data/schema-types.ts';

export const PERIODS = ['hour', 'day', '7days', '30days', '90days', '365days', 'all'] as const;

export type PeriodName = (typeof PERIODS)[number] | 'custom';

export const DEFAULT_PERIOD = '30days';

export interface Period {
  readonly name: PeriodName;
  /** The first and the last day of a custom period, such as `2024-05-01`; empty where it has no end. */
  readonly from: string;
  readonly to: string;
}

/** From a moment, up to another that is not part of it. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DATE = /^\d{4}-\d\d-\d\d$/;

/** Reads the name of a period; null for what is none. */
export function periodName(text: string | null): PeriodName | null {
  if (text === 'custom') return text;
  return PERIODS.find((name) => name === text) ?? null;
}

/** The moment up to which a period has begun: what is read with it is the same for a while. */
export function nowOf(name: PeriodName, time: number): Date {
  const step = name === 'hour' ? MINUTE : HOUR;
  return new Date((Math.floor(time / step) + 1) * step);
}

/** The moments of a period; null for one without a beginning. */
export function spanOf({ name, from, to }: Period, now: Date): Span | null {
  if (name === 'all') return null;
  const days = /^(\d+)days$/.exec(name)?.[1];
  if (days !== undefined) {
    const end = Math.ceil(Number(now) / DAY) * DAY;
    return { from: new Date(end - Number(days) * DAY), to: new Date(end) };
  }
  if (name === 'custom') {
    if (!DATE.test(from)) return null;
    const last = DATE.test(to) && to >= from ? to : now.toISOString().slice(0, 10);
    return { from: new Date(`${from}T00:00Z`), to: new Date(Date.parse(`${last}T00:00Z`) + DAY) };
  }
  const length = name === 'hour' ? HOUR : DAY;
  return { from: new Date(Number(now) - length), to: now };
}

/** The period before, as long as what has passed of this one. */
export function spanBefore({ from, to }: Span, now: Date): Span {
  const length = Number(to) - Number(from);
  const end = Math.max(Math.min(Number(to), Number(now)), Number(from));
  return { from: new Date(Number(from) - length), to: new Date(end - length) };
}

/** From coarse to fine: each is grouped by together with those before it. */
const PARTS = ['year', 'month', 'day', 'hour', 'minute'] as const;

export type Precision = (typeof PARTS)[number];

/** So many points are still a picture. */
const MOST_POINTS = 1_000;

const LENGTHS: Readonly<Record<Precision, number>> = {
  year: 365 * DAY,
  month: 28 * DAY,
  day: DAY,
  hour: HOUR,
  minute: MINUTE,
};

/** The precision that shows most of a span. */
function fittingPrecision(span: Span | null): Precision {
  const length = span === null ? Number.POSITIVE_INFINITY : Number(span.to) - Number(span.from);
  if (length <= 3 * HOUR) return 'minute';
  if (length <= 3 * DAY) return 'hour';
  if (length <= 100 * DAY) return 'day';
  return 'month';
}

/**
 * The precision of a series: the one that is wanted, or a coarser one where that has too many points.
 * @param type of the field of time; a date has no hours
 */
export function precisionFor(
  wanted: Precision | 'auto',
  span: Span | null,
  type: string,
): Precision {
  const chosen = wanted === 'auto' ? fittingPrecision(span) : wanted;
  const finest = type === 'date' || span === null ? 'day' : 'minute';
  const length = span === null ? 0 : Number(span.to) - Number(span.from);
  const start = Math.min(PARTS.indexOf(chosen), PARTS.indexOf(finest));
  const fitting = PARTS.slice(0, start + 1).findLast(
    (part) => length / LENGTHS[part] <= MOST_POINTS,
  );
  return fitting ?? 'year';
}

/** The functions of a field of time that a series is grouped by. */
export function groupsOf(field: string, precision: Precision): readonly string[] {
  return PARTS.slice(0, PARTS.indexOf(precision) + 1).map((part) => `${part}(${field})`);
}

function beginOf(time: Date, precision: Precision): Date {
  const iso = time.toISOString();
  const kept = { year: 4, month: 7, day: 10, hour: 13, minute: 16 }[precision];
  return new Date(`${iso.slice(0, kept)}${'0000-01-01T00:00:00.000Z'.slice(kept)}`);
}

function next(time: Date, precision: Precision): Date {
  if (precision === 'year') return new Date(Date.UTC(time.getUTCFullYear() + 1, 0));
  if (precision === 'month') {
    return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1));
  }
  return new Date(Number(time) + LENGTHS[precision]);
}

/** How a part is written for an axis: days and longer ones as dates, which are the same in each zone. */
function partText(time: Date, precision: Precision, type: string): string {
  const iso = time.toISOString();
  if (precision !== 'hour' && precision !== 'minute') return iso.slice(0, 10);
  return type === 'dateTime' ? iso.slice(0, 16) : iso;
}

/** The part that a row of a grouped answer is of; null where the item has no time. */
export function partOf(row: Item, field: string, precision: Precision): Date | null {
  const numbers = PARTS.slice(0, PARTS.indexOf(precision) + 1).map((part) => {
    const value = row[`${field}_${part}`];
    return value === null || value === undefined ? Number.NaN : Number(value);
  });
  const [year = Number.NaN, month = 1, day = 1, hour = 0, minute = 0] = numbers;
  const time = new Date(Date.UTC(year, month - 1, day, hour, minute));
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Values along the parts of a span: also of those without items, up to now. */
export function alongTime(
  points: readonly (readonly [Date, number | null])[],
  { span, precision, type, now }: AlongTime,
  empty: number | null,
): { readonly times: readonly string[]; readonly values: readonly (number | null)[] } {
  const known = new Map(points.map(([time, value]) => [Number(time), value]));
  const found = points.map(([time]) => Number(time));
  const from = span?.from ?? new Date(Math.min(...found));
  const to = span === null ? Math.max(...found) + 1 : Math.min(Number(span.to), Number(now));
  const times: string[] = [];
  const values: (number | null)[] = [];
  if (points.length === 0 && span === null) return { times, values };
  for (
    let time = beginOf(from, precision);
    Number(time) < to && times.length < 10 * MOST_POINTS;
    time = next(time, precision)
  ) {
    times.push(partText(time, precision, type));
    const value = known.get(Number(time));
    values.push(value === undefined ? empty : value);
  }
  return { times, values };
}

export interface AlongTime {
  readonly span: Span | null;
  readonly precision: Precision;
  /** Of the field of time. */
  readonly type: string;
  readonly now: Date;
}
