/** The monitor of a real installation: who may see it, what it tells, and what it changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import * as v from 'valibot';
import { METRICS } from '#core/base/metrics/catalogue.ts';
import { until } from '#tests/harness/until.ts';
import { dataOf, startInstallation } from './fixture/installation.ts';

const CSV = 'id,name\n1,one\n2,two\n';

/** The value of a sample by its start. */
function sampleOf(text: string, start: string): number | null {
  const line = text.split('\n').find((one) => one.startsWith(start));
  return line === undefined ? null : Number(line.split(' ').at(-1));
}

t.test('the monitor', async (t) => {
  const { run, password, dataDir, api, monitor, createThings, importFile, newestJob } =
    await startInstallation(t, { IP_TRUST_PROXY: '127.0.0.1' });
  t.equal((await createThings()).status, 200);

  await t.test('only the operator sees it', async (t) => {
    t.ok(password.length >= 20, 'a password is generated and shown');
    const kept = readFileSync(join(dataDir, 'monitor.json'), 'utf8');
    t.notMatch(kept, password, 'only its hash is kept');
    for (const path of ['/', '/metrics', '/queues', '/queues/api/queues']) {
      t.equal((await monitor(path)).status, 200, path);
      const without = await monitor(path, { headers: { Authorization: '' } });
      t.equal(without.status, 401, path);
      t.match(without.headers.get('www-authenticate'), 'Basic');
      t.match(without.headers.get('content-security-policy'), "default-src 'none'");
    }
    t.equal(
      (await monitor('/', { method: 'PUT', headers: { Origin: 'http://evil.test' } })).status,
      403,
    );
    t.equal((await monitor('/nothing')).status, 404);
  });

  await t.test('anybody may ask which processes are ready', async (t) => {
    const asked = (path: string) => monitor(path, { headers: { Authorization: '' } });
    await until(async () => (await asked('/ready/worker-1')).status === 200);
    for (const path of ['/live', '/ready', '/live/edge-1', '/ready/edge-1']) {
      t.equal((await asked(path)).status, 200, path);
    }
    const processes = { 'edge-1': { status: 'ok' }, 'worker-1': { status: 'ok' } };
    t.match(await (await asked('/ready')).json(), { status: 'ok', processes });
  });

  await t.test('every metric is exported and described', async (t) => {
    await importFile(CSV);
    await until(async () => (await newestJob())?.state === 'completed');
    const { id = '' } = (await newestJob()) ?? {};
    const lines = run.stdout.split('\n').filter((line) => line.includes(`"job":"${id}"`));
    t.ok(
      lines.some((line) => line.includes('"request":"request-of-the-test"')),
      'the log links a request to its job',
    );
    await (await api('/items/things')).text();
    await (await api('/items/things')).text();
    let text = '';
    await until(async () => {
      text = await (await monitor('/metrics')).text();
      // A process that is late is left out.
      const isComplete = !/^sluice_processes\{.*state="silent"\} [1-9]/m.test(text);
      return isComplete && sampleOf(text, 'sluice_jobs_running') === 0;
    });
    const document = readFileSync(
      join(import.meta.dirname, '../../../../ops/docs/monitor.md'),
      'utf8',
    );
    const silent = new Set(['sluice_job_stalls_total', 'sluice_cache_bytes']);
    for (const name of Object.keys(METRICS)) {
      t.match(text, `# TYPE ${name} `);
      if (!silent.has(name))
        t.ok(new RegExp(`^${name}(_count)?[ {]`, 'm').test(text), `${name} has values`);
      t.match(document, `\`${name}\``, 'it is described');
    }
    const reads =
      'sluice_http_requests_total{method="GET",route="/items/:collection",status="200"}';
    t.equal(sampleOf(text, reads), 2);
    t.equal(sampleOf(text, 'sluice_import_rows_total'), 2);
    t.equal(sampleOf(text, 'sluice_job_duration_seconds_count{kind="import",outcome="done"}'), 1);
    t.equal(sampleOf(text, 'sluice_processes{role="worker",state="live"}'), 1);
    t.notMatch(text, /things|NaN/, 'no name of a table is in it');
  });

  await t.test('the board changes queues as the API does', async (t) => {
    const put = async (path: string) =>
      await monitor(`/queues/api/queues/${path}`, { method: 'PUT' });
    const waiting = async () =>
      sampleOf(
        await (await monitor('/metrics')).text(),
        'sluice_queue_jobs{queue="transfer",state="waiting"}',
      );
    t.equal((await put('transfer/pause')).status, 200);
    t.match(await dataOf(v.unknown(), await api('/queues')), [
      { name: 'transfer', state: 'paused' },
    ]);
    const { id } = await importFile(`${CSV}3,three\n`);
    await until(async () => (await waiting()) === 1);
    const oldest = 'sluice_queue_oldest_waiting_seconds{queue="transfer"}';
    t.ok((sampleOf(await (await monitor('/metrics')).text(), oldest) ?? 0) > 0);
    for (const path of ['transfer/empty', 'transfer/obliterate', `transfer/${id}/promote`]) {
      t.equal((await put(path)).status, 403, `${path} has no service`);
    }
    await until(async () => (await monitor(`/queues/api/queues/transfer/${id}`)).ok);
    t.equal((await put(`transfer/${id}/clean`)).status, 204, 'removing is cancelling');
    t.match(await newestJob(), { id, state: 'cancelled' });
    const byOperator = { user: null, operator: 'operator' };
    t.match(await dataOf(v.unknown(), await api(`/jobs/${id}`)), {
      actions: [{ action: 'cancel', ...byOperator }],
    });
    t.equal((await put('transfer/resume')).status, 200);
    t.match(run.stdout, /"operator":"operator".*"a job was cancelled"/);

    const faulty = await importFile('id,name\nx,one\n');
    await until(async () => (await newestJob())?.state === 'failed');
    const page = await (await monitor('/')).text();
    t.match(page, faulty.id);
    t.match(page, 'FAILED_VALIDATION', 'the reason of a failure is shown');
    await until(async () => (await put(`transfer/${faulty.id}/retry`)).status === 204);
    await until(async () => {
      const job = await newestJob();
      return job?.attempts === 2 && job.state === 'failed';
    });
    t.match(await dataOf(v.unknown(), await api(`/jobs/${faulty.id}`)), {
      actions: [{ action: 'retry', ...byOperator }],
    });
  });

  await t.test('a process that does not answer is left out and counted', async (t) => {
    const before = await (await monitor('/metrics')).text();
    const statements = (text: string) =>
      sampleOf(text, 'sluice_database_statements_total{pool="worker"}');
    const pid = Number(/<td>worker-1<\/td><td>(\d+)/.exec(await (await monitor('/')).text())?.[1]);
    process.kill(pid, 'SIGSTOP');
    try {
      const text = await (await monitor('/metrics')).text();
      t.equal(sampleOf(text, 'sluice_processes{role="worker",state="silent"}'), 1);
      t.notMatch(text, 'sluice_catalog_version{process="worker-1"}');
      t.ok((statements(text) ?? 0) >= (statements(before) ?? 1), 'what it counted stays');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  await t.test('wrong passwords are bounded, and lock out only their own address', async (t) => {
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    const attempts = Array.from({ length: 30 }, (_, n) =>
      monitor('/', from('192.0.2.1'), `wrong ${n}`),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    t.equal(statuses.filter((status) => status === 401).length, 10, 'ten are judged');
    t.equal(statuses.filter((status) => status === 429).length, 20);
    t.equal((await monitor('/', from('192.0.2.1'))).status, 429, 'the right one waits there, too');
    const others = Array.from({ length: 80 }, (_, n) =>
      monitor('/', from(`198.51.100.${n}`), `wrong ${n}`),
    );
    await Promise.all(others);
    t.equal((await monitor('/', from('192.0.2.2'))).status, 200, 'elsewhere it is right');
  });
});
