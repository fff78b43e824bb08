/** Where requests are counted: in the memory of this process, or in Redis for all together. */
import { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import type { Log } from '#core/log/log.ts';
import { warnSparingly } from '#core/log/sparing.ts';
import { Counter, type Quota } from './counter.ts';

/** Longest wait for Redis (ms); past it the process counts by itself. */
const ANSWER_WITHIN_MS = 1_000;
/** Time (ms) for an orderly end of a connection that does not answer. */
const HANG_UP_WITHIN_MS = 100;
const BACK_OFF_MS = { first: 50, most: 2_000 };

/** Makes counters that share a place. */
export interface CounterStore {
  counter(name: string, quota: Quota): Counter;
  /** False while processes that should count together count each by itself. */
  readonly shared: boolean;
  close(): void;
}

/** Counts in this process alone. */
export class MemoryStore implements CounterStore {
  readonly shared = true;

  counter(name: string, quota: Quota): Counter {
    const limiter = new RateLimiterMemory({ keyPrefix: name, ...quota });
    return new Counter(limiter, quota, (key) => void limiter.delete(key));
  }

  close(): void {}
}

/** Counts for Redis while it does not answer, and has the connection made anew then. */
class Insurance extends RateLimiterMemory {
  readonly #onUse: () => void;

  constructor(name: string, quota: Quota, onUse: () => void) {
    super({ keyPrefix: name, ...quota });
    this.#onUse = onUse;
  }

  override consume(...args: Parameters<RateLimiterAbstract['consume']>) {
    this.#onUse();
    return super.consume(...args);
  }
}

/**
 * Counts in Redis. While Redis is away each process counts in its own memory; it is asked again as
 * soon as it answers.
 */
export class RedisStore implements CounterStore {
  readonly #redis: Redis;
  readonly #prefix: string;
  /** Since it last became ready something was not answered. */
  #lost = false;

  /** @param prefix keeps installations that share a server apart */
  constructor(url: string, prefix: string, log: Log) {
    this.#prefix = prefix;
    this.#redis = new Redis(url, {
      connectionName: prefix,
      connectTimeout: ANSWER_WITHIN_MS,
      commandTimeout: ANSWER_WITHIN_MS,
      disconnectTimeout: HANG_UP_WITHIN_MS,
      // Nothing waits for a connection that is not there.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(BACK_OFF_MS.first * 2 ** times, BACK_OFF_MS.most),
    });
    this.#redis.on('ready', () => {
      this.#lost = false;
    });
    this.#redis.on('error', warnSparingly(log, 'the rate limits lost Redis'));
  }

  get shared(): boolean {
    return this.#redis.status === 'ready' && !this.#lost;
  }

  counter(name: string, quota: Quota): Counter {
    const keyPrefix = `${this.#prefix}:limit:${name}`;
    const insuranceLimiter = new Insurance(keyPrefix, quota, () => this.#miss());
    const limiter = new RateLimiterRedis({
      ...quota,
      keyPrefix,
      storeClient: this.#redis,
      rejectIfRedisNotReady: true,
      insuranceLimiter,
    });
    return new Counter(limiter, quota, (key) => void insuranceLimiter.delete(key));
  }

  /** One that is ready and yet does not answer may be half open: it is made anew. */
  #miss(): void {
    if (this.shared) this.#redis.disconnect(true);
    this.#lost = true;
  }

  close(): void {
    this.#redis.disconnect();
  }
}
