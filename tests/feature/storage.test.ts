// @newest @rare @slow
/** Files of jobs on several hosts: each job goes to a worker that reaches its storage. */
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { answerS3Error, startS3Server } from '#tests/harness/s3-server.ts';
import { until } from '#tests/harness/until.ts';

/** The body of an answer. */
async function bodyOf(answer: Response): Promise<{ data: unknown; errors: readonly unknown[] }> {
  return JSON.parse(await answer.text());
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** Another host: processes with a folder of their own. */
async function startHost(t: Test, cluster: Cluster) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-host-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const env = { DATA_DIR: folder };
  const { url } = await cluster.addEdge(env);
  const ask: Ask = (path, init = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...init.headers },
    });
  return { ask, startWorker: () => cluster.startWorker(env) };
}

async function send(ask: Ask, rows: string, collection = 'item'): Promise<string> {
  const body = new FormData();
  body.append('file', new File([`name\n${rows}\n`], 'rows.csv', { type: 'text/csv' }));
  const answer = await ask(`/utils/import/${collection}?background`, { method: 'POST', body });
  t.equal(answer.status, 202, await answer.text());
  return answer.headers.get('location') ?? '';
}

async function submitExport(ask: Ask): Promise<string> {
  const answer = await ask('/utils/export/item', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: { sort: ['id'], fields: ['name'] }, format: 'csv' }),
  });
  t.equal(answer.status, 204, await answer.text());
  return answer.headers.get('location') ?? '';
}

async function completed(ask: Ask, job: string): Promise<void> {
  const isOpen = async () => /"state":"(waiting|running)"/.test(await (await ask(job)).text());
  await until(async () => !(await isOpen()), `${job} ends`, 60_000);
  t.match((await bodyOf(await ask(job))).data, { state: 'completed', waiting_for: null });
}

async function createTable(cluster: Cluster): Promise<void> {
  await cluster.db.query('CREATE TABLE item (id serial PRIMARY KEY, name text)');
  const isServed = async () => (await cluster.fetch('/items/item')).status === 200;
  await until(isServed, 'the table is served');
}

t.test('hosts without a common disk', async (t) => {
  const cluster = await startCluster(t);
  await createTable(cluster);
  const [here, there] = [cluster.fetch, await startHost(t, cluster)];
  await there.startWorker();
  const [waiting, unwanted] = [await send(here, 'a'), await send(here, 'b')];
  // Neither blocks the collection for others.
  await completed(there.ask, await send(there.ask, 'c'));
  for (const job of [waiting, unwanted]) {
    t.match((await bodyOf(await there.ask(job))).data, {
      ...{ state: 'waiting', attempts: 0, waiting_for: /^storage [0-9a-f-]{36}$/ },
    });
  }
  t.equal((await there.ask(unwanted, { method: 'DELETE' })).status, 204);
  const exported = await submitExport(there.ask);
  await completed(there.ask, exported);
  t.equal(await (await there.ask(`${exported}/file`)).text(), 'name\nc\n');
  const elsewhere = await here(`${exported}/file`);
  t.equal(elsewhere.status, 503);
  t.match((await bodyOf(elsewhere)).errors[0], {
    extensions: { code: 'SERVICE_UNAVAILABLE', service: 'storage', reason: /the storage [0-9a-f]/ },
  });

  await cluster.startWorker();
  await completed(here, waiting);
  const { rows } = await cluster.db.query('SELECT name FROM item ORDER BY name');
  t.strictSame(rows, [{ name: 'a' }, { name: 'c' }]);
});

t.test('hosts with a common bucket', async (t) => {
  const server = await startS3Server(t);
  const env = {
    ...{ STORAGE_LOCATIONS: 'files', STORAGE_FILES_DRIVER: 's3', STORAGE_FILES_KEY: 'S3RVER' },
    ...{ STORAGE_FILES_SECRET: 'S3RVER', STORAGE_FILES_BUCKET: server.bucket },
    ...{ STORAGE_FILES_ENDPOINT: server.url, STORAGE_FILES_FORCE_PATH_STYLE: 'true' },
  };
  const cluster = await startCluster(t, { env });
  await createTable(cluster);
  const there = await startHost(t, cluster);
  await there.startWorker();
  const job = await send(cluster.fetch, 'a\nb');
  await completed(cluster.fetch, job);
  const exported = await submitExport(cluster.fetch);
  await completed(there.ask, exported);
  t.equal(await (await there.ask(`${exported}/file`)).text(), 'name\na\nb\n');
  const part = await cluster.fetch(`${exported}/file`, { headers: { range: 'bytes=5-6' } });
  t.equal(part.status, 206);
  t.equal(await part.text(), 'a\n');

  let refused = 0;
  server.fault = (request, response) => {
    if (request.method === 'PUT') return false;
    refused += 1;
    return answerS3Error(response, 503, 'SlowDown');
  };
  const away = await cluster.fetch(`${exported}/file`);
  t.equal(away.status, 503);
  t.match((await bodyOf(away)).errors[0], { extensions: { service: 'storage' } });
  server.fault = (request, response) => {
    if (request.method !== 'GET' || request.url?.includes('list-type')) return false;
    refused += 1;
    return answerS3Error(response, 503, 'SlowDown');
  };
  const before = refused;
  const late = await send(cluster.fetch, 'c');
  await until(() => refused > before + 3, 'the import begins more than once');
  t.match((await bodyOf(await cluster.fetch(late))).data, { finished_on: null });
  server.fault = () => false;
  await completed(cluster.fetch, late);
  const { rows } = await cluster.db.query('SELECT name FROM item ORDER BY name');
  t.strictSame(rows, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
});

t.test('a storage that returns another file than it was given', async (t) => {
  const cluster = await startCluster(t);
  await createTable(cluster);
  await cluster.db.query('CREATE TABLE other (id serial PRIMARY KEY, name text)');
  const isServed = async () => (await cluster.fetch('/items/other')).status === 200;
  await until(isServed, 'the other table is served');
  const folder = join(cluster.dataDir, 'spool');
  const known = new Set<string>();
  const sendTo = async (collection: string, damage: (path: string) => void) => {
    const job = await send(cluster.fetch, 'a\nb', collection);
    const added = readdirSync(folder).filter((name) => name.length === 36 && !known.has(name));
    t.equal(added.length, 1);
    for (const name of added) {
      known.add(name);
      damage(join(folder, name));
    }
    return job;
  };
  // A whole row is missing, which no format shows.
  const short = await sendTo('item', (path) => truncateSync(path, 'name\na\n'.length));
  const changed = await sendTo('other', (path) => writeFileSync(path, 'name\na\n9\n'));
  await cluster.startWorker();
  for (const [job, reason] of [
    [short, /does not return the stored file: it has 7 bytes instead of 9/],
    [changed, /SHA-256/],
  ] as const) {
    const isOpen = async () =>
      /"state":"(waiting|running)"/.test(await (await cluster.fetch(job)).text());
    await until(async () => !(await isOpen()), `${job} ends`, 60_000);
    const { data } = await bodyOf(await cluster.fetch(job));
    t.match(data, {
      state: 'failed',
      error: [{ extensions: { code: 'SERVICE_UNAVAILABLE', service: 'storage', reason } }],
    });
  }
  const { rows } = await cluster.db.query('SELECT name FROM item UNION ALL SELECT name FROM other');
  t.strictSame(rows, [], 'nothing of a damaged file is imported');
});
