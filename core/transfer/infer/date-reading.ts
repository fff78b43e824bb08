/** Finds the formats in which the text of a date, with or without a time, can be read. */
import { MONTH_NAMES, monthNumber } from '../file/month-names.ts';
import { isDay } from './moment.ts';

const TIME = '(?:(,? |T)(\\d{1,2}):(\\d{2})(:\\d{2})?( ?[AaPp]\\.?[Mm]\\.?)?)?$';
const NUMBERS = new RegExp(`^(\\d{1,4})([./-])(\\d{1,2})\\2(\\d{4}|\\d{1,2})${TIME}`);
const DAY_FIRST = new RegExp(
  `^(\\d{1,2})(\\. ?| |-)(${MONTH_NAMES})( |-)(\\d{4}|\\d{2})${TIME}`,
  'i',
);
const MONTH_FIRST = new RegExp(`^(${MONTH_NAMES}) (\\d{1,2})(,? )(\\d{4})${TIME}`, 'i');

type Found = readonly (string | undefined)[];

/** The format of a time; empty without one, null for one that no clock shows. */
function timeFormat([between, hour = '', minute = '', second, half]: Found): string | null {
  if (between === undefined) return '';
  const last = half === undefined ? 23 : 12;
  if (Number(hour) > last || Number(minute) > 59) return null;
  const seconds = second === undefined ? '' : ':ss';
  const before = between === 'T' ? '[T]' : between;
  if (half === undefined) return `${before}H:mm${seconds}`;
  return `${before}h:mm${seconds}${half.startsWith(' ') ? ' A' : 'A'}`;
}

function yearFormat(year: string): string {
  return year.length === 4 ? 'YYYY' : 'YY';
}

/** Dates of numbers; a point stands only after the day. */
function numbered([first = '', sign = '', second = '', third = '']: Found): string[] {
  const [a, b, c] = [Number(first), Number(second), Number(third)];
  if (first.length === 4) {
    return third.length < 3 && isDay(a, b, c) ? [`YYYY${sign}M${sign}D`] : [];
  }
  if (first.length === 3 || third.length % 2 === 1) return [];
  // Any leap year serves for a year of two digits.
  const year = third.length === 2 ? 2000 + c : c;
  const end = `${sign}${yearFormat(third)}`;
  return [
    ...(isDay(year, b, a) ? [`D${sign}M${end}`] : []),
    ...(sign !== '.' && isDay(year, a, b) ? [`M${sign}D${end}`] : []),
  ];
}

/** The formats; none when the text is no date, or has the format of ISO 8601. */
export function dateFormats(text: string): readonly string[] {
  const numbers = NUMBERS.exec(text);
  if (numbers !== null) {
    const time = timeFormat(numbers.slice(5));
    return time === null ? [] : numbered(numbers.slice(1)).map((date) => date + time);
  }
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) {
    const [, day, between, month = '', before, year = ''] = dayFirst;
    const time = timeFormat(dayFirst.slice(6));
    if (time === null || !isDay(2000, Number(monthNumber(month)), Number(day))) return [];
    return [`D${between}MMM${before}${yearFormat(year)}${time}`];
  }
  const monthFirst = MONTH_FIRST.exec(text);
  if (monthFirst === null) return [];
  const [, month = '', day, between] = monthFirst;
  const time = timeFormat(monthFirst.slice(5));
  if (time === null || !isDay(2000, Number(monthNumber(month)), Number(day))) return [];
  return [`MMM D${between}YYYY${time}`];
}

/** Whether a format begins with the day, or with the month; null for others. */
export function orderOf(format: string): 'day' | 'month' | null {
  if (/^D[./-]M/.test(format)) return 'day';
  return /^M[./-]D/.test(format) ? 'month' : null;
}
