// @newest
/** Limits hold for all edges together, survive the loss of Redis, and come before tokens. */
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { type RedisServer, startRedis } from '#tests/harness/redis.ts';
import { until } from '#tests/harness/until.ts';

const POINTS = 500;

const Health = v.object({
  checks: v.object({ rateLimit: v.tuple([v.object({ status: v.string() })]) }),
});

async function test(t: Test, redis: RedisServer) {
  const env = {
    REDIS_URL: redis.url,
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_POINTS: String(POINTS),
    RATE_LIMIT_DURATION: '3600',
    IP_TRUST_PROXY: '127.0.0.1',
  };
  const cluster = await startCluster(t, { edges: 1, env });
  const second = await cluster.addEdge();
  const urls = [cluster.url, second.url];

  const ask = (url: string, client: string, init: Record<string, string> = {}) =>
    fetch(url, { headers: { 'X-Forwarded-For': client, ...init } });

  /** Requests that are allowed of one client that asks all these edges. */
  const allowed = async (edges: readonly string[], client: string) => {
    let sum = 0;
    for (let sent = 0; sent < POINTS + 100; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => ask(`${edges[i % edges.length]}/server/ping`, client)),
      );
      sum += answers.filter(({ status }) => status === 200).length;
    }
    return sum;
  };

  let polls = 0;
  const health = async (url: string) => {
    polls += 1;
    const from = `198.51.100.${polls % 250}`;
    const answer = await ask(`${url}/server/health`, from, {
      Authorization: `Bearer ${ADMIN_TOKEN}`,
    });
    return v.parse(Health, await answer.json()).checks.rateLimit[0].status;
  };

  /** Where an edge pauses it counts by itself for a while: then another client tries. */
  const together = async (clients: readonly string[]) => {
    for (const client of clients) {
      const sum = await allowed(urls, client);
      t.comment(`${sum} of ${POINTS}`);
      if (sum <= POINTS && sum >= POINTS * 0.95) return client;
    }
    throw new Error('no client was counted together');
  };

  const client = await together(['192.0.2.11', '192.0.2.12', '192.0.2.13']);
  const refused = await ask(`${cluster.url}/items/x`, client, { Authorization: 'Bearer bad' });
  t.equal(refused.status, 429, 'it is counted before the token is looked at');
  const bad = { Authorization: 'Bearer bad' };
  t.equal((await ask(`${cluster.url}/nothing/here`, '192.0.2.2', bad)).status, 401);
  t.equal((await ask(`${cluster.url}/nothing/here`, '192.0.2.2')).status, 404);
  t.equal((await ask(`${cluster.url}/server/ping`, '192.0.2.2', bad)).status, 200);

  await redis.stop('SIGKILL');
  await until(async () => (await health(cluster.url)) === 'warn', 'health to miss Redis');
  t.equal(await allowed(urls.slice(0, 1), '192.0.2.3'), POINTS, 'one counts by itself');
  t.equal((await ask(`${urls[1]}/server/ping`, '192.0.2.3')).status, 200, 'and so does the other');

  const again = await startRedis(Number(new URL(redis.url).port));
  t.teardown(() => again?.stop());
  for (const url of urls) {
    await until(async () => (await health(url)) === 'ok', 'health to find Redis again');
  }
  await together(['192.0.2.14', '192.0.2.15', '192.0.2.16']);
}

t.test('two edges count together, each alone without Redis, and together again', async (t) => {
  const redis = await startRedis();
  if (redis === null) {
    t.pass('no Redis is installed');
    return;
  }
  t.teardown(() => redis.stop());
  await test(t, redis);
});
