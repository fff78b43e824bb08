/**
 * How much each holder used lately. Use fades, so that a holder which has stopped soon counts as little
 * as one that never came.
 */
import { LRUCache } from 'lru-cache';

/** Holders that are remembered; the one that used something last is forgotten last. */
const MAX_HOLDERS = 10_000;
/** Of what was used so long (ms) ago, a third still counts. */
const FADES_MS = 10_000;

interface Use {
  readonly amount: number;
  /** When it was that much (ms). */
  readonly at: number;
}

export class RecentUse {
  readonly #uses = new LRUCache<string, Use>({ max: MAX_HOLDERS });

  /** @param now milliseconds of a clock that never goes back */
  add(holder: string, amount: number, now: number): void {
    this.#uses.set(holder, { amount: this.of(holder, now) + amount, at: now });
  }

  /** What is left of all that the holder used. */
  of(holder: string, now: number): number {
    const use = this.#uses.get(holder);
    return use === undefined ? 0 : use.amount * Math.exp((use.at - now) / FADES_MS);
  }
}
