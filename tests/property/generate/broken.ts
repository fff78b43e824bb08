/** Random conditions that lack something, have too much, or are none. */
import { type Json, relationsOf, type Table, type World } from '../model.ts';
import type { Dice } from './dice.ts';

const OF_VALUES: readonly Json[] = [
  ...[{ _between: [1] }, { _between: [1, 2, 3] }, { _nbetween: [] }, { _between: '1' }],
  ...[{ _in: [] }, { _nin: {} }, { _in: null }, { _nin: [[1]] }],
  ...[{ _null: 'x' }, { _nnull: null }, { _empty: {} }, { _eq: {} }, { _neq: [1] }],
  ...[{ _gt: null }, { _contains: [] }, { _nope: 1 }],
  ...[{}, [], { _and: [] }, { _or: [] }, { _json: {} }],
];
const OF_RELATIONS: readonly Json[] = [...[{}, { _and: [{}] }, { _or: [] }, { _nope: {} }]];
const OF_LISTS: readonly Json[] = [{ _some: {} }, { _none: {} }, { _none: { _and: [] } }];
const WHOLE: readonly (readonly [string, Json])[] = [
  ['_or', []],
  ['_or', [{}]],
  ['_or', {}],
  ['_or', [{ _and: [] }]],
  ['_and', {}],
  ['_and', [{ _or: [] }]],
  ['__proto__', { _eq: 1 }],
];

/** A member of a filter that is no condition. */
export function brokenPart(dice: Dice, world: World, table: Table): readonly [string, Json] {
  const chance = dice.int(1, 100);
  if (chance <= 30) return dice.pick(WHOLE);
  const relations = relationsOf(world, table.name);
  if (chance <= 55 && relations.length > 0) {
    const relation = dice.pick(relations);
    const isList = 'child' in relation;
    const scope = relation.kind === 'a2o' ? `:${dice.pick(relation.allowed)}` : '';
    const broken = isList ? [...OF_RELATIONS, ...OF_LISTS] : OF_RELATIONS;
    return [`${relation.field}${scope}`, dice.pick(broken)];
  }
  return [dice.pick(table.columns).name, dice.pick(OF_VALUES)];
}
