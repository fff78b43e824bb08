/** Questions as fast-check generates and shrinks them. */
import { Arbitrary, type Random, Stream, Value } from 'fast-check';
import type { Question } from '../evaluate/evaluate.ts';
import type { Json, World } from '../model.ts';
import { Dice } from './dice.ts';
import { askers } from './operand.ts';
import { generateQuery } from './query.ts';
import { SPELLINGS, type Spelling } from './spelling.ts';

/** A question and how it is spelled. */
export interface Asked extends Question {
  readonly spelling: Spelling;
  /** One page, or item by item. */
  readonly shape: 'page' | 'stream';
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
    const parameters = generateQuery(dice, this.#world, table);
    const asker = askers(dice);
    const limitDefault = dice.pick([100, 100, 3]);
    const spelling = dice.pick(SPELLINGS);
    const shape = !('meta' in parameters) && dice.chance(20) ? 'stream' : 'page';
    const name = table.name;
    return new Value({ table: name, parameters, asker, limitDefault, spelling, shape }, undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Asked {
    return typeof value === 'object';
  }

  override shrink(value: Asked): Stream<Value<Asked>> {
    return Stream.of(...smallerQuestions(value));
  }
}
