/**
 * Splits long work into slices, so that other requests run in between. Paused works resume one
 * after the other, one per round of the event loop, so that their number does not lengthen a round.
 */

/** Maximum length (ms) of a slice. */
const TURN_MS = 5;
/** Steps between two checks of the clock. */
const STRIDE = 8;

const paused: (() => void)[] = [];
let isScheduled = false;

function resumeNext(): void {
  paused.shift()?.();
  isScheduled = paused.length > 0;
  if (isScheduled) setImmediate(resumeNext);
}

/** Lets other requests run; resolves when this work may continue. */
export function pauseWork(): Promise<void> {
  const resumed = new Promise<void>((resolve) => paused.push(resolve));
  if (!isScheduled) setImmediate(resumeNext);
  isScheduled = true;
  return resumed;
}

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
    await pauseWork();
    this.#began = performance.now();
  }

  /** Maps each entry; other requests run in between. */
  async map<T, U>(entries: readonly T[], make: (entry: T, index: number) => U): Promise<U[]> {
    const made: U[] = [];
    for (const [index, entry] of entries.entries()) {
      if (this.isOver()) await this.pause();
      made.push(make(entry, index));
    }
    return made;
  }

  /** Whether the slice is over, regardless of the number of steps. */
  get isSpent(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  /** Pauses when the slice is over, regardless of the number of steps. */
  async rest(): Promise<void> {
    if (this.isSpent) await this.pause();
  }
}

/** The maximum number of entries to map without a pause. */
const FEW = 100;

/** Maps each entry; returns a promise for many entries. */
export function mapEach<T, U>(entries: readonly T[], make: (entry: T) => U): U[] | Promise<U[]> {
  if (entries.length > FEW) return new TimeSlice().map(entries, make);
  return entries.map((entry) => make(entry));
}
