// @newest @slow
/** What health says when nobody takes jobs, with real processes on each backend of the queue. */
import { Redis } from 'ioredis';
import t, { type Test } from 'tap';
import type { HealthCheck } from '#core/process/health-check.ts';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, type Cluster, QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { startRedis } from '#tests/harness/redis.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

/** Imports into `slow` wait for the lock of each row. */
const TABLES = `
  CREATE TABLE slow (id int PRIMARY KEY);
  CREATE TABLE quick (id int PRIMARY KEY);
  CREATE FUNCTION wait_for_turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(7, new.id);
    RETURN new;
  END $$;
  CREATE TRIGGER turn BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION wait_for_turn()`;

interface Report {
  readonly status: string;
  readonly checks: Readonly<Record<string, readonly HealthCheck[]>>;
}

async function healthOf(cluster: Cluster): Promise<Report> {
  return JSON.parse(await (await cluster.fetch('/server/health')).text());
}

/** Waits until one entry of a check has the status and the output, and returns it. */
function says(
  cluster: Cluster,
  name: string,
  status: string,
  output: RegExp = /^/,
): Promise<HealthCheck> {
  return until(
    async () =>
      (await healthOf(cluster)).checks[name]?.find(
        (check) => check.status === status && output.test(check.output ?? ''),
      ),
    `${name} to be ${status} because of ${output}`,
  );
}

let row = 0;

/** Submits an import; returns its job. */
async function submit(cluster: Cluster, table: 'slow' | 'quick', id: number): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const answer = await upload(cluster, table, `id\n${id}\n`, { headers });
  if (answer.status !== 202) throw new Error(await answer.text());
  return (answer.headers.get('location') ?? '').slice('/jobs/'.length);
}

async function states(cluster: Cluster, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await cluster.db.query<{ state: string }>(
    'SELECT state FROM system_jobs WHERE id = ANY ($1) ORDER BY sequence',
    [ids],
  );
  return rows.map(({ state }) => state);
}

const ended = (cluster: Cluster, ids: readonly string[]) =>
  until(
    async () => (await states(cluster, ids)).every((state) => state === 'completed'),
    'the jobs to be done',
  );

const QUICK = {
  ...QUICK_TAKEOVER,
  QUEUE_STUCK_AFTER: '1s',
  QUEUE_WAIT_WARN: '1s',
  JOB_SILENT_AFTER: '1s',
  WORKER_CONCURRENCY: '1',
};

async function started(t: Test, env: Readonly<Record<string, string>>): Promise<Cluster> {
  const cluster = await startCluster(t, { env: { ...QUICK, ...env } });
  await cluster.db.query(TABLES);
  await until(async () => (await cluster.fetch('/items/quick')).status === 200, 'the tables');
  return cluster;
}

for (const backend of backends) {
  t.test(`workers and queues on ${backend.name}`, async (t) => {
    const cluster = await started(t, backend.env);
    const { db, url } = cluster;

    t.match(await says(cluster, 'workers:live', 'warn'), { observedValue: 0, threshold: 1 });
    row += 1;
    const alone = await submit(cluster, 'quick', row);
    await says(cluster, 'workers:live', 'error', /the open jobs wait/);
    t.match(await says(cluster, 'queue:waiting', 'error', /^No worker is alive/), {
      ...{ componentId: 'transfer', observedValue: 1, observedUnit: 'jobs' },
    });
    const refused = await fetch(`${url}/server/health`);
    t.equal(refused.status, 503);
    t.strictSame(await refused.json(), { status: 'error' }, 'others see the status only');
    t.equal((await cluster.fetch('/items/quick')).status, 200, 'reads are answered');

    const worker = await cluster.startWorker();
    t.match(await says(cluster, 'workers:live', 'ok'), { observedValue: 1 });
    await ended(cluster, [alone]);

    const pause = (what: string) => cluster.fetch(`/queues/transfer/${what}`, { method: 'POST' });
    await pause('pause');
    row += 1;
    const paused = await submit(cluster, 'quick', row);
    await says(cluster, 'queue:waiting', 'warn', /is paused/);
    await pause('resume');
    await ended(cluster, [paused]);

    const blocker = await db.connect();
    t.teardown(() => blocker.release(true));
    row += 1;
    await blocker.query('SELECT pg_advisory_lock(7, $1)', [row]);
    const long = await submit(cluster, 'slow', row);
    const behind = await submit(cluster, 'quick', row);
    await says(cluster, 'jobs:silent', 'warn', /no progress/);
    await says(cluster, 'queue:waiting', 'warn', /All 1 slots are busy/);

    worker.process.kill('SIGSTOP');
    t.match(await says(cluster, 'workers:live', 'error'), { observedValue: 0 });
    await says(cluster, 'jobs:silent', 'error', /No live worker/);
    worker.process.kill('SIGCONT');
    await says(cluster, 'workers:live', 'ok');
    await blocker.query('SELECT pg_advisory_unlock_all()');
    await ended(cluster, [long, behind]);
    await until(async () => (await healthOf(cluster)).status === 'ok', 'all to be well again');

    const { checks } = await healthOf(cluster);
    for (const name of ['history:size', 'streams', 'storage:local:free']) {
      t.ok(
        checks[name]?.some(({ threshold }) => threshold !== undefined),
        `${name} has a threshold`,
      );
    }
    t.match(checks['storage:local:writable'], [{ status: 'ok' }]);
    t.equal('redis:writable' in checks, backend.name === 'redis');
  });
}

t.test('a Redis that takes no writes', async (t) => {
  const server = await startRedis();
  if (server === null) return;
  t.teardown(() => server.stop());
  const admin = new Redis(server.url);
  t.teardown(() => admin.disconnect());
  const cluster = await started(t, { REDIS_URL: server.url });
  await cluster.startWorker();
  await says(cluster, 'redis:writable', 'ok');
  const pause = (what: string) => cluster.fetch(`/queues/transfer/${what}`, { method: 'POST' });
  await pause('pause');
  row += 1;
  const id = await submit(cluster, 'quick', row);

  await admin.config('SET', 'maxmemory', '1mb');
  await says(cluster, 'redis:writable', 'error', /OOM.*Raise maxmemory/);
  await says(cluster, 'redis:memory', 'warn', /% of maxmemory/);
  await cluster.db.query("UPDATE system_queues SET state = 'running', changed_on = now()");
  await says(cluster, 'queue:waiting', 'error', /could run for .*no worker takes it/);
  t.equal((await cluster.fetch('/items/quick')).status, 200, 'reads are answered');
  await admin.config('SET', 'maxmemory', '0');
  await ended(cluster, [id]);

  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await says(cluster, 'redis:evictions', 'warn', /noeviction/);
  await admin.config('SET', 'maxmemory-policy', 'noeviction');
  await admin.call('REPLICAOF', '127.0.0.1', '1');
  await says(cluster, 'redis:writable', 'error', /READONLY.*primary/);
  await admin.call('REPLICAOF', 'NO', 'ONE');
  await says(cluster, 'redis:writable', 'ok');
});

t.test('a storage that cannot be written', async (t) => {
  const cluster = await started(t, { DATA_DIR: '/dev/null', SECRET: 'x'.repeat(40) });
  await says(cluster, 'storage:local:writable', 'error', /cannot be written/);
  const { status } = await fetch(`${cluster.url}/items/quick?access_token=${ADMIN_TOKEN}`);
  t.equal(status, 200, 'reads are answered');
});
