/**
 * Dates and times in other notations than ISO 8601. A format consists of tokens and of the
 * characters between them; text in brackets is literal.
 */
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { MONTH_NAMES, monthNumber } from './month-names.ts';

/** An invalid format. */
export class WrongDateFormat extends Error {
  readonly reason: Reason;

  constructor(why: Reason) {
    super(why.sentence);
    this.reason = why;
  }
}

/** The tokens, longer ones first, with their patterns. */
const TOKENS: readonly (readonly [string, string, string])[] = [
  ['YYYY', 'year', '\\d{4}'],
  ['YY', 'year', '\\d{2}'],
  ['MMMM', 'month', MONTH_NAMES],
  ['MMM', 'month', MONTH_NAMES],
  ['MM', 'month', '\\d{2}'],
  ['M', 'month', '\\d{1,2}'],
  ['DD', 'day', '\\d{2}'],
  ['D', 'day', '\\d{1,2}'],
  ['HH', 'hour', '\\d{2}'],
  ['H', 'hour', '\\d{1,2}'],
  ['hh', 'hour', '\\d{2}'],
  ['h', 'hour', '\\d{1,2}'],
  ['A', 'half', '[ap]\\.?m\\.?'],
  ['a', 'half', '[ap]\\.?m\\.?'],
  ['mm', 'minute', '\\d{2}'],
  ['m', 'minute', '\\d{1,2}'],
  ['ss', 'second', '\\d{2}'],
  ['s', 'second', '\\d{1,2}'],
  ['SSS', 'fraction', '\\d{1,6}'],
  ['Z', 'zone', 'Z|[+-]\\d{2}(?::?\\d{2})?'],
];

/** Tokens that consist of digits only. */
const DIGITS = new Set(
  TOKENS.map(([token]) => token).filter((token) => !['Z', 'A', 'a', 'MMM', 'MMMM'].includes(token)),
);

const PIECE =
  /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM?|DD?|HH?|hh?|[Aa]|mm?|ss?|SSS|Z|[A-Za-z]+|[^A-Za-z[]/g;

/** Years of two digits from this one on belong to the 20th century. */
const PIVOT = 70;

function fullYear(year: string): string {
  if (year.length > 2) return year;
  return `${Number(year) < PIVOT ? 20 : 19}${year}`;
}

/** The hour of a 24-hour clock; null when a 12-hour clock does not have it. */
function hourOf(hour: string, half: string | undefined): string | null {
  if (half === undefined) return hour;
  const number = Number(hour);
  if (number < 1 || number > 12) return null;
  return String((number % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0));
}

/** The parts of a text, by the parts of its format. */
type Parts = Readonly<Record<string, string | undefined>>;

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}

/** Parses texts of one format. */
export class DateFormat {
  readonly #pattern: RegExp;
  /** Whether its texts contain a date; otherwise only a time. */
  readonly hasDate: boolean;
  readonly #hasTime: boolean;

