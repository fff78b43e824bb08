/** The interface of a counter store, and its implementation in the memory of this process. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Counter, type Quota } from './request-counter.ts';

/** Creates counters that share a store. */
export interface CounterStore {
  counter(name: string, quota: Quota): Counter;
  /** False while processes that should share counters count separately. */
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
