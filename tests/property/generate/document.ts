/** Random conditions inside documents. */
import type { Column, Json } from '../model.ts';
import type { Dice } from './dice.ts';
import { OPERATORS } from './operand.ts';
import { DOCUMENT_PATHS, LIST_PATHS } from './values.ts';

const WANTED: readonly Json[] = [
  ...['red', 'Red', 'plain', '3', '2.5', 'x', 'r', 'true', '$CURRENT_USER'],
  ...[1, 2, 2.5, 3, 4, true, false],
];
const FRAGMENTS = ['e', 'R', 'red', '1', '"', ': ', '[', 'l', '%', '_'];

function wanted(dice: Dice, operator: string): Json {
  if (/null|empty/.test(operator)) return dice.pick<Json>([true, true, false]);
  if (/in$/.test(operator)) {
    const list: Json[] = Array.from({ length: dice.int(1, 3) }, () => dice.pick(WANTED));
    return dice.chance(10) ? [...list, null] : list;
  }
  if (operator.endsWith('between')) return [dice.pick(WANTED), dice.pick(WANTED)];
  if (/contains|with/.test(operator)) return dice.pick(FRAGMENTS);
  if (/^_n?eq$/.test(operator) && dice.chance(10)) return null;
  const value = dice.pick(WANTED);
  // In a rule a value has the type that it is written in, and these judge texts.
  return operator.endsWith('ieq') ? String(value) : value;
}

function members(dice: Dice, paths: readonly string[], depth: number): { [key: string]: Json } {
  if (depth > 0 && dice.chance(25)) {
    const parts = [members(dice, paths, depth - 1), members(dice, paths, depth - 1)];
    return { [dice.pick(['_and', '_or'])]: parts };
  }
  return Object.fromEntries(
    Array.from({ length: dice.pick([1, 1, 2]) }, (): [string, Json] => {
      const operator = dice.pick(OPERATORS.member);
      const value = wanted(dice, operator);
      const short = operator === '_eq' && value !== null && dice.chance(40);
      return [dice.pick(paths), short ? value : { [operator]: value }];
    }),
  );
}

/** `{_json: {path: {_op: value}}}` for a column that holds documents. */
export function documentCondition(dice: Dice, column: Column): Json {
  const paths = column.shape === 'list' ? LIST_PATHS : DOCUMENT_PATHS;
  return { _json: members(dice, paths, 2) };
}
