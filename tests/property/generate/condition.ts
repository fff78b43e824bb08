/** Random filters over a table and everything that can be reached from it. */
import {
  type Json,
  type Relation,
  relationsOf,
  type Table,
  type ToMany,
  tableOf,
  UNORDERED,
  type World,
} from '../model.ts';
import type { Dice } from './dice.ts';
import { documentCondition } from './document.ts';
import { operations } from './operand.ts';

const DATE_PARTS = ['year', 'month', 'week', 'day', 'weekday'];
const TIME_PARTS = ['hour', 'minute', 'second'];

/** The functions that the table's own columns and relations take, but not `json`. */
export function calls(world: World, table: Table): string[] {
  const byColumn = table.columns.flatMap(({ name, type, shape }) => {
    if (type === 'json') return shape === 'list' ? [`count(${name})`] : [];
    const parts = [
      ...(['date', 'dateTime', 'timestamp'].includes(type) ? DATE_PARTS : []),
      ...(['time', 'dateTime', 'timestamp'].includes(type) ? TIME_PARTS : []),
    ];
    return parts.map((part) => `${part}(${name})`);
  });
  const byRelation = relationsOf(world, table.name)
    .filter((relation) => 'child' in relation)
    .map(({ field }) => `count(${field})`);
  return [...byColumn, ...byRelation, ...byRelation, ...byRelation];
}

/** Calls of `json` that yield numbers, which have an order. */
export function sizeCalls(table: Table): string[] {
  return table.columns
    .filter(({ type, shape }) => type === 'json' && shape === 'object')
    .map(({ name }) => `json(${name}, size)`);
}

interface Source {
  readonly dice: Dice;
  readonly world: World;
  readonly depth: number;
  /** Not inside lists of related items, where no condition could also mean any item. */
  readonly exact?: boolean;
  /** The field that leads on from a junction, which is what junctions are for. */
  readonly onward?: string | null;
  /** Below a relation each part has to be a condition. */
  readonly inside?: boolean;
}

type Entry = readonly [string, Json];

/** What a quantifier binds: often a comparison with the caller, who may be nobody. */
function quantified(source: Source, child: Table): Json {
  const { dice } = source;
  const members = condition(source, child);
  const owners = child.columns.filter(({ type }) => type === 'uuid' || type === 'string');
  if (owners.length === 0 || !dice.chance(15)) return members;
  const operator = dice.pick(['_eq', '_neq']);
  return { ...members, [dice.pick(owners).name]: { [operator]: '$CURRENT_USER' } };
}

function throughToMany(source: Source, relation: ToMany): Json {
  const { dice, world } = source;
  const child = tableOf(world, relation.child);
  const onward = relation.junctionField;
  const below = { ...source, depth: source.depth - 1, exact: false, onward, inside: true };
  const chance = dice.int(1, 100);
  if (chance <= 22) return { _some: quantified(below, child) };
  if (chance <= 44) return { _none: quantified(below, child) };
  if (chance <= 50) return { [dice.pick(['_null', '_nnull'])]: dice.chance(70) };
  const [key] = child.key;
  const column = child.columns.find(({ name }) => name === key);
  if (chance <= 58 && child.key.length === 1 && column !== undefined) {
    const judged = operations(dice, column);
    return typeof judged === 'object' ? judged : { _eq: judged };
  }
  if (chance <= 68) {
    const parts = [condition(below, child), condition(below, child)];
    return { [dice.pick(['_and', '_or'])]: parts };
  }
  return condition(below, child);
}

function onward(source: Source, relation: Relation): Entry {
  const { dice, world } = source;
  if ('child' in relation) return [relation.field, throughToMany(source, relation)];
  const below = { ...source, depth: source.depth - 1, onward: null, inside: true };
  if (relation.kind === 'm2o') {
    return [relation.field, condition(below, tableOf(world, relation.target))];
  }
  const scope = dice.pick(relation.allowed);
  return [`${relation.field}:${scope}`, condition(below, tableOf(world, scope))];
}

function leaf({ dice, world, exact }: Source, table: Table): Entry {
  const functions = calls(world, table);
  if (functions.length > 0 && dice.chance(15)) {
    return [dice.pick(functions), operations(dice, null)];
  }
  // Texts have most of the operators, and lists of related items are judged less often.
  const texts = table.columns.filter(({ type }) => ['string', 'text', 'enum'].includes(type));
  const documents = table.columns.filter(({ type }) => type === 'json');
  const preferred = dice.chance(55) ? texts : dice.chance(30) ? documents : [];
  const column = dice.pick(!exact && preferred.length > 0 ? preferred : table.columns);
  if (column.type === 'json' && dice.chance(70))
    return [column.name, documentCondition(dice, column)];
  if (exact && column.type === 'integer' && dice.chance(6)) {
    return [column.name, { _between: [0, 2] }];
  }
  return [column.name, operations(dice, column)];
}

/** The relations of a table, the rarer kinds several times. */
function relations(world: World, table: Table): readonly Relation[] {
  const all = relationsOf(world, table.name);
  const rare = all.filter(({ kind }) => kind === 'a2o' || kind === 'm2a' || kind === 'm2m');
  return [...all, ...rare, ...rare];
}

function part(source: Source, table: Table): Entry {
  const { dice, world, depth } = source;
  if (dice.chance(12) && depth > 0) {
    const below = { ...source, depth: depth - 1 };
    const parts = Array.from({ length: dice.int(1, 3) }, () => condition(below, table));
    const more = dice.chance(3);
    const connective = dice.pick(['_and', '_or']);
    if (more && connective === '_and' && !source.inside) parts.push({});
    return [connective, parts];
  }
  const further = depth > 0 ? relations(world, table) : [];
  const preferred = further.filter(({ field }) => field === source.onward);
  if (preferred.length > 0 && dice.chance(75)) return onward(source, dice.pick(preferred));
  if (further.length > 0 && dice.chance(55)) return onward(source, dice.pick(further));
  return leaf(source, table);
}

/** A filter of one to three members. */
export function condition(source: Source, table: Table): { [key: string]: Json } {
  const count = source.dice.pick(source.onward ? [2, 2, 3, 3] : [1, 1, 1, 2, 2, 3]);
  return Object.fromEntries(Array.from({ length: count }, () => part(source, table)));
}

/** A path to something that has an order, without the sign. */
export function sortPath(dice: Dice, world: World, table: Table, depth: number): string {
  const ahead = relationsOf(world, table.name).filter((relation) => !('child' in relation));
  if (depth > 0 && ahead.length > 0 && dice.chance(35)) {
    const relation = dice.pick(ahead);
    if (relation.kind === 'm2o') {
      const to = tableOf(world, relation.target);
      return `${relation.field}.${sortPath(dice, world, to, depth - 1)}`;
    }
    if (relation.kind === 'a2o') {
      const scope = dice.pick(relation.allowed);
      const path = sortPath(dice, world, tableOf(world, scope), depth - 1);
      return `${relation.field}:${scope}.${path}`;
    }
  }
  const functions = calls(world, table);
  if (functions.length > 0 && dice.chance(20)) return dice.pick(functions);
  const sizes = sizeCalls(table);
  if (sizes.length > 0 && dice.chance(10)) return dice.pick(sizes);
  const sortable = table.columns.filter(({ type }) => !UNORDERED.has(type));
  return dice.pick(sortable).name;
}
