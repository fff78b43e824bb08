import pg from 'pg';
import t from 'tap';
import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import { connectionsNeeded, connectionWarning, QUEUES } from '#ops/supervisor/connections.ts';
import { createDatabase } from '#tests/harness/database.ts';

const SIZES = {
  DATABASE_POOL_MAX: 10,
  STREAM_MAX: 4,
  EDGE_PROCESSES: 2,
  WORKER_PROCESSES: 1,
  REDIS_URL: undefined,
};

t.test('all queues are counted', async (t) => {
  t.equal(QUEUES, QUEUE_NAMES.length);
});

t.test('Redis takes queue and messages off the database', async (t) => {
  t.equal(connectionsNeeded({ ...SIZES, REDIS_URL: 'redis://127.0.0.1' }), 2 * (10 + 4) + 12);
  t.ok(connectionsNeeded(SIZES) > 32);
});

t.test('a sum above what the database allows is a warning that names both', async (t) => {
  const url = await createDatabase(t);
  t.equal(await connectionWarning(SIZES, url), null);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} CONNECTION LIMIT 20`);
  await client.end();
  const warning = await connectionWarning(SIZES, url);
  t.match(warning, `${connectionsNeeded(SIZES)} connections`);
  t.match(warning, 'allows 20');
  t.match(warning, 'DATABASE_POOL_MAX');
  t.match(await connectionWarning({ ...SIZES, EDGE_PROCESSES: 64 }, url), 'EDGE_PROCESSES');
});
