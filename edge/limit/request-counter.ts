/**
 * Counts the requests of each key against one limit. A library counts, in memory or in Redis. A
 * process leases points from it in blocks of one percent of the limit and spends them locally. This
 * saves requests to Redis, each of which costs as much as answering a client. Other processes may
 * refuse requests while points of such blocks remain unspent.
 */
import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';

/** Maximum requests (`points`) per period (`duration`, in seconds). */
export interface Quota {
  readonly points: number;
  readonly duration: number;
}

/** The result of counting one request. */
export interface Count {
  readonly allowed: boolean;
  /** Requests that are still allowed, as far as this process can determine. */
  readonly remaining: number;
  /** Milliseconds until the period restarts. */
  readonly reset: number;
}

/** Maximum keys in one counter. A client with more addresses than this evades the limit. */
const MAX_KEYS = 20_000;

/** Part of a limit that a process leases in one block. */
const BLOCK = 0.01;

/** Points that this process has for one key in the current period. */
interface Lease {
  points: number;
  /** Points available to all processes when points were last leased. */
  remaining: number;
  /** No more points can be leased in this period. */
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
   * Counts a request; synchronously when this process has points for the key, or has recorded that
   * no more are available.
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
      // When a block exceeds the limit, only the part within the limit counts.
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

/** The library rejects with the same type of result when it refuses. */
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
