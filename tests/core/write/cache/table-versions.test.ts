// @newest
/** Versions in memory and in Redis behave alike; those in Redis survive its absence. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { MemoryTableVersions } from '#core/write/cache/memory-table-versions.ts';
import { RedisTableVersions } from '#core/write/cache/redis-table-versions.ts';
import type { TableVersions } from '#core/write/cache/table-versions.ts';
import { startRedis } from '#tests/harness/redis.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

async function conforms(t: Test, versions: TableVersions): Promise<void> {
  const first = await versions.stamp(['a', 'b']);
  t.type(first, 'string');
  t.equal(await versions.stamp(['a', 'b']), first, 'unwritten tables are unchanged');

  t.ok(await versions.mark('w1', ['a']));
  t.equal(await versions.stamp(['a', 'b']), null, 'no reader caches a table that is being written');
  const other = await versions.stamp(['b']);
  t.type(other, 'string', 'other tables are untouched');
  t.ok(await versions.mark('w2', ['a']));
  t.ok(await versions.settle('w1', ['a']));
  t.equal(await versions.stamp(['a']), null, 'until the last writer has settled');
  t.ok(await versions.settle('w2', ['a']));

  const last = await versions.stamp(['a', 'b']);
  t.type(last, 'string');
  t.not(last, first, 'the versions have moved');
  t.equal(await versions.stamp(['b']), other);
  const both = await Promise.all([versions.stamp(['a', 'b']), versions.stamp(['b'])]);
  t.strictSame(both, [last, other], 'simultaneous callers get separate results');
}

t.test('in memory', (t) => conforms(t, new MemoryTableVersions()));

const url = process.env.TEST_REDIS_URL;
if (url !== undefined) {
  const open = async (t: Test, from: string, prefix: string, markMs?: number) => {
    const versions = new RedisTableVersions(from, prefix, log, markMs);
    t.teardown(() => versions.close());
    await until(() => versions.ready, 'Redis');
    return versions;
  };

  t.test('in Redis', async (t) => conforms(t, await open(t, url, randomUUID())));

  t.test('the mark of a dead writer expires, and the versions have moved', async (t) => {
    const versions = await open(t, url, randomUUID(), 3_000);
    const before = await until(() => versions.stamp(['a']), 'a stamp');
    await versions.mark('gone', ['a']);
    t.equal(await versions.stamp(['a']), null);
    const after = await until(() => versions.stamp(['a']), 'the mark to run out');
    t.not(after, before);
  });

  t.test('lost versions never equal earlier ones', async (t) => {
    const prefix = randomUUID();
    const versions = await open(t, url, prefix);
    const before = await versions.stamp(['a']);
    const redis = new Redis(url);
    t.teardown(() => redis.disconnect());
    await redis.del(`${prefix}:cache`);
    const after = await versions.stamp(['a']);
    t.type(after, 'string');
    t.not(after, before);
  });

  t.test('without Redis no write is reported, and later no older answer is valid', async (t) => {
    const redis = await startRedis();
    if (redis === null) return;
    const versions = await open(t, redis.url, randomUUID());
    const before = await versions.stamp(['a']);
    await redis.stop();
    await until(() => !versions.ready, 'the loss to be noticed');
    t.equal(await versions.stamp(['a']), null);
    t.notOk(await versions.mark('w', ['a']));
    t.notOk(await versions.settle('w', ['a']));
    const again = await startRedis(Number(new URL(redis.url).port));
    t.teardown(() => again?.stop());
    await until(() => versions.ready, 'Redis again');
    t.not(await versions.stamp(['a']), before);
  });
}
