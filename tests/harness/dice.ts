/** Reproducible randomness: the same seed produces the same decisions. */

/** Mulberry32: numbers from 0 to below 1, the same for the same seed. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The random decisions of a test. */
export class Dice {
  readonly #random: () => number;

  constructor(start: number) {
    this.#random = randomOf(start);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
