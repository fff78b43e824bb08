/** Random questions of a person: about what may be seen, and about what may not. */
import { Arbitrary, type Random, type Stream, Value } from 'fast-check';
import { brokenPart } from '../generate/broken.ts';
import { Dice } from '../generate/dice.ts';
import { type Asked, keysOf, QuestionArbitrary } from '../generate/question.ts';
import {
  CONCEALED,
  type Json,
  type Parameters,
  type Relation,
  relationsOf,
  type Table,
  tableOf,
  UNORDERED,
  type World,
} from '../model.ts';
import type { View } from './view.ts';

/** The tables and relations of a view about which questions can be made up. */
function askable({ world }: View): World {
  const tables = world.tables.filter(({ columns }) =>
    columns.some(({ type }) => !UNORDERED.has(type)),
  );
  const names = new Set(tables.map(({ name }) => name));
  const relations = world.relations.flatMap((relation): Relation[] => {
    if (!names.has(relation.table)) return [];
    if ('child' in relation) return names.has(relation.child) ? [relation] : [];
    if (relation.kind === 'm2o') return names.has(relation.target) ? [relation] : [];
    const allowed = relation.allowed.filter((name) => names.has(name));
    return allowed.length > 0 ? [{ ...relation, allowed }] : [];
  });
  return { ...world, tables, relations };
}

const PAGING = new Set(['limit', 'offset', 'page', '_limit', '_offset', '_page']);

/** Without a page of an order that nothing decides. */
function unpaged(value: Json): Json {
  if (Array.isArray(value)) return value.map(unpaged);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !PAGING.has(key))
      .map(([key, entry]) => [key, unpaged(entry)]),
  );
}

/** Requests a value of which the answer may only reveal whether it exists. */
function prying(dice: Dice, table: Table): Parameters | null {
  const secrets = table.columns.filter(({ type }) => CONCEALED.has(type));
  if (secrets.length === 0) return null;
  const { name, sqlType } = dice.pick(secrets);
  const call = `year(${name})`;
  const own = [
    { sort: [name] },
    { sort: [`-${name}`], limit: 1 },
    { aggregate: { [dice.pick(['min', 'max', 'countDistinct'])]: [name] } },
    { groupBy: [name], aggregate: { count: ['*'] } },
    { filter: { [name]: { [dice.pick(['_eq', '_neq', '_lt', '_starts_with'])]: 'secret 1' } } },
    { alias: { shown: name }, fields: ['shown'], sort: ['shown'] },
  ];
  const parts = [
    { fields: [call] },
    { filter: { [call]: { _gt: 2000 } } },
    { sort: [call] },
    { groupBy: [call] },
    { alias: { shown: call }, fields: ['shown'] },
  ];
  return dice.pick(sqlType === 'date' ? [...own, ...parts] : own);
}

/** Asks for groups and order of related items by any of their fields, seen or not. */
function pryingBehind(dice: Dice, world: World, table: Table): Parameters | null {
  const lists = relationsOf(world, table.name).filter((relation) => 'child' in relation);
  if (lists.length === 0) return null;
  const { field, child } = dice.pick(lists);
  const { name, type } = dice.pick(tableOf(world, child).columns);
  // Nobody may group by a document, whether it may be seen or not.
  const groups =
    type === 'json' ? [] : [{ _group: [name], _aggregate: { count: ['*'] } }, { _group: [name] }];
  const members = dice.pick<Json>([
    { _aggregate: { count: [name] } },
    { _aggregate: { count: [name] } },
    { _aggregate: { countDistinct: [name] } },
    ...groups,
    { _filter: { [name]: { _nnull: true } } },
  ]);
  return { fields: [`${field}.*`], deep: { [field]: members } };
}

/** Adds what is no condition, somewhere, to what is asked: nothing may be answered then. */
function broken(dice: Dice, world: World, table: Table, parameters: Parameters): Parameters {
  const part = Object.fromEntries([brokenPart(dice, world, table)]);
  const filter = parameters.filter ?? {};
  const lists = relationsOf(world, table.name).filter((relation) => 'child' in relation);
  if (lists.length > 0 && dice.chance(30)) {
    const { field } = dice.pick(lists);
    const quantified = { [field]: { [dice.pick(['_some', '_none'])]: { _and: [part] } } };
    return { ...parameters, filter: dice.chance(50) ? quantified : { _and: [filter, quantified] } };
  }
  const key = Object.keys(filter).length === 0 ? '_and' : dice.pick(['_and', '_or']);
  return { ...parameters, filter: { [key]: [filter, part] } };
}

export class PersonalQuestion extends Arbitrary<Asked> {
  readonly #world: World;
  readonly #view: View;
  readonly #seen: QuestionArbitrary | null;
  readonly #any: QuestionArbitrary;

  constructor(world: World, view: View) {
    super();
    const seen = askable(view);
    this.#world = world;
    this.#view = view;
    this.#seen = seen.tables.length > 0 ? new QuestionArbitrary(seen) : null;
    this.#any = new QuestionArbitrary(world);
  }

  override generate(random: Random): Value<Asked> {
    const dice = new Dice(random);
    const source = this.#seen !== null && dice.chance(78) ? this.#seen : this.#any;
    const drawn = source.generate(random).value;
    const full = tableOf(this.#world, drawn.table);
    // Keys are known to whoever has heard of them, seen or not.
    const keys = drawn.keys === null ? null : keysOf(dice, full, drawn.keys.length);
    const asked = { ...drawn, keys };
    const { ordered, asker } = this.#view;
    const pried = dice.chance(14)
      ? dice.chance(40)
        ? prying(dice, full)
        : pryingBehind(dice, this.#world, full)
      : null;
    const whole = pried ?? asked.parameters;
    const aside = dice.aside();
    const parameters = aside.chance(5) ? broken(aside, this.#world, full, whole) : whole;
    if (ordered) return new Value({ ...asked, asker, parameters }, undefined);
    const paged = Object.entries(parameters).filter(([name]) => !PAGING.has(name));
    const without = paged.map(([name, entry]) => [name, unpaged(entry)] as const);
    const all = { parameters: Object.fromEntries(without), limitDefault: 100 };
    return new Value({ ...asked, asker, ...all }, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Asked {
    return this.#any.canShrinkWithoutContext(value);
  }

  override shrink(value: Asked): Stream<Value<Asked>> {
    return this.#any.shrink(value);
  }
}
