// @newest
/** Subscribers learn that something may have been missed: messages interrupted, an edge killed. */
import { Redis } from 'ioredis';
import t from 'tap';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { openSocket } from '#tests/harness/socket.ts';

/** Ends the connections of the messages of one cluster. */
async function killOnRedis(url: string, cluster: string): Promise<void> {
  const redis = new Redis(url);
  const clients = String(await redis.client('LIST')).split('\n');
  for (const line of clients.filter((one) => one.includes(cluster.replaceAll('-', '')))) {
    await redis.client('KILL', 'ID', /id=(\d+)/.exec(line)?.[1] ?? '');
  }
  redis.disconnect();
}

for (const backend of backends) {
  t.test(`gaps on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, {
      edges: 2,
      env: { WEBSOCKETS_ENABLED: 'true', ...backend.env },
    });
    const { db, urls } = cluster;
    await db.query('CREATE TABLE note (id serial PRIMARY KEY, title text)');
    await cluster.served('/items/note');
    const open = async (message: object) => {
      const socket = await openSocket(`${urls[0]}/websocket`, [], ADMIN_TOKEN);
      t.teardown(() => socket.close());
      socket.send({ type: 'subscribe', collection: 'note', ...message });
      t.match(await socket.next(), { event: 'init' });
      return socket;
    };

    await t.test('an interruption of the messages', async (t) => {
      const [items, events] = [await open({}), await open({ event: 'create' })];
      // Nobody is told of this one: SQL does not pass through the edge.
      await db.query("INSERT INTO note (title) VALUES ('by the way')");
      if (backend.env.REDIS_URL === undefined) {
        await db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'sluice messages' AND datname = current_database()`);
      } else {
        await killOnRedis(backend.env.REDIS_URL, await clusterId(db, 'public'));
      }
      t.match(await items.next(), { event: 'init', data: [{ title: 'by the way' }] });
      t.equal((await events.closed).code, 1012);
    });

    if (backend.name !== 'postgres') return;
    await t.test('an edge is killed', async (t) => {
      const items = await open({});
      await cluster.edges[1]?.end('SIGKILL');
      t.match(await items.next(), { event: 'init' });
    });
  });
}
