/** What each operator means for one value: true, or not (false and unknown alike). */
import type { Json } from '../model.ts';
import { Refusal } from './refusal.ts';
import { compare, normal, type ValueType } from './value.ts';

/** A dynamic variable that has no value. */
export const NOTHING = Symbol('nothing');
export type Operand = Json | typeof NOTHING | readonly (Json | typeof NOTHING)[];

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

type TextTest = (value: string, wanted: string) => boolean;

const TEXT_TESTS: Readonly<Record<string, TextTest>> = {
  contains: (value, wanted) => value.includes(wanted),
  starts_with: (value, wanted) => value.startsWith(wanted),
  ends_with: (value, wanted) => value.endsWith(wanted),
  eq: (value, wanted) => value === wanted,
};

/** `_nistarts_with`: negated, case-insensitive, the test. */
function textOperator(operator: string) {
  const [, negated, insensitive, name] =
    /^_(n?)(i?)(contains|starts_with|ends_with|eq)$/.exec(operator) ?? [];
  const test = name === undefined ? undefined : TEXT_TESTS[name];
  if (test === undefined) return null;
  const fold = insensitive === 'i' ? lower : (text: string) => text;
  return { test, fold, negated: negated === 'n' };
}

/** Substrings and the like. */
export function textTest(operator: string, value: string, wanted: string): boolean {
  const text = textOperator(operator);
  if (text === null) throw new Error(`there is no operator ${operator}`);
  return text.test(text.fold(value), text.fold(wanted)) !== text.negated;
}

export function members(operand: Operand): readonly (Json | typeof NOTHING)[] {
  if (typeof operand === 'string') return operand.split(',').map((entry) => entry.trim());
  if (Array.isArray(operand)) return operand;
  throw new Refusal('a list is needed');
}

function isTrue(operand: Operand): boolean {
  return operand === true || operand === '' || operand === 'true';
}

function membership(type: ValueType, value: Json, operand: Operand, negated: boolean): boolean {
  const list = members(operand);
  if (list.length === 0) throw new Refusal('the list is empty');
  if (value === null) return false;
  const known: Json[] = list.filter((entry) => entry !== NOTHING && entry !== null);
  const found = known.some((entry) => compare(type, value, normal(type, entry)) === 0);
  return negated ? !found && known.length === list.length : found;
}

function between(type: ValueType, value: Json, operand: Operand, negated: boolean): boolean {
  const list = members(operand);
  const [low, high] = list;
  if (low === undefined || high === undefined) throw new Refusal('a range has two ends');
  if (value === null || typeof low === 'symbol' || typeof high === 'symbol') return false;
  const inside =
    compare(type, value, normal(type, low)) >= 0 && compare(type, value, normal(type, high)) <= 0;
  return inside !== negated;
}

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  _eq: (order) => order === 0,
  _neq: (order) => order !== 0,
  _lt: (order) => order < 0,
  _lte: (order) => order <= 0,
  _gt: (order) => order > 0,
  _gte: (order) => order >= 0,
};

function scalar(operator: string, type: ValueType, value: Json, wanted: Json): boolean {
  if (wanted === null && operator === '_eq') return value === null;
  if (wanted === null && operator === '_neq') return value !== null;
  if (value === null || wanted === null) return false;
  const order = ORDERS[operator];
  if (order !== undefined) return order(compare(type, value, normal(type, wanted)));
  return textTest(operator, String(value), String(wanted));
}

/** Whether the value meets the operator. */
export function meets(operator: string, type: ValueType, value: Json, operand: Operand): boolean {
  switch (operator) {
    case '_null':
      return (value === null) === isTrue(operand);
    case '_nnull':
      return (value !== null) === isTrue(operand);
    case '_empty':
      return (value === null || String(value) === '') === isTrue(operand);
    case '_nempty':
      return (value !== null && String(value) !== '') === isTrue(operand);
    case '_in':
    case '_nin':
      return membership(type, value, operand, operator === '_nin');
    case '_between':
    case '_nbetween':
      return between(type, value, operand, operator === '_nbetween');
  }
  if (typeof operand === 'symbol') return false;
  if (typeof operand === 'object' && operand !== null) throw new Refusal('a scalar is needed');
  return scalar(operator, type, value, operand);
}