  /**
   * @throws {WrongDateFormat} for unknown letters, repeated tokens, half a date or time, and
   * adjacent numbers without a separator
   */
  constructor(format: string) {
    const seen = new Set<string>();
    // Of two adjacent numbers one must have a fixed length.
    let open = '';
    const pattern = Array.from(format.matchAll(PIECE), ([piece, literal]) => {
      if (!/\d$/.test(literal ?? piece) && !DIGITS.has(piece)) open = '';
      if (literal !== undefined) return quoted(literal);
      const token = TOKENS.find(([name]) => name === piece);
      if (token === undefined) {
        if (/[A-Za-z]/.test(piece) && piece !== 'T') {
          const letters = JSON.stringify(piece);
          throw new WrongDateFormat(reason('date_format_letters_unknown', { letters }));
        }
        return quoted(piece);
      }
      const [, name, digits] = token;
      if (seen.has(name)) {
        throw new WrongDateFormat(reason('date_format_part_twice', { part: name }));
      }
      seen.add(name);
      if (digits.includes(',')) {
        if (open !== '') {
          throw new WrongDateFormat(
            reason('date_format_parts_run_together', { before: open, part: name }),
          );
        }
        open = name;
      }
      return `(?<${name}>${digits})`;
    });
    const has = (...names: string[]) => names.filter((name) => seen.has(name)).length;
    this.hasDate = has('year', 'month', 'day') > 0;
    this.#hasTime = has('hour', 'minute', 'second', 'fraction') > 0;
    if (this.hasDate && has('year', 'month', 'day') < 3) {
      throw new WrongDateFormat(reason('date_format_date_incomplete'));
    }
    if (this.#hasTime && has('hour', 'minute') < 2) {
      throw new WrongDateFormat(reason('date_format_time_incomplete'));
    }
    if (seen.has('fraction') && !seen.has('second')) {
      throw new WrongDateFormat(reason('date_format_seconds_missing'));
    }
    const hasHalf = seen.has('half');
    if (hasHalf !== /h/.test(format.replace(/\[[^\]]*\]/g, ''))) {
      throw new WrongDateFormat(reason('date_format_half_missing'));
    }
    if (!this.hasDate && !this.#hasTime) throw new WrongDateFormat(reason('date_format_empty'));
    this.#pattern = new RegExp(`^${pattern.join('')}$`, 'i');
  }

  /** The text in ISO 8601; null when it does not have this format. Days are not checked here. */
  iso(text: string): string | null {
    const parts: Parts | undefined = this.#pattern.exec(text.trim())?.groups;
    if (parts === undefined) return null;
    const { zone = '', fraction, half, month = '', year = '' } = parts;
    const hour = hourOf(parts.hour ?? '0', half);
    if (hour === null) return null;
    const two = (name: string) => (parts[name] ?? '0').padStart(2, '0');
    const date = this.hasDate ? `${fullYear(year)}-${monthNumber(month)}-${two('day')}` : null;
    const time = this.#hasTime
      ? `${hour.padStart(2, '0')}:${two('minute')}:${two('second')}${fraction === undefined ? '' : `.${fraction}`}${zone}`
      : null;
    return [date, time].filter((part) => part !== null).join('T');
  }
}

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?$/;
const DAY_MS = 86_400_000;

/** An instant in UTC; `Date.UTC` maps years before 100 to the 20th century. */
function utc(year: number, month: number, ...rest: readonly number[]): number {
  const [day = 1, hour = 0, minute = 0, second = 0] = rest;
  return new Date(Date.UTC(2000, 0, 1, hour, minute, second)).setUTCFullYear(year, month - 1, day);
}

/** Local times of one time zone. */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  }

  /**
   * The zone's offset from UTC at an instant in milliseconds; before 1900 not only whole minutes.
   */
  #offset(instant: number): number {
    const found: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(instant)) found[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
    return utc(year, month, day, hour, minute, second) - Math.floor(instant / 1_000) * 1_000;
  }

  /**
   * An ISO text without a zone, with the offset of this zone at that time; other texts are
   * unchanged. A local time that occurs twice when clocks are set back means the first occurrence.
   */
  zoned(text: string): string {
    const match = LOCAL.exec(text);
    if (match === null) return text;
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
      .slice(1, 7)
      .map((part) => Number(part ?? 0));
    const local = utc(year, month, day, hour, minute, second);
    const early = this.#offset(local - DAY_MS);
    const isEarly = this.#offset(local - early) === early;
    const offset = isEarly ? early : this.#offset(local - this.#offset(local));
    const two = (value: number) => String(Math.trunc(value)).padStart(2, '0');
    const sign = offset < 0 ? '-' : '+';
    const size = Math.abs(offset) / 1_000;
    const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`;
    const time = match[4] === undefined ? `${text}T00:00:00` : text;
    return `${time}${sign}${two(size / 3_600)}:${two((size / 60) % 60)}${seconds}`;
  }
}
