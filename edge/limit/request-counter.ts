/**
 * Counts the requests of each key against one limit. A library counts, in memory or in Redis. A
 * process takes points from it in blocks of one percent of the limit and spends them by itself,
 * because a request to Redis costs as much as answering one. Other processes may be refused up to
 * the unspent rest of such blocks.
 */
import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** This many requests in this many seconds. */
export interface Quota {
  readonly points: number;
  readonly duration: number;
}

/** The result of counting one request. */
export interface Count {
  readonly allowed: boolean;
  /** Requests that are still allowed, as far as this process knows. */
  readonly remaining: number;
  /** Milliseconds until the period begins again. */
  readonly reset: number;
}

/** Maximum keys in one counter. A client with more addresses than that is not limited by this. */
const MAX_KEYS = 20_000;

/** Part of a limit that a process takes at once. */
const BLOCK = 0.01;

/** Points that this process has for one key in the current period. */
interface Lease {
  points: number;
  /** Left for all processes when points were last taken. */
  remaining: number;
  /** No points are left to take. */
  spent: boolean;
  /** In milliseconds of the process's clock; infinite before the first answer. */
  ends: number;
  /** Requests that wait for points. */
  waiting: number;
  /** The request for points that is in progress. */
  refill: Promise<void> | null;
}

export class Counter {
  readonly #limiter: RateLimiterAbstract;
  readonly #quota: Quota;
  readonly #block: number;
  readonly #leases: LRUCache<string, Lease>;

  /** @param forget called with a key whose state is no longer needed */
  constructor(limiter: RateLimiterAbstract, quota: Quota, forget: (key: string) => void) {
    this.#limiter = limiter;
    this.#quota = quota;
    this.#block = Math.max(1, Math.floor(quota.points * BLOCK));
    this.#leases = new LRUCache({
      max: MAX_KEYS,
      dispose: (_, key, reason) => {
        if (reason === 'evict') forget(key);
      },
    });
  }

  /**
   * Counts a request; at once when this process has points for the key, or knows that none are
   * left.
   */
  count(key: string): Count | Promise<Count> {
    const now = performance.now();
    let lease = this.#leases.get(key);
    if (lease === undefined || lease.ends <= now) {
      lease = { points: 0, remaining: 0, spent: false, ends: Infinity, waiting: 0, refill: null };
      this.#leases.set(key, lease);
    }
    if (lease.points > 0 || lease.spent) return spend(lease, now);
    return this.#await(key, lease);
  }

  async #await(key: string, lease: Lease): Promise<Count> {
    lease.waiting++;
    try {
      while (lease.points === 0 && !lease.spent) {
        lease.refill ??= this.#refill(key, lease);
        await lease.refill;
      }
      return spend(lease, performance.now());
    } finally {
      lease.waiting--;
    }
  }

  async #refill(key: string, lease: Lease): Promise<void> {
    const wanted = Math.min(Math.max(this.#block, lease.waiting), this.#quota.points);
    const sentAt = performance.now();
    try {
      const { result, refused } = await consume(this.#limiter, key, wanted);
      // When a block exceeds the limit, the part within it counts.
      const granted = refused ? this.#quota.points - (result.consumedPoints - wanted) : wanted;
      lease.points = Math.max(0, granted);
      lease.remaining = result.remainingPoints;
      lease.spent = refused;
      lease.ends = sentAt + result.msBeforeNext;
    } finally {
      lease.refill = null;
    }
  }
}

function spend(lease: Lease, now: number): Count {
  const allowed = lease.points > 0;
  if (allowed) lease.points--;
  const remaining = lease.points + lease.remaining;
  return { allowed, remaining, reset: Math.max(0, lease.ends - now) };
}

/** The library refuses by rejecting with the same kind of result. */
async function consume(
  limiter: RateLimiterAbstract,
  key: string,
  points: number,
): Promise<{ result: RateLimiterRes; refused: boolean }> {
  try {
    return { result: await limiter.consume(key, points), refused: false };
  } catch (thrown) {
    if (thrown instanceof RateLimiterRes) return { result: thrown, refused: true };
    throw thrown;
  }
}
