/** Counts requests in Redis, for all processes together. */
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from 'rate-limiter-flexible';
import type { Log } from '#core/base/log/log.ts';
import { OptionalRedis } from '#core/messaging/redis/optional-redis.ts';
import type { CounterStore } from './memory-store.ts';
import { Counter, type Quota } from './request-counter.ts';

/** Timeout (ms) for Redis; afterwards the process counts locally. */
const ANSWER_WITHIN_MS = 1_000;

/** Counts while Redis does not respond, and then requests a new connection. */
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
 * Counts in Redis. While Redis is unavailable, each process counts in its own memory. Redis is used
 * again as soon as it responds.
 */
export class RedisStore implements CounterStore {
  readonly #redis: OptionalRedis;
  readonly #prefix: string;

  /**
   * @param prefix separates installations that share a server
   * @param answerWithin milliseconds
   */
  constructor(url: string, prefix: string, log: Log, answerWithin = ANSWER_WITHIN_MS) {
    this.#prefix = prefix;
    this.#redis = new OptionalRedis(url, {
      name: prefix,
      answerWithin,
      complaint: 'the rate limits lost Redis',
      log,
    });
  }

  get shared(): boolean {
    return this.#redis.ready;
  }

  counter(name: string, quota: Quota): Counter {
    const keyPrefix = `${this.#prefix}:limit:${name}`;
    const insuranceLimiter = new Insurance(keyPrefix, quota, () => this.#redis.miss());
    const limiter = new RateLimiterRedis({
      ...quota,
      keyPrefix,
      storeClient: this.#redis.client,
      rejectIfRedisNotReady: true,
      insuranceLimiter,
    });
    return new Counter(limiter, quota, (key) => void insuranceLimiter.delete(key));
  }

  close(): void {
    this.#redis.close();
  }
}
