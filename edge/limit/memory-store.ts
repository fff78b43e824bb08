/** Where requests are counted: the port, and the memory of this process behind it. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Counter, type Quota } from './request-counter.ts';

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
