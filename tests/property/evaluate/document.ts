/** What operators mean for a member of a document, whose type nobody has promised. */
import type { Json } from '../model.ts';
import { members, NOTHING, type Operand, textTest } from './operator.ts';
import { Refusal } from './refusal.ts';
import { compare } from './value.ts';

/** Keys of an object stand in the order of their lengths, then of their letters. */
function jsonbText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `{${keys.map(([key, entry]) => `${JSON.stringify(key)}: ${jsonbText(entry)}`).join(', ')}}`;
}

/** A string is its own text. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : jsonbText(value);
}

/** Two numbers by value, everything else as texts. */
function order(value: Json, wanted: Json): number {
  const numbers = typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(String(wanted));
  return numbers
    ? compare('number', value, wanted)
    : compare('string', textOf(value), String(wanted));
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  _eq: (result) => result === 0,
  _neq: (result) => result !== 0,
  _lt: (result) => result < 0,
  _lte: (result) => result <= 0,
  _gt: (result) => result > 0,
  _gte: (result) => result >= 0,
};

function isTrue(operand: Operand): boolean {
  return operand === true || operand === '' || operand === 'true';
}

function among(value: Json, operand: Operand, negated: boolean): boolean {
  const list = members(operand);
  if (list.length === 0) throw new Refusal('the list is empty');
  if (value === null) return false;
  const known: Json[] = list.filter((entry) => entry !== NOTHING && entry !== null);
  const found = known.some((entry) => order(value, entry) === 0);
  return negated ? !found && known.length === list.length : found;
}

function between(value: Json, operand: Operand, negated: boolean): boolean {
  const list = members(operand);
  const [low, high] = list;
  if (low === undefined || high === undefined) throw new Refusal('a range has two ends');
  if (value === null || typeof low === 'symbol' || typeof high === 'symbol') return false;
  return (order(value, low) >= 0 && order(value, high) <= 0) !== negated;
}

/** Whether a member of a document meets the operator; a JSON null is as good as none. */
export function memberMeets(operator: string, value: Json, operand: Operand): boolean {
  switch (operator) {
    case '_null':
    case '_nnull':
      return (value === null) === ((operator === '_null') === isTrue(operand));
    case '_empty':
    case '_nempty':
      return (value === null || value === '') === ((operator === '_empty') === isTrue(operand));
    case '_in':
    case '_nin':
      return among(value, operand, operator === '_nin');
    case '_between':
    case '_nbetween':
      return between(value, operand, operator === '_nbetween');
  }
  if (typeof operand === 'symbol') return false;
  if (typeof operand === 'object' && operand !== null) throw new Refusal('a scalar is needed');
  if (operand === null && operator === '_eq') return value === null;
  if (operand === null && operator === '_neq') return value !== null;
  if (value === null || operand === null) return false;
  const ordered = ORDERS[operator];
  return ordered === undefined
    ? textTest(operator, textOf(value), String(operand))
    : ordered(order(value, operand));
}
