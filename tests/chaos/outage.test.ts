// @newest @slow
/**
 * Asks for every route while a part of the installation is out: each is refused with 503 and
 * `Retry-After` or answered from memory, and answers as before when the outage is over. The long test
 * of the same name stops the servers themselves.
 */
import { join } from 'node:path';
import t from 'tap';
import type { RouteEntry } from '#edge/rest/route.ts';
import { ROUTES } from '#edge/rest/route-table.ts';
import { backends } from '#tests/harness/backend.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { EveryRoute, faultsOf, ROUTE_ENVIRONMENT } from '#tests/harness/every-route.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { mountSmallDisk } from '#tests/harness/small-disk.ts';

/** Those of which a storage is asked. */
const STORAGE_ROUTES = /^\/(files|assets|utils\/(import|export)|jobs|server\/health)(\/|$)/;

/** Its work is a job. */
function isJob({ answer, path }: RouteEntry): boolean {
  return answer.job === true || path.startsWith('/utils/export/');
}

for (const backend of backends) {
  t.test(`every route during outages, with the queue on ${backend.name}`, async (t) => {
    const database = await startProxy(t, await createSystemDatabase(t));
    const { REDIS_URL: redisUrl } = backend.env;
    const redis = redisUrl === undefined ? null : await startProxy(t, redisUrl);
    const cluster = await startCluster(t, {
      edges: 0,
      databaseUrl: database.url,
      env: {
        ...{ ...ROUTE_ENVIRONMENT, EDGE_PROCESSES: '1', DATABASE_POOL_WAIT: '5s' },
        ...(redis === null ? {} : { REDIS_URL: redis.url }),
      },
    });
    const disks = ['files', 'spool'].map((name) => mountSmallDisk(t, join(cluster.dataDir, name)));
    await cluster.startWorker();
    const routes = new EveryRoute(cluster, (await cluster.addEdge()).url);
    await routes.prepare();
    const before = await routes.ask();
    const out = before.filter(({ status }) => status === 0 || status >= 500);
    t.strictSame(out, [], 'nothing is out yet');

    const checkDuring = async (name: string, entries: readonly RouteEntry[]) => {
      const answers = await routes.ask(entries);
      t.strictSame(faultsOf(answers), [], name);
      t.ok(
        answers.some(({ status }) => status === 503),
        `${name}: something is out`,
      );
    };
    await database.down();
    await checkDuring('PostgreSQL is down', ROUTES);
    await database.up();
    if (redis !== null) {
      await routes.answersAs(before);
      await redis.down();
      await checkDuring('Redis is down', ROUTES.filter(isJob));
      await redis.up();
    }
    if (!disks.includes(null)) {
      for (const disk of disks) disk?.fill(true);
      await checkDuring(
        'the disk is full',
        ROUTES.filter(({ path }) => STORAGE_ROUTES.test(path)),
      );
      for (const disk of disks) disk?.fill(false);
    }
    await routes.answersAs(before);
    const { rows } = await cluster.db.query(
      "SELECT kind, error FROM system_jobs WHERE state = 'failed' AND attempt = 0",
    );
    t.strictSame(rows, [], 'jobs that were not accepted are not there');
  });
}
