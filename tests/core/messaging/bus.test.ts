// @newest

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import type { MessageBus } from '#core/messaging/bus.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { type Backend, backends } from '#tests/harness/backend.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const log = pino({ level: 'silent' });

/** Collects what arrives on a topic of the bus. */
function hear(bus: MessageBus): string[] {
  const heard: string[] = [];
  bus.subscribe('job.finished', ({ id }) => heard.push(id));
  return heard;
}

function channelOf(cluster: string): string {
  return `sluice_${cluster.replaceAll('-', '')}`;
}

/** Ends the server's side of every connection that the bus has. */
async function kill(backend: Backend, url: string, cluster: string): Promise<void> {
  if (backend.env.REDIS_URL !== undefined) {
    const redis = new Redis(backend.env.REDIS_URL);
    const clients = String(await redis.client('LIST')).split('\n');
    for (const line of clients.filter((client) => client.includes(channelOf(cluster)))) {
      await redis.client('KILL', 'ID', /id=(\d+)/.exec(line)?.[1] ?? '');
    }
    redis.disconnect();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sluice messages' AND datname = current_database()`);
  await client.end();
}

/** Sends a text as it is to the channel that the bus of this cluster listens on. */
async function sendRaw(backend: Backend, url: string, cluster: string, text: string) {
  const channel = channelOf(cluster);
  if (backend.env.REDIS_URL !== undefined) {
    const redis = new Redis(backend.env.REDIS_URL);
    await redis.publish(channel, text);
    redis.disconnect();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SELECT pg_notify($1, $2)', [channel, text]);
  await client.end();
}

for (const backend of backends) {
  t.test(`messages on ${backend.name}`, async (t) => {
    const url = await createDatabase(t);
    const config = {
      REDIS_URL: backend.env.REDIS_URL,
      DATABASE_DIRECT_URL: undefined,
    };
    const cluster = randomUUID();
    const open = async (id = cluster) => {
      const bus = await openBus(config, url, id, log);
      t.teardown(() => bus.close());
      return bus;
    };
    const here = await open();
    const there = await open();
    const otherCluster = await open(randomUUID());

    await t.test('arrive everywhere, the sender included, and in no other cluster', async (t) => {
      const [own, other, foreign] = [hear(here), hear(there), hear(otherCluster)];
      const ids = [randomUUID(), randomUUID(), randomUUID()];
      for (const id of ids) await here.publish('job.finished', { id });
      await until(() => own.length === 3 && other.length === 3);
      t.strictSame(own, ids);
      t.strictSame(other, ids);
      const last = randomUUID();
      await otherCluster.publish('job.finished', { id: last });
      await until(() => foreign.length > 0);
      t.strictSame(foreign, [last]);
    });

    await t.test('go to the subscribers of their topic until they leave', async (t) => {
      const finished = hear(there);
      const versions: number[] = [];
      const leave = there.subscribe('catalog.changed', ({ version }) => versions.push(version));
      const stay = there.subscribe('catalog.changed', ({ version }) => versions.push(-version));
      await here.publish('catalog.changed', { version: 7 });
      await until(() => versions.length === 2);
      leave();
      await here.publish('catalog.changed', { version: 8 });
      await until(() => versions.length === 3);
      stay();
      t.strictSame(versions, [7, -7, -8]);
      t.strictSame(finished, []);
    });

    await t.test('survive malformed texts and failing subscribers', async (t) => {
      const heard: string[] = [];
      const leave = there.subscribe('job.finished', () => {
        throw new Error('a subscriber with a fault');
      });
      there.subscribe('job.finished', ({ id }) => heard.push(id));
      for (const text of ['', '{', '{"topic":"no.such"}', '{"topic":"job.finished","message":1}']) {
        await sendRaw(backend, url, cluster, text);
      }
      const id = randomUUID();
      await here.publish('job.finished', { id });
      await until(() => heard.length > 0);
      leave();
      t.strictSame(heard, [id]);
    });

    await t.test('flow again after the connections were killed', async (t) => {
      const heard = hear(there);
      await until(() => there.silence() === 0 && here.silence() === 0);
      const missed = Promise.all([here, there].map((bus) => until(() => bus.silence() > 0)));
      await kill(backend, url, cluster);
      await missed;
      await until(() => there.silence() === 0 && here.silence() === 0);
      const id = randomUUID();
      await here.publish('job.finished', { id });
      await until(() => heard.length > 0);
      t.strictSame(heard, [id]);
    });

    await t.test('too long are refused before they are sent', async (t) => {
      const bytes = 'x'.repeat(9_000);
      const progress = { rows: 1, bytes: 1, percent: null, bytes2: bytes };
      await t.rejects(here.publish('job.progress', { id: randomUUID(), progress }), RangeError);
    });
  });
}
