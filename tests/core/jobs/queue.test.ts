// @newest

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import { backends } from '#tests/harness/backend.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { startProxy } from '#tests/harness/proxy.ts';

const log = pino({ level: 'silent' });

async function open(t: Teardown, env: Record<string, string>, url: string, cluster = randomUUID()) {
  const queues = await openQueues(loadConfig(env), url, cluster, log);
  t.teardown(() => queues.close());
  return queues;
}

for (const backend of backends) {
  t.test(`the queue on ${backend.name}`, async (t) => {
    const url = await createDatabase(t);
    const cluster = randomUUID();
    const queue = (await open(t, backend.env, url, cluster)).get('transfer');

    await t.test('takes a job once, even when several processes add it', async (t) => {
      const id = randomUUID();
      t.equal(await queue.state(id), 'unknown');
      const again = (await open(t, backend.env, url, cluster)).get('transfer');
      await Promise.all([queue.add(id, 'test'), again.add(id, 'test'), queue.add(id, 'test')]);
      t.equal(await again.state(id), 'waiting');
      t.match(await queue.counts(), { waiting: 1 });
      t.equal(await queue.remove(id), true);
      t.equal(await queue.remove(id), false);
      t.equal(await queue.state(id), 'unknown');
    });

    await t.test('promotes what is delayed and nothing else', async (t) => {
      const id = randomUUID();
      t.equal(await queue.promote(id), false);
      await queue.add(id, 'test', { delay: 60_000 });
      t.equal(await queue.state(id), 'delayed');
      t.equal(await queue.promote(id), true);
      t.equal(await queue.state(id), 'waiting');
      t.equal(await queue.promote(id), false);
    });

    await t.test('belongs to one cluster', async (t) => {
      const id = randomUUID();
      await queue.add(id, 'test');
      t.equal(await (await open(t, backend.env, url)).get('transfer').state(id), 'unknown');
    });

    await t.test('says so when its server is away, and works again afterwards', async (t) => {
      const redis = backend.env.REDIS_URL;
      const proxy = await startProxy(t, redis ?? url);
      await proxy.down();
      const env = redis === undefined ? {} : { REDIS_URL: proxy.url };
      const behind = (await open(t, env, redis === undefined ? proxy.url : url)).get('transfer');
      const id = randomUUID();
      const refused = { code: 'SERVICE_UNAVAILABLE', details: { service: 'queue' } };
      await t.rejects(behind.add(id, 'test'), refused);
      await proxy.up();
      const working = async () => {
        await behind.add(id, 'test');
        return await behind.state(id);
      };
      const retried = async (): Promise<string> =>
        await working().catch(async () => {
          await delay(20);
          return await retried();
        });
      t.equal(await retried(), 'waiting');
      await proxy.down();
      await t.rejects(behind.state(id), refused);
      await proxy.up();
      t.equal(await retried(), 'waiting');
    });

    await t.test('closes while it opens at a server that is away', async (t) => {
      const redis = backend.env.REDIS_URL;
      const proxy = await startProxy(t, redis ?? url);
      await proxy.down();
      const env = redis === undefined ? {} : { REDIS_URL: proxy.url };
      const target = redis === undefined ? proxy.url : url;
      const queues = await openQueues(loadConfig(env), target, randomUUID(), log);
      const queue = queues.get('transfer');
      const refused = { code: 'SERVICE_UNAVAILABLE', details: { service: 'queue' } };
      await t.rejects(queue.state('first'), refused);
      const second = t.rejects(queue.state('second'), refused);
      await queues.close();
      await second;
      await t.rejects(queue.state('third'), refused, 'a closed queue opens nothing');
    });
  });
}
