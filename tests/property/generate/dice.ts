/** Choices out of a source of chance that a seed decides. */
import type { Random } from 'fast-check';

export class Dice {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Further choices, for which what is chosen here later stays the same. */
  aside(): Dice {
    return new Dice(this.#random.clone());
  }

  /** A whole number between both, which are included. */
  int(min: number, max: number): number {
    return this.#random.nextInt(min, max);
  }

  chance(percent: number): boolean {
    return this.int(1, 100) <= percent;
  }

  pick<T>(list: readonly T[]): T {
    const entry = list[this.int(0, list.length - 1)];
    if (entry === undefined) throw new Error('nothing to pick from');
    return entry;
  }

  /** Some of the entries, in random order, none twice. */
  some<T>(list: readonly T[], min: number, max: number): T[] {
    const rest = [...list];
    const count = Math.min(this.int(min, max), rest.length);
    return Array.from({ length: count }, () => rest.splice(this.int(0, rest.length - 1), 1)).flat();
  }
}
