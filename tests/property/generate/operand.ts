/** Random operators with random values, as far as the type of what they judge takes them. */
import type { Column, Json, ScalarType } from '../model.ts';
import type { Dice } from './dice.ts';
import { pool, USERS } from './values.ts';

const NULLS = ['_null', '_nnull'];
const EQUALITY = ['_eq', '_neq', ...NULLS];
const MEMBERSHIP = [...EQUALITY, '_in', '_nin'];
const ORDER = [...MEMBERSHIP, '_lt', '_lte', '_gt', '_gte', '_between', '_nbetween'];
const SENSITIVE = ['contains', 'starts_with', 'ends_with'];
const TEXT = [
  ...MEMBERSHIP,
  '_empty',
  '_nempty',
  '_ieq',
  '_nieq',
  ...SENSITIVE.flatMap((name) => [`_${name}`, `_n${name}`, `_i${name}`, `_ni${name}`]),
];

/** The operators of each type. */
export const OPERATORS: Readonly<Record<ScalarType | 'number' | 'member', readonly string[]>> = {
  string: TEXT,
  text: TEXT,
  enum: TEXT,
  uuid: MEMBERSHIP,
  boolean: EQUALITY,
  integer: ORDER,
  bigInteger: ORDER,
  decimal: ORDER,
  float: ORDER,
  date: ORDER,
  time: ORDER,
  dateTime: ORDER,
  timestamp: [...ORDER, '_empty', '_nempty', '_contains', '_ncontains'],
  json: NULLS,
  number: ORDER,
  csv: TEXT,
  hash: [...NULLS, '_empty', '_nempty'],
  secret: [...NULLS, '_empty', '_nempty'],
  member: [...new Set([...ORDER, ...TEXT])],
};

const FRAGMENTS = ['a', 'A', 'b', 'bc', '%', '_', '\\', "'", '1', 'l', 'ab', ' ', 'tru', 'i'];
const MOMENT_VARIABLES = [
  '$NOW',
  '$NOW(+1 day)',
  '$NOW(-2 hours)',
  '$NOW(3 weeks)',
  '$NOW(-1.5 d)',
].concat('$NOW(2)', '$NOW(+10 min)', '$NOW(-1 month)', '$NOW(2 years)', '$NOW(soon)');
const MOMENTS: ReadonlySet<string> = new Set(['date', 'dateTime', 'timestamp']);
const PERSONS: ReadonlySet<string> = new Set(['uuid', 'string', 'text']);

/** What an operator of a function's result is compared with. */
const NUMBERS: readonly Json[] = [0, 1, 2, 5, 12, 30, 2001, 2004, 2009, -1, 53];

type Subject = Pick<Column, 'type' | 'shape'> | null;

/** A value like those of the column, or a variable that may stand for one. */
function plain(dice: Dice, subject: Subject): Json {
  if (subject === null) return dice.pick(NUMBERS);
  const { type } = subject;
  if (MOMENTS.has(type) && dice.chance(33)) return dice.pick(MOMENT_VARIABLES);
  if (PERSONS.has(type) && dice.chance(type === 'uuid' ? 35 : 8)) {
    return dice.pick(['$CURRENT_USER', '$CURRENT_ROLE']);
  }
  const held = dice.pick(pool(subject));
  const value = type === 'csv' ? String(held) : held;
  // An empty text is compared by _empty alone.
  if (value === '') return 'a';
  if (type === 'integer' && dice.chance(15)) return dice.pick([1.5, '2', 99_999_999_999]);
  if (type === 'bigInteger' && dice.chance(30)) return dice.pick([1, '2', 2.5]);
  if (type === 'decimal' && dice.chance(30)) return dice.pick([2.5, '2.5', '-1.250', 0.001]);
  if (type === 'dateTime' && dice.chance(20)) return '2004-02-29';
  if (type === 'timestamp' && dice.chance(30)) {
    return dice.pick(['2004-02-29', '2009-12-31T23:59:59Z', '2001-01-01T00:00:00']);
  }
  return value;
}

function pair(values: readonly Json[], joined: boolean): Json {
  return joined && values.every(isPlainWord) ? values.join(',') : values;
}

/** It stands in a comma list as it is. */
function isPlainWord(value: Json): boolean {
  return /^[\w.:-]+$/.test(String(value));
}

function list(dice: Dice, subject: Subject): Json {
  const values = Array.from({ length: dice.int(1, 3) }, () => plain(dice, subject));
  if (dice.chance(15) && values.every(isPlainWord)) return values.join(',');
  if (dice.chance(12)) values.push(null);
  const lists = ['$CURRENT_ROLES', '$CURRENT_POLICIES'];
  if (subject !== null && PERSONS.has(subject.type) && dice.chance(25))
    values.push(dice.pick(lists));
  return values;
}

function fragment(dice: Dice): Json {
  const letters = Array.from({ length: dice.int(1, 2) }, () => dice.pick(FRAGMENTS)).join('');
  return letters.trim() === '' ? 'a' : letters;
}

function value(dice: Dice, operator: string, subject: Subject): Json {
  switch (operator) {
    case '_null':
    case '_nnull':
    case '_empty':
    case '_nempty':
      return dice.pick<Json>([true, true, false]);
    case '_in':
    case '_nin':
      return list(dice, subject);
    case '_between':
    case '_nbetween':
      return pair([plain(dice, subject), plain(dice, subject)], dice.chance(15));
    case '_eq':
    case '_neq':
      return dice.chance(10) ? null : plain(dice, subject);
    case '_lt':
    case '_lte':
    case '_gt':
    case '_gte':
      return plain(dice, subject);
  }
  if (subject?.type === 'timestamp') return dice.pick(['2004', '12:30', '999']);
  return operator.endsWith('eq') || dice.chance(20) ? textValue(dice, subject) : fragment(dice);
}

function textValue(dice: Dice, subject: Subject): Json {
  const text = subject === null ? 'a' : String(dice.pick(pool(subject)));
  return text === '' ? 'B%' : text;
}

/** `{_op: value}`, of one or two operators; of a function's result when there is no column. */
export function operations(dice: Dice, subject: Subject): Json {
  const operators = dice.some(OPERATORS[subject?.type ?? 'number'], 1, dice.chance(15) ? 2 : 1);
  const [only] = operators;
  const entries = operators.map((operator): [string, Json] => [
    operator,
    value(dice, operator, subject),
  ]);
  // The shorthand of a plain equality.
  const [, first = null] = entries[0] ?? [];
  if (only === '_eq' && entries.length === 1 && dice.chance(25) && first !== null) return first;
  return Object.fromEntries(entries);
}

/** Values of the caller's variables: some of them missing. */
export function askers(dice: Dice) {
  const [one, two, three] = USERS;
  return {
    user: dice.chance(55) ? one : null,
    role: dice.chance(55) ? two : null,
    roles: dice.chance(60) ? [two, three] : [],
    policies: dice.chance(60) ? [three] : [],
  };
}
