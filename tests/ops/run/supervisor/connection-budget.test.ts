// @newest

import pg from 'pg';
import t from 'tap';
import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import {
  allotConnections,
  connectionsNeeded,
  QUEUES,
} from '#ops/run/supervisor/connection-budget.ts';
import { createDatabase } from '#tests/harness/database.ts';

const SIZES = {
  DATABASE_POOL_MAX: 10,
  STREAM_MAX: 4,
  EDGE_PROCESSES: 2,
  WORKER_PROCESSES: 1,
  REDIS_URL: undefined,
  MONITOR_PORT: 0,
};

t.test('all queues are counted', async (t) => {
  t.equal(QUEUES, QUEUE_NAMES.length);
});

t.test('Redis takes queue and messages off the database', async (t) => {
  t.equal(connectionsNeeded({ ...SIZES, REDIS_URL: 'redis://127.0.0.1' }), 2 * (10 + 4) + 12);
  t.ok(connectionsNeeded(SIZES) > 32);
});

t.test('where the database allows less, the processes get less', async (t) => {
  const url = await createDatabase(t);
  t.match(await allotConnections(SIZES, url), { DATABASE_POOL_MAX: 10, warning: null });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  const limit = async (allowed: number) =>
    await client.query(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} CONNECTION LIMIT ${allowed}`,
    );
  const fewest = { ...SIZES, DATABASE_POOL_MAX: 1, STREAM_MAX: 1 };
  const all = connectionsNeeded(fewest);
  const least = connectionsNeeded({ ...fewest, EDGE_PROCESSES: 1 });
  for (const [allowed, edges] of [
    [least, 1],
    [all - 1, 1],
    [all, 2],
    [all + 12, 2],
  ] as const) {
    await limit(allowed);
    const { warning, ...sizes } = await allotConnections(SIZES, url);
    t.ok(connectionsNeeded({ ...SIZES, ...sizes }) <= allowed);
    t.match(warning, `${connectionsNeeded(SIZES)} connections`);
    t.match(warning, `allows ${allowed}`);
    t.match(warning, `DATABASE_POOL_MAX=${sizes.DATABASE_POOL_MAX}`);
    t.match(sizes, { EDGE_PROCESSES: edges, WORKER_PROCESSES: 1 });
  }
  await limit(least - 1);
  await t.rejects(allotConnections(SIZES, url), {
    name: 'SetupError',
    message: new RegExp(`allows ${least - 1} connections .* at least ${least}: raise`),
  });
});
