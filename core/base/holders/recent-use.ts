/**
 * The recent use of a resource by each holder. Use decays, so that a holder that has stopped soon
 * counts as little as a new one.
 */
import { LRUCache } from 'lru-cache';

/** The maximum number of remembered holders; the least recently active one is removed first. */
const MAX_HOLDERS = 10_000;
/** The decay time (ms): a third of the use from this time ago still counts. */
const FADES_MS = 10_000;

interface Use {
  readonly amount: number;
  /** When the amount was computed (ms). */
  readonly at: number;
}

export class RecentUse {
  readonly #uses = new LRUCache<string, Use>({ max: MAX_HOLDERS });

  /** @param now milliseconds of a monotonic clock */
  add(holder: string, amount: number, now: number): void {
    this.#uses.set(holder, { amount: this.of(holder, now) + amount, at: now });
  }

  /** The decayed total use of the holder. */
  of(holder: string, now: number): number {
    const use = this.#uses.get(holder);
    return use === undefined ? 0 : use.amount * Math.exp((use.at - now) / FADES_MS);
  }
}
