/**
 * Asks for every route while PostgreSQL, Redis or the disk is out in each way that we know: all are refused
 * with 503 and `Retry-After` or answered from memory, and answer as before when the outage is over.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { EveryRoute, faultsOf, ROUTE_ENVIRONMENT } from '#tests/harness/every-route.ts';
import { mountSmallDisk, type SmallDisk } from '#tests/harness/small-disk.ts';
import { startOwnPostgres, startOwnRedis } from './fixture/own-servers.ts';

/** Jobs begin again last: workers wait longer than edges. */
const BACK_WITHIN_MS = 180_000;

interface Outage {
  readonly name: string;
  begin(): unknown;
  end(): unknown;
}

/** Ends all sessions of others again and again. */
function terminating(url: string): Outage {
  let isOver = false;
  let work: Promise<void> = Promise.resolve();
  const terminate = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    while (!isOver) {
      await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      await delay(20);
    }
    await client.end();
  };
  return {
    name: 'sessions of PostgreSQL are terminated again and again',
    begin: () => {
      work = terminate();
    },
    end: async () => {
      isOver = true;
      await work;
    },
  };
}

async function outages(t: Test, queue: string): Promise<void> {
  const postgres = await startOwnPostgres(t);
  const redis = queue === 'redis' ? await startOwnRedis(t) : null;
  const cluster = await startCluster(t, {
    edges: 0,
    databaseUrl: postgres.url,
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
  const found: Outage[] = [
    { name: 'PostgreSQL is down', begin: postgres.stop, end: postgres.start },
    {
      name: 'PostgreSQL is frozen',
      begin: () => postgres.freeze(true),
      end: () => postgres.freeze(false),
    },
    terminating(postgres.url),
  ];
  if (redis !== null) {
    found.push({ name: 'Redis is down', begin: redis.stop, end: redis.start });
    found.push({
      name: 'Redis is full',
      begin: () => redis.fill(true),
      end: () => redis.fill(false),
    });
  }
  if (!disks.includes(null)) {
    const each = (change: (disk: SmallDisk) => unknown) => {
      for (const disk of disks) if (disk !== null) change(disk);
    };
    found.push({
      name: 'the disk is full',
      begin: () => each((disk) => disk.fill(true)),
      end: () => each((disk) => disk.fill(false)),
    });
    found.push({
      name: 'the disk refuses writes',
      begin: () => each((disk) => disk.protect(true)),
      end: () => each((disk) => disk.protect(false)),
    });
  }
  for (const { name, begin, end } of found) {
    await t.test(name, async (t) => {
      await begin();
      const since = performance.now();
      const answers = await routes.ask();
      t.comment(`all answers after ${Math.round(performance.now() - since)} ms`);
      await end();
      t.strictSame(faultsOf(answers), []);
      const refused = answers.filter(({ status }) => status === 503).length;
      t.ok(refused > 0, `${refused} of ${answers.length} are refused`);
      await routes.answersAs(before, BACK_WITHIN_MS);
    });
  }
  const { rows } = await cluster.db.query(
    "SELECT kind, error FROM system_jobs WHERE state = 'failed' AND attempt = 0",
  );
  t.strictSame(rows, [], 'jobs that were not accepted are not there');
}

for (const { name } of backends) {
  t.test(`every route during outages, with the queue on ${name}`, (t) => outages(t, name));
}
