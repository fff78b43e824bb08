// @newest @quick

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import t from 'tap';
import { MemoryStore } from '#edge/limit/memory-store.ts';
import { Counter, type Quota } from '#edge/limit/request-counter.ts';

/** Counts how often the library is asked. */
class CountingLimiter extends RateLimiterMemory {
  times = 0;

  override consume(...args: Parameters<RateLimiterMemory['consume']>) {
    this.times++;
    return super.consume(...args);
  }
}

function counterOf(quota: Quota, limiter = new CountingLimiter({ ...quota })) {
  return { limiter, counter: new Counter(limiter, quota, () => undefined) };
}

async function allowed(counter: Counter, requests: number): Promise<number> {
  let sum = 0;
  for (let i = 0; i < requests; i++) if ((await counter.count('key')).allowed) sum++;
  return sum;
}

t.test('exactly so many requests are allowed, one by one and at once', async (t) => {
  for (const points of [1, 10, 99, 1_000, 12_345]) {
    const quota = { points, duration: 60 };
    t.equal(await allowed(counterOf(quota).counter, points + 50), points);
    const { counter } = counterOf(quota);
    const counts = await Promise.all(
      Array.from({ length: points + 50 }, () => counter.count('key')),
    );
    t.equal(counts.filter((count) => count.allowed).length, points);
  }
});

t.test('the rest counts down to zero, with the time until the next period', async (t) => {
  const { counter } = counterOf({ points: 3, duration: 60 });
  const counts = [];
  for (let i = 0; i < 5; i++) counts.push(await counter.count('key'));
  t.strictSame(
    counts.map(({ allowed, remaining }) => [allowed, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ],
  );
  t.ok(counts.every(({ reset }) => reset > 0 && reset <= 60_000));
});

t.test('keys are counted separately', async (t) => {
  const { counter } = counterOf({ points: 1, duration: 60 });
  t.equal((await counter.count('a')).allowed, true);
  t.equal((await counter.count('b')).allowed, true);
  t.equal((await counter.count('a')).allowed, false);
});

t.test('the store is asked once for each percent, and not for what is refused', async (t) => {
  const { counter, limiter } = counterOf({ points: 1_000, duration: 60 });
  await allowed(counter, 1_000);
  t.equal(limiter.times, 100);
  await allowed(counter, 5_000);
  t.equal(limiter.times, 101);
});

t.test('two processes together allow as many as one', async (t) => {
  for (const points of [500, 777]) {
    const quota = { points, duration: 60 };
    const shared = new CountingLimiter({ ...quota });
    const [one, other] = [counterOf(quota, shared).counter, counterOf(quota, shared).counter];
    let sum = 0;
    for (let i = 0; i < points; i++) {
      sum += await allowed(one, 1);
      if (i % 3 === 0) sum += await allowed(other, 1);
    }
    t.ok(sum <= points && sum >= points * 0.98, `${sum} of ${points}`);
  }
});

t.test('after its time it begins anew, whatever is left of a block', async (t) => {
  const { counter } = counterOf({ points: 500, duration: 3 });
  t.equal(await allowed(counter, 502), 500);
  let count = await counter.count('key');
  while (!count.allowed) {
    await new Promise((resolve) => setTimeout(resolve, count.reset + 1));
    count = await counter.count('key');
  }
  t.equal(count.remaining, 499);
});

t.test('a failing store fails the request, and is asked again by the next', async (t) => {
  const quota = { points: 5, duration: 60 };
  let fails = true;
  class Failing extends RateLimiterMemory {
    override async consume(...args: Parameters<RateLimiterMemory['consume']>) {
      if (fails) throw new Error('no store');
      return super.consume(...args);
    }
  }
  const counter = new Counter(new Failing(quota), quota, () => undefined);
  await t.rejects(Promise.resolve(counter.count('key')), /no store/);
  fails = false;
  t.equal((await counter.count('key')).allowed, true);
});

t.test('the memory of very many keys is that of some thousands', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const counter = new MemoryStore().counter('test', { points: 50, duration: 3_600 });
  const fill = async (from: number, to: number) => {
    for (let i = from; i < to; i++) await counter.count(`192.0.2.${i}`);
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await fill(0, 21_000);
  const after = await fill(21_000, 42_000);
  t.ok(after - before < 6_291_456, `grew by ${(after - before) / 1_048_576} MB`);
});
