/**
 * The latest changes of a collection, numbered in their order. Each subscriber records the number
 * of its last change, so a slow subscriber delays no other subscriber. The oldest changes are
 * dropped when there are too many, or when they are too old. A subscriber that falls behind further
 * than that has missed changes.
 */
import type { Change } from '#core/write/changes/change.ts';

/** Maximum stored changes, and maximum keys of them. */
const MOST_CHANGES = 1_000;
const MOST_KEYS = 10_000;
/** How long (ms) changes are stored: rows of deleted items are retained for at most a minute. */
const LONGEST_MS = 30_000;
/** Keys that are read at a time. */
const KEYS_AT_ONCE = 1_000;

/** A change with its number. */
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

  /** The number of the latest dropped change. */
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

  /** Drops changes that are too many or too old. */
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

  /** The changes after a number, as many as are read at a time. */
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
