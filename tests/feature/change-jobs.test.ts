// @newest @slow
/** Jobs of a query are cancelled, retried and moved, each once, even when the worker is killed. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createClient } from '#ops/client/source/index.ts';
import { createEditor } from '#tests/edge/rest/fixture/editor.ts';
import { sender } from '#tests/edge/rest/fixture/send.ts';
import { outcome } from '#tests/edge/rest/fixture/sign-in.ts';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';

/** More than two steps of a cancellation, and of 200 retries each more than one. */
const JOBS = Number(process.env.TEST_JOBS ?? 1_050);
const RETRIED = 250;

for (const backend of backends) {
  t.test(`jobs of a query on ${backend.name}`, async (t) => {
    const env = { ...backend.env, JOB_LOCK_DURATION: '1s', JOBS_MAX_PER_USER: '100000' };
    const cluster = await startCluster(t, { env });
    const { db } = cluster;
    const send = sender(cluster);
    const client = createClient(cluster.url, { token: ADMIN_TOKEN });
    t.teardown(() => client.close());
    const editor = await createEditor(cluster, { app: true, reads: {} });
    const { rows: users } = await db.query<{ id: string }>(
      'SELECT id FROM system_users ORDER BY email IS NULL',
    );
    const own = users.at(-1)?.id;
    // Jobs wait there, so that no worker begins them.
    await client.queues.pause('transfer');
    await db.query(
      `INSERT INTO system_jobs (kind, queue, message, message_version, "user", holder)
      SELECT 'export', 'transfer', '{}', 2, $1::uuid, 'user:' || $1::text
      FROM generate_series(1, $2::int) AS n`,
      [users[0]?.id, JOBS],
    );
    await db.query(
      `INSERT INTO system_jobs (kind, queue, message, message_version, "user")
      SELECT 'export', 'transfer', '{}', 2, $1 FROM generate_series(1, 3)`,
      [own],
    );
    const filter = { kind: { _eq: 'export' } };
    const others = { _and: [filter, { user: { _neq: own } }] };
    /** How often which actions were recorded, by state. */
    const actions = async (where: string) => {
      const { rows } = await db.query(
        `SELECT state, jsonb_path_query_array(actions, '$[*].action') AS actions,
          count(*)::int AS jobs FROM system_jobs WHERE kind = 'export' AND ${where}
        GROUP BY 1, 2 ORDER BY 3 DESC`,
      );
      return rows;
    };
    /** Has a worker killed after its first step; yields the result of its successor. */
    const killedOnce = async (change: string, chosen: unknown, meanwhile = async () => {}) => {
      const lost = await cluster.startWorker({ FAILPOINT: 'change-jobs.step' });
      const accepted = await send('POST', `/jobs/${change}`, chosen, { prefer: 'respond-async' });
      t.equal(accepted.status, 202);
      t.match(accepted.body, { data: { kind: 'change-jobs', queue: 'maintenance' } });
      t.equal(await lost.stoppedAt, 'change-jobs.step');
      await lost.end('SIGKILL');
      await meanwhile();
      const next = await cluster.startWorker();
      const job = await client.jobs.wait(accepted.body.data.id);
      await next.end('SIGTERM');
      return job;
    };

    await t.test('are counted first, as the caller may see them', async (t) => {
      const counted = await send('POST', '/jobs/cancel?dryRun', { filter });
      t.match(counted, { status: 200, body: { data: { jobs: JOBS + 3 } } });
      t.equal(await client.jobs.count('retry', { filter }), 0);
      const init = { method: 'POST', body: JSON.stringify({ filter }) };
      const theirs = await editor('/jobs/cancel?dryRun', init);
      t.strictSame(JSON.parse(await theirs.text()), { data: { jobs: 3 } });
      const { rows } = await db.query("SELECT FROM system_jobs WHERE kind = 'change-jobs'");
      t.equal(rows.length, 0, 'no job is made');
    });

    await t.test('are refused without a filter, or with a wrong one', async (t) => {
      const refused = async (body: unknown) =>
        outcome(cluster.fetch('/jobs/cancel', { method: 'POST', body: JSON.stringify(body) }));
      t.equal(await refused({}), 'INVALID_PAYLOAD');
      t.equal(await refused({ filter: {}, limit: 1 }), 'INVALID_PAYLOAD');
      t.equal(await refused({ filter: { kind: {} } }), 'INVALID_QUERY');
      t.equal(await refused({ filter: { message: { _null: true } } }), 'FORBIDDEN');
      const anonymous = { method: 'POST', body: JSON.stringify({ filter }) };
      const headers = { 'content-type': 'application/json' };
      t.equal(
        await outcome(fetch(`${cluster.url}/jobs/retry`, { ...anonymous, headers })),
        'FORBIDDEN',
      );
    });

    await t.test('are moved first by administrators, and keep their order', async (t) => {
      const chosen = { filter: { ...filter, user: { _eq: own } } };
      const asked = { method: 'POST', body: JSON.stringify(chosen) };
      t.equal(await outcome(editor('/jobs/first', asked)), 'FORBIDDEN');
      t.equal(await client.jobs.count('first', { filter: {} }), JOBS + 3);
      // More than one step.
      t.match((await killedOnce('first', { filter: others })).result, { changed: JOBS });
      const job = await killedOnce('first', chosen);
      t.match(job.result, { change: 'first', changed: 3, skipped: {} });
      const waiting = await client.jobs.list({ ...chosen, sort: 'created_on' });
      const places = [...waiting].sort((one, other) => (one.position ?? 0) - (other.position ?? 0));
      t.strictSame(
        places.map(({ position }) => position),
        [1, 2, 3],
      );
      const { rows } = await db.query<{ inverted: number }>(
        `SELECT count(*)::int AS inverted FROM (
          SELECT sequence < lag(sequence) OVER (ORDER BY turn, sequence) AS back
          FROM system_jobs WHERE kind = 'export' AND "user" <> $1) AS ordered WHERE back`,
        [own],
      );
      t.equal(rows[0]?.inverted, 0, 'among themselves they keep their order');
      await db.query("UPDATE system_jobs SET actions = '[]'");
    });

    await t.test('run in the number that is set', async (t) => {
      t.match(await client.queues.limit('transfer', 3), { name: 'transfer', concurrency: 3 });
      t.equal((await client.queues.list())[0]?.state, 'paused', 'it stays paused');
      const wrong = async (queue: string, body: unknown) =>
        outcome(cluster.fetch(`/queues/${queue}`, { method: 'PATCH', body: JSON.stringify(body) }));
      for (const concurrency of [0, 101, 1.5, '2', undefined]) {
        t.equal(await wrong('transfer', { concurrency }), 'INVALID_PAYLOAD');
      }
      t.equal(await wrong('schema', { concurrency: 2 }), 'UNPROCESSABLE_ENTITY');
      t.equal(await wrong('nothing', { concurrency: 2 }), 'FORBIDDEN');
      const asked = { method: 'PATCH', body: JSON.stringify({ concurrency: 2 }) };
      t.equal(await outcome(editor('/queues/transfer', asked)), 'FORBIDDEN');
      t.match(await client.queues.limit('transfer', null), { concurrency: null });
    });

    await t.test('are cancelled once each, though the worker is killed', async (t) => {
      const begun = performance.now();
      const job = await killedOnce('cancel', { filter: others });
      t.comment(`${JOBS} jobs in ${Math.round(performance.now() - begun)} ms`);
      t.match(job.result, { change: 'cancel', changed: JOBS, skipped: {} });
      t.match(job, { attempts: 2 });
      t.strictSame(await actions(`"user" <> '${own}'`), [
        { state: 'cancelled', actions: ['cancel'], jobs: JOBS },
      ]);
      t.match(await actions(`"user" = '${own}'`), [{ state: 'waiting', actions: [], jobs: 3 }]);
    });

    await t.test('are retried once each, though the worker is killed', async (t) => {
      // This one cannot be retried: its upload is gone.
      await db.query(
        `INSERT INTO system_jobs (kind, queue, message, message_version, state, finished_on)
        VALUES ('export', 'transfer', jsonb_build_object('file', jsonb_build_object('id', $1::text)),
          2, 'failed', now())`,
        [randomUUID()],
      );
      await db.query(
        `UPDATE system_jobs SET collection = 'chosen' WHERE sequence IN (SELECT sequence
          FROM system_jobs WHERE kind = 'export' AND state IN ('cancelled', 'failed')
          ORDER BY sequence DESC LIMIT $1)`,
        [RETRIED + 1],
      );
      const chosen = { filter: { collection: { _eq: 'chosen' } } };
      t.equal(await client.jobs.count('retry', chosen), RETRIED + 1);
      const job = await killedOnce('retry', chosen, async () => {
        await db.query(`UPDATE system_jobs SET state = 'failed', finished_on = clock_timestamp()
          WHERE sequence IN (SELECT sequence FROM system_jobs
            WHERE state = 'waiting' AND collection = 'chosen' LIMIT 7)`);
      });
      t.strictSame(job.result, {
        ...{ change: 'retry', changed: RETRIED },
        skipped: { retry_file_not_kept: 1 },
      });
      t.strictSame(await actions("collection = 'chosen' AND actions <> '[]'"), [
        { state: 'waiting', actions: ['cancel', 'retry'], jobs: RETRIED - 7 },
        { state: 'failed', actions: ['cancel', 'retry'], jobs: 7 },
      ]);
    });

    await t.test('are cancelled by a user who owns them, and by the client', async (t) => {
      const worker = await cluster.startWorker();
      const init = { method: 'POST', body: JSON.stringify({ filter }) };
      const answer = JSON.parse(await (await editor('/jobs/cancel', init)).text());
      t.strictSame(answer, { data: { change: 'cancel', changed: 3, skipped: {} } });
      t.match(await actions(`"user" = '${own}'`), [{ state: 'cancelled', actions: ['cancel'] }]);
      const chosen = { filter, search: 'chosen' };
      t.match(await client.jobs.cancelAll(chosen), { changed: RETRIED - 7 });
      const few = { filter: { ...filter, user: { _eq: own } } };
      t.match(await client.jobs.retryAll(few), { changed: 3, skipped: {} });
      await worker.end('SIGTERM');
    });
  });
}
