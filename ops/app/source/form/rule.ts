/**
 * Judges the rule of a condition on the values of a form, as the server judges rules on payloads:
 * a filter in the notation of the API, whose members all must hold.
 */
import type { Filter, Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';

export interface RuleContext {
  readonly values: Item;
  /** The types of the fields by their names. */
  readonly types: ReadonlyMap<string, string>;
  readonly user: string | null;
  readonly role: string | null;
  readonly now: Date;
}

const DATES = new Set(['date', 'dateTime', 'timestamp']);
const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(ms|milliseconds?)$/, 1],
  [/^(s|secs?|seconds?)$/, 1_000],
  [/^(m|mins?|minutes?)$/, 60_000],
  [/^(h|hrs?|hours?)$/, 3_600_000],
  [/^(d|days?|)$/, 86_400_000],
  [/^(w|weeks?)$/, 604_800_000],
  [/^(mo|mth|months?)$/, 2_629_800_000],
  [/^(y|yrs?|years?)$/, 31_557_600_000],
];

function shifted(now: Date, shift: string): Date {
  const [, sign = '', amount = '0', unit = ''] =
    /^\s*([+-]?)\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(shift) ?? [];
  const found = UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()));
  const distance = Number(amount) * (found?.[1] ?? 0) * (sign === '-' ? -1 : 1);
  return new Date(now.getTime() + distance);
}

/** The value of a variable such as `$NOW(-1 day)`; anything else is what it is. */
function resolve(operand: unknown, { user, role, now }: RuleContext): unknown {
  if (Array.isArray(operand)) {
    return operand.map((one) => resolve(one, { user, role, now, values: {}, types: new Map() }));
  }
  if (typeof operand !== 'string' || !operand.startsWith('$')) return operand;
  if (operand === '$CURRENT_USER') return user;
  if (operand === '$CURRENT_ROLE') return role;
  const [, shift] = /^\$NOW(?:\((.*)\))?$/.exec(operand) ?? [null, null];
  return operand.startsWith('$NOW') ? shifted(now, shift ?? '0').toISOString() : operand;
}

function timeOf(value: unknown, type: string): number {
  const text = String(value);
  if (type === 'date') return Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  if (type === 'dateTime' && !/[zZ]|[+-]\d\d:?\d\d$/.test(text)) return Date.parse(`${text}Z`);
  return Date.parse(text);
}

/** The order of two values: negative, zero, positive; null when they have none. */
function order(value: unknown, operand: unknown, type: string): number | null {
  if (value === null || operand === null) return null;
  if (type === 'boolean') return String(value) === String(operand) ? 0 : 1;
  if (DATES.has(type)) {
    const difference = timeOf(value, type) - timeOf(operand, type);
    return Number.isNaN(difference) ? null : difference;
  }
  if (NUMBERS.has(type) || (typeof value === 'number' && typeof operand === 'number')) {
    if (String(value) === String(operand)) return 0;
    const difference = Number(value) - Number(operand);
    return Number.isNaN(difference) ? null : difference;
  }
  const [left, right] = [textOf(value), textOf(operand)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function listOf(operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) return operand;
  return typeof operand === 'string' ? operand.split(',').map((one) => one.trim()) : [operand];
}

const isEmpty = (value: unknown) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** `false` asks the opposite of what the operator says. */
const wanted = (operand: unknown) => operand !== false && operand !== 'false' && operand !== 0;

type Judge = (value: unknown, operand: unknown, type: string) => boolean;

const ordered =
  (passes: (order: number) => boolean): Judge =>
  (value, operand, type) => {
    const found = order(value, operand, type);
    return found !== null && passes(found);
  };

const equals: Judge = (value, operand, type) =>
  value === null || operand === null ? value === operand : order(value, operand, type) === 0;

const textual =
  (insensitive: boolean, test: (text: string, part: string) => boolean): Judge =>
  (value, operand) => {
    if (value === null) return false;
    const fold = (text: string) => (insensitive ? text.toLowerCase() : text);
    return test(fold(textOf(value)), fold(textOf(operand)));
  };

const contains = (text: string, part: string) => text.includes(part);
const starts = (text: string, part: string) => text.startsWith(part);
const ends = (text: string, part: string) => text.endsWith(part);

const among: Judge = (value, operand, type) =>
  listOf(operand).some((one) => one !== null && equals(value, one, type));

const between: Judge = (value, operand, type) => {
  const [low, high] = listOf(operand);
  const [fromLow, fromHigh] = [order(value, low, type), order(value, high, type)];
  return fromLow !== null && fromHigh !== null && fromLow >= 0 && fromHigh <= 0;
};

function matches(value: unknown, operand: unknown): boolean {
  try {
    const [, inner] = /^\/(.*)\/[a-z]*$/.exec(textOf(operand)) ?? [];
    return value !== null && new RegExp(inner ?? textOf(operand), 'u').test(textOf(value));
  } catch {
    return false;
  }
}

const JUDGES: Readonly<Record<string, Judge>> = {
  _eq: equals,
  _lt: ordered((found) => found < 0),
  _lte: ordered((found) => found <= 0),
  _gt: ordered((found) => found > 0),
  _gte: ordered((found) => found >= 0),
  _in: among,
  _between: between,
  _null: (value, operand) => (value === null) === wanted(operand),
  _empty: (value, operand) => isEmpty(value) === wanted(operand),
  _contains: textual(false, contains),
  _icontains: textual(true, contains),
  _starts_with: textual(false, starts),
  _istarts_with: textual(true, starts),
  _ends_with: textual(false, ends),
  _iends_with: textual(true, ends),
  _ieq: textual(true, (text, part) => text === part),
  _regex: matches,
  _submitted: () => true,
};

/** The opposites, by the operator that each denies. */
const OPPOSITES: Readonly<Record<string, string>> = {
  _neq: '_eq',
  _nin: '_in',
  _nbetween: '_between',
  _nnull: '_null',
  _nempty: '_empty',
  _ncontains: '_contains',
  _nicontains: '_icontains',
  _nstarts_with: '_starts_with',
  _nistarts_with: '_istarts_with',
  _nends_with: '_ends_with',
  _niends_with: '_iends_with',
  _nieq: '_ieq',
};

function operatorHolds(operator: string, value: unknown, operand: unknown, type: string): boolean {
  const denied = OPPOSITES[operator];
  const judge = JUDGES[denied ?? operator];
  return judge !== undefined && judge(value, operand, type) === (denied === undefined);
}

function fieldHolds(value: unknown, test: unknown, context: RuleContext, type: string): boolean {
  if (!isItem(test)) return equals(value ?? null, resolve(test, context), type);
  return Object.entries(test).every(([name, operand]) => {
    if (name.startsWith('_')) {
      return operatorHolds(name, value ?? null, resolve(operand, context), type);
    }
    // Of a related item the form knows what was typed into it, else nothing.
    return isItem(value) && fieldHolds(value[name], operand, context, 'unknown');
  });
}

/** Whether a rule holds for the values; a rule without members holds always. */
export function ruleHolds(rule: Filter, context: RuleContext): boolean {
  return Object.entries(rule).every(([name, test]) => {
    const parts = Array.isArray(test) ? test.filter(isItem) : [];
    if (name === '_and') return parts.every((part) => ruleHolds(part, context));
    if (name === '_or') return parts.some((part) => ruleHolds(part, context));
    return fieldHolds(context.values[name], test, context, context.types.get(name) ?? 'unknown');
  });
}
