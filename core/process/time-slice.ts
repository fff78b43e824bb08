/** Lets other requests have their turns while one works through something long. */

/** How long (ms) work goes on before others have their turn. */
const TURN_MS = 5;
/** Steps between two looks at the clock. */
const STRIDE = 8;

export class TimeSlice {
  #began = performance.now();
  #steps = 0;

  /** Told of each step; whether it is time for others. */
  isOver(): boolean {
    this.#steps += 1;
    return this.#steps % STRIDE === 0 && performance.now() - this.#began > TURN_MS;
  }

  /** Resumes when others had their turn. */
  async pause(): Promise<void> {
    await new Promise(setImmediate);
    this.#began = performance.now();
  }

  /** Pauses where the work so far was long, whatever the number of its steps. */
  async rest(): Promise<void> {
    if (performance.now() - this.#began > TURN_MS) await this.pause();
  }
}
