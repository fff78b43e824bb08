/** Dynamic variables: `$NOW` with shifts, and the ids of the caller. */
import type { Caller } from '#core/access/grants.ts';
import type { BindingContext } from './placeholder.ts';

/** Stands for a variable that has no value for this caller. */
export const NO_VALUE = Symbol('no value');

const UNITS: Readonly<Record<string, (date: Date, amount: number) => void>> = {
  ms: (date, amount) => date.setTime(date.getTime() + amount),
  s: (date, amount) => date.setTime(date.getTime() + amount * 1_000),
  m: (date, amount) => date.setTime(date.getTime() + amount * 60_000),
  h: (date, amount) => date.setTime(date.getTime() + amount * 3_600_000),
  d: (date, amount) => date.setTime(date.getTime() + amount * 86_400_000),
  w: (date, amount) => date.setTime(date.getTime() + amount * 604_800_000),
  month: (date, amount) => shiftMonths(date, amount),
  y: (date, amount) => shiftMonths(date, amount * 12),
};

const UNIT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ms: 'ms msec msecs millisecond milliseconds',
    s: 's sec secs second seconds',
    m: 'm min mins minute minutes',
    h: 'h hr hrs hour hours',
    d: 'd day days',
    w: 'w week weeks',
    month: 'mo mth mths month months',
    y: 'y yr yrs year years',
  }).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);

/**
 * Shifts by whole calendar months (the day stays within its month), the rest as days of 1/30 month.
 */
function shiftMonths(date: Date, amount: number): void {
  const whole = Math.trunc(amount);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + whole);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  date.setTime(date.getTime() + (amount - whole) * 30 * 86_400_000);
}

/** The maximum length of a shift: the matching time grows with the square of the length. */
const MAX_SHIFT = 100;

/** `$NOW(+1 day)`: the shifted time; an invalid shift is ignored. */
function shifted(now: Date, shift: string): Date {
  const date = new Date(now);
  if (shift.length > MAX_SHIFT) return date;
  const match = /^\s*([+-]?)\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)\s*$/i.exec(shift);
  const [, sign, number, name] = match ?? [];
  const unit = name === '' ? 'd' : UNIT_NAMES.get((name ?? '').toLowerCase());
  if (number === undefined || unit === undefined) return date;
  UNITS[unit]?.(date, (sign === '-' ? -1 : 1) * Number(number));
  return Number.isNaN(date.getTime()) ? new Date(now) : date;
}

/** An empty list is no value: comparisons with it are unknown. */
function listValue(list: readonly string[]): unknown {
  return list.length === 0 ? NO_VALUE : list;
}

/** Whether a text names a dynamic variable. */
export function isVariable(text: string): boolean {
  return text.startsWith('$CURRENT_') || isTimestampVariable(text);
}

/** Whether a text stands for the current time. */
export function isTimestampVariable(text: string): boolean {
  return /^\$NOW(?:\(.*\))?$/s.test(text);
}

/** A key that is equal for callers whose variables with values are the same. */
export function variableAvailability(caller: Caller): string {
  const { user, role, roles, policies } = caller;
  const person = (user === null ? 0 : 1) + (role === null ? 0 : 2);
  return String(person + (roles.length > 0 ? 4 : 0) + (policies.length > 0 ? 8 : 0));
}

/**
 * The value of a text that names a dynamic variable, else the text itself. Lists (`$CURRENT_ROLES`)
 * are arrays; a variable without a value yields {@link NO_VALUE}.
 */
export function resolveVariable({ caller, now }: BindingContext, text: string): unknown {
  if (!text.startsWith('$')) return text;
  const shift = /^\$NOW(?:\((.*)\))?$/s.exec(text);
  if (shift !== null) return shifted(now, shift[1] ?? '').toISOString();
  if (text === '$CURRENT_USER') return caller.user ?? NO_VALUE;
  if (text === '$CURRENT_ROLE') return caller.role ?? NO_VALUE;
  if (text === '$CURRENT_ROLES') return listValue(caller.roles);
  if (text === '$CURRENT_POLICIES') return listValue(caller.policies);
  return text.startsWith('$CURRENT_') ? NO_VALUE : text;
}
