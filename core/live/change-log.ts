/**
 * The latest changes of a collection, numbered in their order. Whoever is told of them remembers a
 * number, and so may be late without anybody else waiting for it. The oldest changes are forgotten when
 * there are too many, or when they are too old: whoever is later than that has missed something.
 */
import type { Change } from '#core/write/changes/change.ts';

/** Changes, and their keys, that are remembered. */
const MOST_CHANGES = 1_000;
const MOST_KEYS = 10_000;
/** How long (ms) they are: rows of deleted items are kept for no longer than a minute. */
const LONGEST_MS = 30_000;
/** Keys that are read for at a time. */
const KEYS_AT_ONCE = 1_000;

/** A change in its place. */
export interface NumberedChange {
  readonly number: number;
  readonly change: Change;
  /** When it was added, by `performance.now()`. */
  readonly at: number;
}

function weightOf({ change }: NumberedChange): number {
  return change.keys?.length ?? 0;
}

export class ChangeLog {
  #entries: NumberedChange[] = [];
  #keys = 0;
  #last = 0;

  /** The number of the latest change. */
  get last(): number {
    return this.#last;
  }

  /** The number of the latest change that is forgotten. */
  get forgotten(): number {
    return this.#last - this.#entries.length;
  }

  add(change: Change): void {
    this.#last += 1;
    const entry = { number: this.#last, change, at: performance.now() };
    this.#entries.push(entry);
    this.#keys += weightOf(entry);
    this.forget();
  }

  /** Forgets what is too much or too old. */
  forget(): void {
    const oldest = performance.now() - LONGEST_MS;
    let count = 0;
    let changes = this.#entries.length;
    for (const entry of this.#entries) {
      const isKept = changes <= MOST_CHANGES && this.#keys <= MOST_KEYS && entry.at >= oldest;
      if (isKept) break;
      count += 1;
      changes -= 1;
      this.#keys -= weightOf(entry);
    }
    if (count > 0) this.#entries.splice(0, count);
  }

  /** Those that follow a number, as many as are read for at a time. */
  after(number: number): readonly NumberedChange[] {
    const start = Math.max(0, number - this.forgotten);
    let keys = 0;
    let end = start;
    for (; end < this.#entries.length; end += 1) {
      const entry = this.#entries[end];
      if (entry === undefined) break;
      keys += weightOf(entry);
      if (keys > KEYS_AT_ONCE && end > start) break;
    }
    return this.#entries.slice(start, end);
  }
}
