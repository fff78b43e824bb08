/** Splits long work into slices, so that other requests run in between. */

/** Maximum length (ms) of a slice. */
const TURN_MS = 5;
/** Steps between two checks of the clock. */
const STRIDE = 8;

export class TimeSlice {
  #began = performance.now();
  #steps = 0;

  /** Counts a step; true when the slice is over. */
  isOver(): boolean {
    this.#steps += 1;
    return this.#steps % STRIDE === 0 && performance.now() - this.#began > TURN_MS;
  }

  /** Lets other requests run, then resumes. */
  async pause(): Promise<void> {
    await new Promise(setImmediate);
    this.#began = performance.now();
  }

  /** Makes something of each entry; other requests run in between. */
  async map<T, U>(entries: readonly T[], make: (entry: T, index: number) => U): Promise<U[]> {
    const made: U[] = [];
    for (const [index, entry] of entries.entries()) {
      if (this.isOver()) await this.pause();
      made.push(make(entry, index));
    }
    return made;
  }

  /** Whether the slice is over, whatever the number of steps. */
  get isSpent(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  /** Pauses when the slice is over, whatever the number of steps. */
  async rest(): Promise<void> {
    if (this.isSpent) await this.pause();
  }
}
