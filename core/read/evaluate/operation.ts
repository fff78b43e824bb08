/** Evaluates one operator on one member of a payload. */
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { type Operator, operatorsOf, type SpatialOperator } from '#core/query/operator.ts';
import { compare, hasDatabaseSpellings, isCaseInsensitive, storedText, textOf } from './compare.ts';
import type { Matcher } from './regex.ts';

/**
 * Stands for a variable without a value, and for a value that a rule cannot read: no test holds for
 * it.
 */
export const UNKNOWN: unique symbol = Symbol('unknown');

/** A member that an operator is applied to. */
export interface Subject {
  /** Undefined when the payload does not have it; {@link UNKNOWN} when it cannot be evaluated. */
  readonly value: unknown;
  /** Null for members that are not fields with a column. */
  readonly field: ColumnField | null;
}

/** The violation of a rule by a member. */
export interface RuleViolation {
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Whether a test holds, and the details of the violation otherwise. */
interface Verdict {
  readonly holds: boolean;
  readonly type?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

type Judge = (subject: Subject, operand: unknown, matcher: Matcher) => Verdict;

/** The operand `false` negates the operator. */
function flag(operand: unknown): boolean {
  return !(operand === false || operand === 'false' || operand === 0 || operand === '0');
}

function listOf(operand: unknown): readonly unknown[] {
  if (Array.isArray(operand)) return operand;
  if (typeof operand === 'string') return operand.split(',').map((entry) => entry.trim());
  return typeof operand === 'object' && operand !== null ? Object.values(operand) : [operand];
}

function order({ value, field }: Subject, operand: unknown): number | null {
  if (value === null || operand === null) return null;
  return compare(field, value, operand);
}

function equals(subject: Subject, operand: unknown): boolean {
  if (subject.value === null || operand === null) return subject.value === operand;
  return order(subject, operand) === 0;
}

/** Whether the two certainly differ, in any spelling. */
function differs(subject: Subject, operand: unknown): boolean {
  if (subject.value === null || operand === null) return subject.value !== operand;
  const found = order(subject, operand);
  return found !== null && found !== 0;
}

/** A test that passes for some orders of the value and the operand. */
function ordered(passes: (order: number) => boolean): Judge {
  return (subject, operand) => {
    const found = order(subject, operand);
    return { holds: found !== null && passes(found), details: { valid: operand } };
  };
}

/** A test of the value's text. Null has no text: only the negated test holds for it. */
function textual(
  negated: boolean,
  insensitive: boolean,
  test: (text: string, part: string) => boolean,
): Judge {
  return ({ value, field }, operand) => {
    const details = { substring: operand };
    if (value === null) return { holds: negated, details };
    const text = storedText(field, value);
    // The stored spelling is unknown here, so a negated test cannot be shown to hold.
    if (text === null || (negated && field !== null && hasDatabaseSpellings(field))) {
      return { holds: false, details };
    }
    const fold = (one: string) =>
      insensitive || isCaseInsensitive(field) ? one.toLowerCase() : one;
    return { holds: test(fold(text), fold(textOf(operand))) !== negated, details };
  };
}

/** Case-insensitive equality. */
function sameText(negated: boolean): Judge {
  const judge = textual(negated, true, (text, part) => text === part);
  return (subject, operand, matcher) => ({
    ...judge(subject, operand, matcher),
    type: negated ? 'neq' : 'eq',
    details: negated ? { invalid: operand } : { valid: operand },
  });
}

function presence(test: (subject: Subject) => boolean, opposite: string, own: string): Judge {
  return (subject, operand) => {
    const wanted = flag(operand);
    return { holds: test(subject) === wanted, type: wanted ? own : opposite };
  };
}

const isNull = ({ value }: Subject) => value === null;
const isEmpty = ({ value, field }: Subject) =>
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'string' && (value === '' || storedText(field, value) === ''));

/** A test of both bounds of a range; the violation names the bound that fails. */
const between: Judge = (subject, operand) => {
  const [low, high, ...more] = listOf(operand);
  if (low === undefined || high === undefined || more.length > 0) return { holds: false };
  const fromLow = order(subject, low);
  const fromHigh = order(subject, high);
  if (fromLow === null || fromLow < 0)
    return { holds: false, type: 'gte', details: { valid: low } };
  return {
    holds: fromHigh !== null && fromHigh <= 0,
    type: 'lte',
    details: { valid: high },
  };
};

const outside: Judge = (subject, operand) => {
  const [low, high, ...more] = listOf(operand);
  if (low === undefined || high === undefined || more.length > 0) return { holds: false };
  const fromLow = order(subject, low);
  const fromHigh = order(subject, high);
  const isOutside = (fromLow !== null && fromLow < 0) || (fromHigh !== null && fromHigh > 0);
  return { holds: isOutside, type: 'lt', details: { valid: low } };
};

/** Membership in a list; a null in it behaves like SQL's NULL, which equals nothing. */
function isAmong(subject: Subject, operand: unknown): boolean {
  return listOf(operand).some((entry) => entry !== null && equals(subject, entry));
}

/** The tests of all operators that are evaluated in memory, including those for payloads only. */
const JUDGES: Readonly<Record<Exclude<Operator, SpatialOperator> | '_regex', Judge>> = {
  _eq: (subject, operand) => ({ holds: equals(subject, operand), details: { valid: operand } }),
  _neq: (subject, operand) => ({ holds: differs(subject, operand), details: { invalid: operand } }),
  _lt: ordered((found) => found < 0),
  _lte: ordered((found) => found <= 0),
  _gt: ordered((found) => found > 0),
  _gte: ordered((found) => found >= 0),
  _in: (subject, operand) => ({
    holds: isAmong(subject, operand),
    details: { valid: listOf(operand) },
  }),
  _nin: (subject, operand) => ({
    holds: listOf(operand).every((entry) => entry !== null && differs(subject, entry)),
    details: { invalid: listOf(operand) },
  }),
  _between: between,
  _nbetween: outside,
  _null: presence(isNull, 'nnull', 'null'),
  _nnull: presence((subject) => !isNull(subject), 'null', 'nnull'),
  _empty: presence(isEmpty, 'nempty', 'empty'),
  _nempty: presence((subject) => !isEmpty(subject), 'empty', 'nempty'),
  _contains: textual(false, false, (text, part) => text.includes(part)),
  _ncontains: textual(true, false, (text, part) => text.includes(part)),
  _icontains: textual(false, true, (text, part) => text.includes(part)),
  _nicontains: textual(true, true, (text, part) => text.includes(part)),
  _starts_with: textual(false, false, (text, part) => text.startsWith(part)),
  _nstarts_with: textual(true, false, (text, part) => text.startsWith(part)),
  _istarts_with: textual(false, true, (text, part) => text.startsWith(part)),
  _nistarts_with: textual(true, true, (text, part) => text.startsWith(part)),
  _ends_with: textual(false, false, (text, part) => text.endsWith(part)),
  _nends_with: textual(true, false, (text, part) => text.endsWith(part)),
  _iends_with: textual(false, true, (text, part) => text.endsWith(part)),
  _niends_with: textual(true, true, (text, part) => text.endsWith(part)),
  _ieq: sameText(false),
  _nieq: sameText(true),
  _regex: ({ value, field }, operand, matcher) => {
    const text = value === null ? null : storedText(field, value);
    const holds = text !== null && matcher.matches(textOf(operand), text);
    return { holds, details: { invalid: value } };
  },
};

function isJudged(operator: string): operator is keyof typeof JUDGES {
  return Object.hasOwn(JUDGES, operator);
}

const LISTS: ReadonlySet<string> = new Set(['_in', '_nin', '_between', '_nbetween']);
const SINGLE: ReadonlySet<string> = new Set(['_eq', '_neq', '_lt', '_lte', '_gt', '_gte']);
const ALWAYS_DECIDED: ReadonlySet<string> = new Set(['_null', '_nnull', '_regex', '_submitted']);
const EMPTINESS: ReadonlySet<string> = new Set(['_empty', '_nempty']);

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** The database's locale determines the case of letters beyond ASCII. */
function hasKnownCases(texts: readonly unknown[]): boolean {
  return texts.every((text) => isAscii(textOf(text)));
}

/** Whether PostgreSQL supports the operator for the field, and so can evaluate it. */
export function isCheckableByDatabase({ type }: ColumnField, operator: string): boolean {
  return operatorsOf(type, false).some((name) => name === operator);
}

/**
 * Whether an operator can be evaluated without PostgreSQL. It cannot for values whose spellings
 * only PostgreSQL compares, for most lists and documents, and for tests that depend on its locale.
 */
export function isDecidable(
  operator: string,
  { value, field }: Subject,
  operand: unknown,
): boolean {
  if (value === null || field === null || ALWAYS_DECIDED.has(operator)) return true;
  if (field.type === 'json') return SINGLE.has(operator) || LISTS.has(operator);
  if (!isJudged(operator)) return false;
  if (hasDatabaseSpellings(field)) return !isCheckableByDatabase(field, operator);
  if (EMPTINESS.has(operator)) return true;
  if (isCaseInsensitive(field) && !hasKnownCases([value, operand])) return false;
  if (SINGLE.has(operator) || LISTS.has(operator)) {
    const entries = LISTS.has(operator) ? listOf(operand) : [operand];
    return entries.every((entry) => entry === null || compare(field, value, entry) !== null);
  }
  if (/^_n?i/.test(operator) && !hasKnownCases([value, operand])) return false;
  return storedText(field, value) !== null;
}

/**
 * Evaluates an operator. A missing member passes every operator but `_submitted`; nothing passes an
 * unknown operator.
 */
export function operatorViolation(
  operator: string,
  subject: Subject,
  operand: unknown,
  matcher: Matcher,
): RuleViolation | null {
  if (operator === '_submitted') {
    const missing = subject.value === undefined && flag(operand);
    return missing ? { type: 'required', details: {} } : null;
  }
  if (subject.value === undefined) return null;
  const type = operator.replace(/^_/, '');
  const judge = isJudged(operator) ? JUDGES[operator] : undefined;
  const members = Array.isArray(operand) ? operand : [operand];
  if (judge === undefined || subject.value === UNKNOWN || members.includes(UNKNOWN)) {
    return { type, details: {} };
  }
  const verdict = judge(subject, operand, matcher);
  return verdict.holds ? null : { type: verdict.type ?? type, details: verdict.details ?? {} };
}
