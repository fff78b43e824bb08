// @newest

import { pino } from 'pino';
import t from 'tap';
import { RedisStore } from '#edge/limit/redis-store.ts';
import type { Counter } from '#edge/limit/request-counter.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { type RedisServer, startRedis } from '#tests/harness/redis.ts';
import { until } from '#tests/harness/until.ts';

const QUOTA = { points: 600, duration: 600 };

const redis = await startRedis();

/** @param answerWithin milliseconds; as long as a busy machine may need, if nothing is said */
async function open(t: Teardown, server: RedisServer, prefix: string, answerWithin = 30_000) {
  const store = new RedisStore(server.url, prefix, pino({ level: 'silent' }), answerWithin);
  t.teardown(() => store.close());
  await until(() => store.shared, 'a connection to Redis');
  return store;
}

/** Requests that are allowed among many that arrive some at a time. */
async function allowed(counters: readonly Counter[], requests: number, key = 'k'): Promise<number> {
  let sum = 0;
  for (let sent = 0; sent < requests; sent += 30) {
    const counts = await Promise.all(
      Array.from({ length: 30 }, (_, i) => counters[i % counters.length]?.count(key)),
    );
    sum += counts.filter((count) => count?.allowed).length;
  }
  return sum;
}

function within5Percent(sum: number): boolean {
  return sum <= QUOTA.points && sum >= QUOTA.points * 0.95;
}

if (redis === null) {
  t.pass('no Redis is installed');
} else {
  t.teardown(() => redis.stop());

  t.test('processes count together, and installations separately', async (t) => {
    const stores = await Promise.all([1, 2, 3].map(() => open(t, redis, 'one')));
    const counters = stores.map((store) => store.counter('test', QUOTA));
    const sum = await allowed(counters, 900);
    t.ok(within5Percent(sum), `${sum} of ${QUOTA.points}`);
    const other = (await open(t, redis, 'other')).counter('test', QUOTA);
    t.equal((await other.count('k')).allowed, true);
    t.equal((await stores[0]?.counter('another', QUOTA).count('k'))?.allowed, true);
  });

  t.test('while Redis is away each counts by itself, and then together again', async (t) => {
    const server = await startRedis();
    if (server === null) return;
    t.teardown(() => server.stop());
    const stores = await Promise.all([1, 2].map(() => open(t, server, 'away')));
    const counters = stores.map((store) => store.counter('test', QUOTA));
    t.ok(within5Percent(await allowed(counters, 900, 'before')));
    await server.stop('SIGKILL');
    await until(() => stores.every((store) => !store.shared), 'Redis to be missed');
    for (const counter of counters) t.equal(await allowed([counter], 900, 'alone'), QUOTA.points);
    const again = await startRedis(Number(new URL(server.url).port));
    t.teardown(() => again?.stop());
    await until(() => stores.every((store) => store.shared), 'Redis to be found again');
    const sum = await allowed(counters, 900, 'after');
    t.ok(within5Percent(sum), `${sum} of ${QUOTA.points}`);
  });

  t.test('a Redis that hangs is not waited for again and again', async (t) => {
    const server = await startRedis();
    if (server === null) return;
    const { pid } = server;
    t.teardown(() => {
      process.kill(pid, 'SIGCONT');
      return server.stop();
    });
    const store = await open(t, server, 'hangs', 1_000);
    const counter = store.counter('test', QUOTA);
    process.kill(pid, 'SIGSTOP');
    t.equal(await allowed([counter], 900), QUOTA.points);
    t.equal(store.shared, false);
    process.kill(pid, 'SIGCONT');
    await until(() => store.shared, 'Redis to be found again');
  });
}
