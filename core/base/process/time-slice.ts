/**
 * Splits long work into slices, so that other requests run in between. Works that pause resume one after
 * the other, a single one in each round of the event loop: so a round takes no longer, however many
 * there are.
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

/** Lets other requests run; resolves when it is this work's turn again. */
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

/** Entries of which something is made at once; with more of them other requests run in between. */
const FEW = 100;

/** Makes something of each entry; a promise where there are many. */
export function mapEach<T, U>(entries: readonly T[], make: (entry: T) => U): U[] | Promise<U[]> {
  if (entries.length > FEW) return new TimeSlice().map(entries, make);
  return entries.map((entry) => make(entry));
}
