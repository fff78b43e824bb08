/**
 * Days of a calendar as texts (`2026-02-28`), and the values of fields on them. A `timestamp` is on the day
 * that it has in the time zone of the user; dates without a zone are on their own day.
 */

import { momentAt, wallTime } from '../data/zone.ts';

/** Which days a calendar shows. */
export type Mode = 'month' | 'week' | 'agenda';

export const MODES: readonly Mode[] = ['month', 'week', 'agenda'];

const DAY_MS = 86_400_000;
const DAYS_OF_WEEK = 7;
/** Days of an agenda. */
const AGENDA = 28;
/** Regions whose weeks begin with Sunday, and with Saturday. */
const FROM_SUNDAY = /^(US|CA|MX|BR|JP|KR|TW|HK|IN|IL|ZA|PH|CO|PE|VE|AR|SA)$/;
const FROM_SATURDAY = /^(EG|AE|DZ|IQ|JO|KW|LY|OM|QA|SY|YE|IR|AF)$/;

function utc(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** The day of a date in a time zone. */
export function dayOfDate(date: Date, zone: string): string {
  return wallTime(date, zone).slice(0, 10);
}

/** Whether a text is a day of the calendar. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = utc(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export function addDays(day: string, days: number): string {
  return new Date(utc(day).getTime() + days * DAY_MS).toISOString().slice(0, 10);
}

/** The same day of another month, or the last one of it. */
export function addMonths(day: string, months: number): string {
  const date = utc(day);
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  first.setUTCDate(Math.min(date.getUTCDate(), last.getUTCDate()));
  return first.toISOString().slice(0, 10);
}

/** How many days another day is later. */
export function daysBetween(from: string, to: string): number {
  return Math.round((utc(to).getTime() - utc(from).getTime()) / DAY_MS);
}

/** The day of the week that weeks begin with for a language or region: 0 for Sunday. */
export function firstDayOfWeek(locale: string): number {
  const { region = '' } = new Intl.Locale(locale).maximize();
  return FROM_SUNDAY.test(region) ? 0 : FROM_SATURDAY.test(region) ? 6 : 1;
}

/** The first day of the week that a day is in. */
function weekOf(day: string, firstDay: number): string {
  const back = (utc(day).getUTCDay() - firstDay + DAYS_OF_WEEK) % DAYS_OF_WEEK;
  return addDays(day, -back);
}

/** The days that a calendar shows, in whole weeks but for the agenda. */
export function daysShown(mode: Mode, day: string, firstDay: number): readonly string[] {
  const monthBegin = `${day.slice(0, 8)}01`;
  const begin = mode === 'agenda' ? day : weekOf(mode === 'month' ? monthBegin : day, firstDay);
  const monthEnd = addDays(addMonths(monthBegin, 1), -1);
  const count =
    mode === 'agenda'
      ? AGENDA
      : mode === 'week'
        ? DAYS_OF_WEEK
        : daysBetween(begin, weekOf(monthEnd, firstDay)) + DAYS_OF_WEEK;
  return Array.from({ length: count }, (_, index) => addDays(begin, index));
}

/** The day that leads to the next or the previous period. */
export function turned(mode: Mode, day: string, by: 1 | -1): string {
  if (mode === 'month') return addMonths(`${day.slice(0, 8)}01`, by);
  return addDays(day, by * (mode === 'week' ? DAYS_OF_WEEK : AGENDA));
}

/** The days in rows of a week. */
export function weeksOf(days: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(days.length / DAYS_OF_WEEK) }, (_, index) =>
    days.slice(index * DAYS_OF_WEEK, (index + 1) * DAYS_OF_WEEK),
  );
}

/** The day of a value; null for none, and for what is no day of the calendar (`infinity`). */
export function dayOf(type: string, value: unknown, zone: string): string | null {
  if (typeof value !== 'string') return null;
  if (type === 'timestamp') {
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? null : dayOfDate(date, zone);
  }
  const day = value.slice(0, 10);
  return isDay(day) ? day : null;
}

/** The time of a day as the API takes it for a type: its begin, or that of a value. */
export function valueOn(type: string, day: string, before: unknown, zone: string): string {
  if (type === 'date') return day;
  const text = typeof before === 'string' ? before : '';
  if (type === 'dateTime') return `${day}T${text.slice(11) || '00:00:00'}`;
  const time = new Date(text);
  const isKnown = !Number.isNaN(time.getTime());
  const clock = isKnown ? wallTime(time, zone).slice(11) : '00:00:00';
  const part = isKnown ? String(time.getUTCMilliseconds()).padStart(3, '0') : '000';
  return momentAt(`${day}T${clock}.${part}`, zone).toISOString();
}
