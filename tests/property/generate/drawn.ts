/** Values that a seed decides, without a way to shrink them. */
import { Arbitrary, type Random, Stream, sample, Value } from 'fast-check';
import { Dice } from './dice.ts';

class Drawn<T> extends Arbitrary<T> {
  readonly #make: (dice: Dice) => T;

  constructor(make: (dice: Dice) => T) {
    super();
    this.#make = make;
  }

  override generate(random: Random): Value<T> {
    return new Value(this.#make(new Dice(random)), undefined);
  }

  override canShrinkWithoutContext(_: unknown): _ is T {
    return false;
  }

  override shrink(): Stream<Value<T>> {
    return Stream.nil();
  }
}

/** What is made with the dice of a seed. */
export function drawn<T>(seed: number, make: (dice: Dice) => T): T {
  const [value] = sample(new Drawn((dice) => ({ value: make(dice) })), { seed, numRuns: 1 });
  if (value === undefined) throw new Error('nothing was drawn');
  return value.value;
}
