/** Questions as fast-check generates and shrinks them. */
import { Arbitrary, type Random, Stream, Value } from 'fast-check';
import type { Question } from '../evaluate/evaluate.ts';
import type { Json, Table, World } from '../model.ts';
import { Dice } from './dice.ts';
import { askers } from './operand.ts';
import { generateQuery, generateSelection } from './query.ts';
import { strangeKey } from './relation.ts';
import { SPELLINGS, type Spelling } from './spelling.ts';

/** A question and how it is spelled. */
export interface Asked extends Question {
  readonly spelling: Spelling;
  /** One page, item by item, the page of some keys, or one item. */
  readonly shape: 'page' | 'stream' | 'items' | 'item';
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same value with something left out, the largest parts first. */
function* smaller(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, entry] of value.entries()) {
      for (const less of smaller(entry)) yield value.with(index, less);
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    }
    for (const [key, entry] of Object.entries(value)) {
      for (const less of smaller(entry)) yield { ...value, [key]: less };
    }
  }
}

function* smallerQuestions(asked: Asked): Generator<Value<Asked>> {
  if (asked.spelling !== 'value')
    yield new Value<Asked>({ ...asked, spelling: 'value' }, undefined);
  for (const parameters of smaller(asked.parameters)) {
    if (isObject(parameters)) yield new Value({ ...asked, parameters }, undefined);
  }
}

/** Keys of some rows, and sometimes of none. */
export function keysOf(dice: Dice, table: Table, count: number): Json[][] {
  const keys = dice
    .some(table.rows, count, count)
    .map((row) => table.key.map((name) => row[name] ?? null));
  return keys.length === 0 || dice.chance(15) ? [...keys.slice(1), strangeKey(table)] : keys;
}

/** Questions about the tables of one world. */
export class QuestionArbitrary extends Arbitrary<Asked> {
  readonly #world: World;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  override generate(random: Random): Value<Asked> {
    const dice = new Dice(random);
    const table = dice.pick(this.#world.tables);
    const byKey = table.key.length > 0 && dice.chance(15);
    const parameters = byKey
      ? generateSelection(dice, this.#world, table)
      : generateQuery(dice, this.#world, table);
    const asker = askers(dice);
    const limitDefault = dice.pick([100, 100, 3]);
    const spelling = dice.pick(SPELLINGS);
    const about = { table: table.name, parameters, asker, limitDefault, spelling };
    if (byKey) {
      const single = dice.chance(50);
      const keys = keysOf(dice, table, single ? 1 : 4);
      return new Value<Asked>({ ...about, keys, shape: single ? 'item' : 'items' }, undefined);
    }
    const shape = !('meta' in parameters) && dice.chance(20) ? 'stream' : 'page';
    return new Value<Asked>({ ...about, keys: null, shape }, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Asked {
    return typeof value === 'object';
  }

  override shrink(value: Asked): Stream<Value<Asked>> {
    return Stream.of(...smallerQuestions(value));
  }
}
