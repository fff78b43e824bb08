// @newest

import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { type ServerProxy, startProxy } from '#tests/harness/proxy.ts';
import { until } from '#tests/harness/until.ts';

t.jobs = 2;

for (const backend of backends) {
  t.test(`an edge with its queue on ${backend.name} waits for what is away`, async (t) => {
    const { databaseUrl, addEdge } = await startCluster(t, { edges: 0 });
    const redis = backend.env.REDIS_URL;
    const proxies = [await startProxy(t, databaseUrl)];
    if (redis !== undefined) proxies.push(await startProxy(t, redis));
    const [database, queue] = proxies;
    const env = {
      DATABASE_URL: database?.url ?? '',
      DATABASE_POOL_WAIT: '5s',
      ...(queue === undefined ? {} : { REDIS_URL: queue.url }),
    };
    /** Each makes a server go away, and resolves when an edge should have noticed. */
    const ways = [
      async (proxy: ServerProxy) => {
        await proxy.down();
        return () => delay(1_000);
      },
      async (proxy: ServerProxy) => {
        proxy.refuse();
        const before = proxy.refused;
        return () => until(() => proxy.refused > before + 3, 'the edge to try again');
      },
    ];
    for (const [proxy, goAway] of proxies.flatMap((proxy) =>
      ways.map((way) => [proxy, way] as const),
    )) {
      const noticed = await goAway(proxy);
      const starting = addEdge(env);
      const soon = await Promise.race([
        starting.then(() => 'ready'),
        noticed().then(() => 'waits'),
      ]);
      t.equal(soon, 'waits');
      await proxy.up();
      const edge = await starting;
      t.equal((await fetch(`${edge.url}/server/ping`)).status, 200);
      await edge.end('SIGKILL');
    }
  });
}
