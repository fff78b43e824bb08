// @newest @slow
/** What health says when nobody takes jobs, with real processes on each backend of the queue. */
import { Redis } from 'ioredis';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import type { HealthCheck } from '#core/base/process/health-check.ts';
import type { Beat, ChildMessage } from '#core/base/process/supervised-process.ts';
import { watchQueues } from '#ops/run/monitor/queue-alerts.ts';
import { backends } from '#tests/harness/backend.ts';
import {
  ADMIN_TOKEN,
  type Cluster,
  type Member,
  QUICK_TAKEOVER,
  startCluster,
} from '#tests/harness/cluster.ts';
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

/** What a process says of itself from now on. */
function beatsOf({ process }: Member): readonly Beat[] {
  const beats: Beat[] = [];
  process.on('message', (message: ChildMessage) => {
    if (message.type === 'beat') beats.push(message);
  });
  return beats;
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
  WATCHDOG_TIMEOUT: '2s',
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
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const config = loadConfig({ ...QUICK });
    const end = watchQueues({ pool: db, schema: 'public', config, log });
    t.teardown(end);
    const patient: string[] = [];
    const endPatient = watchQueues({
      ...{ pool: db, schema: 'public', config: { ...config, QUEUE_STUCK_AFTER: 3_600_000 } },
      log: pino({ base: null }, { write: (line: string) => void patient.push(line) }),
    });
    t.teardown(endPatient);
    await until(() => lines.some((line) => /"level":50.*jobs do not run/.test(line)), 'the alert');
    const refused = await fetch(`${url}/server/health`);
    t.equal(refused.status, 503);
    t.strictSame(await refused.json(), { status: 'error' }, 'others see the status only');
    t.equal((await cluster.fetch('/items/quick')).status, 200, 'reads are answered');

    const worker = await cluster.startWorker();
    t.match(await says(cluster, 'workers:live', 'ok'), { observedValue: 1 });
    t.match(await says(cluster, 'processes:live', 'ok'), {
      componentId: /^(edge|worker) .+:\d+$/,
      observedUnit: 's',
    });
    await ended(cluster, [alone]);
    await until(() => lines.some((line) => line.includes('jobs run again')), 'the end of it');
    end();
    endPatient();
    t.strictSame(patient, [], 'what is over before a job waits too long is no alert');

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
    const none = await says(cluster, 'workers:live', 'error', /No worker is alive/);
    t.match(none, { observedValue: 0 });
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
    if (backend.name !== 'postgres') return;

    // The queue hangs for this worker, and its server answers everybody else.
    await pause('pause');
    row += 1;
    const untaken = await submit(cluster, 'quick', row);
    const beats = beatsOf(worker);
    await blocker.query('BEGIN; LOCK TABLE bullmq.job IN ACCESS EXCLUSIVE MODE');
    await db.query("UPDATE system_queues SET state = 'running', changed_on = now()");
    const hung = await until(() => beats.find((beat) => beat.hung), 'the worker to hang');
    t.match(hung.reason, new RegExp(`Job ${untaken} .* does not take it`));
    await blocker.query('ROLLBACK');
    await ended(cluster, [untaken]);
    await until(() => beats.at(-1)?.reason === null, 'the worker to be ready again');
  });
}

t.test('a Redis that takes no writes', async (t) => {
  const server = await startRedis();
  if (server === null) return;
  t.teardown(() => server.stop());
  const admin = new Redis(server.url);
  t.teardown(() => admin.disconnect());
  const cluster = await started(t, { REDIS_URL: server.url });
  const worker = await cluster.startWorker();
  const beats = beatsOf(worker);
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
  const beat = await until(
    () => beats.find(({ reason }) => reason?.includes('OOM')),
    'the worker to say why it takes nothing',
  );
  t.equal(beat.hung, false, 'another start would not help');
  await says(cluster, 'workers:live', 'error', /takes no jobs: Job .* OOM/);
  t.match(worker.output(), /the worker takes no jobs/);
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
