// @newest @slow
/** A storage that is full, slow, refuses, or lies about what it has. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { HealthCheck } from '#core/base/process/health-check.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { answerS3Error, startS3Server } from '#tests/harness/s3-server.ts';
import { until } from '#tests/harness/until.ts';

const MB = 1024 * 1024;

async function createTables(cluster: Cluster): Promise<void> {
  await cluster.db.query(`
    CREATE TABLE item (id int PRIMARY KEY, name text);
    CREATE TABLE large (id int PRIMARY KEY, name text);
    INSERT INTO large SELECT n, repeat(md5(n::text), 20) FROM generate_series(1, 20000) n`);
  const isServed = async () => (await cluster.fetch('/items/large?limit=1')).status === 200;
  await until(isServed, 'the tables are served');
}

async function send(cluster: Cluster, text: string, options = ''): Promise<Response> {
  const body = new FormData();
  body.append('file', new File([text], 'rows.csv', { type: 'text/csv' }));
  const path = `/utils/import/item?background${options}`;
  return await cluster.fetch(path, { method: 'POST', body });
}

async function sent(t: Test, cluster: Cluster, text: string, options = ''): Promise<string> {
  const answer = await send(cluster, text, options);
  t.equal(answer.status, 202, await answer.text());
  return answer.headers.get('location') ?? '';
}

async function exported(t: Test, cluster: Cluster, collection: string): Promise<string> {
  const answer = await cluster.fetch(`/utils/export/${collection}`, {
    method: 'POST',
    body: JSON.stringify({ query: { sort: ['id'] }, format: 'csv' }),
  });
  t.equal(answer.status, 204, await answer.text());
  return answer.headers.get('location') ?? '';
}

/** The job when it has ended. */
async function ended(cluster: Cluster, job: string): Promise<unknown> {
  let text = '';
  await until(
    async () => {
      text = await (await cluster.fetch(job)).text();
      return !/"state":"(waiting|running)"/.test(text);
    },
    `${job} ends`,
    60_000,
  );
  return JSON.parse(text).data;
}

async function names(cluster: Cluster): Promise<unknown[]> {
  const { rows } = await cluster.db.query('SELECT name FROM item ORDER BY name');
  return rows.map(({ name }) => name);
}

const NO_STORAGE = { extensions: { code: 'SERVICE_UNAVAILABLE', service: 'storage' } };
const isRoot = process.getuid?.() === 0;

t.test('a full disk', async (t) => {
  if (!isRoot) return t.comment('only root can mount a small disk');
  const cluster = await startCluster(t);
  await createTables(cluster);
  const disk = join(cluster.dataDir, 'spool');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk]);
  if (mounted.status !== 0) return t.comment('no file system can be mounted here');
  t.teardown(() => spawnSync('umount', ['--lazy', disk]));
  await cluster.startWorker();
  const files = () => readdirSync(disk).filter((name) => name !== 'storage-id');

  const refused = await send(cluster, `id,name\n1,${'x'.repeat(8 * MB)}\n`);
  t.equal(refused.status, 503);
  t.match(JSON.parse(await refused.text()).errors[0], {
    extensions: { ...NO_STORAGE.extensions, reason: /no space/ },
  });
  await until(() => files().length === 0, 'nothing of it is left');
  t.match(await ended(cluster, await sent(t, cluster, 'id,name\n1,a\n')), { state: 'completed' });

  const exporting = await exported(t, cluster, 'large');
  t.match(await ended(cluster, exporting), { state: 'failed', error: [NO_STORAGE] });
  await until(() => files().length === 0, 'nothing of the export is left');

  // The report has more than its file.
  const bad = Array.from({ length: 60_000 }, (_, row) => `x${row},y`).join('\n');
  const skipping = await sent(
    t,
    cluster,
    `id,name\n2,b\n${bad}\n`,
    '&on_error=skip&max_errors=100000',
  );
  t.match(await ended(cluster, skipping), { state: 'failed', error: [NO_STORAGE] });
  t.strictSame(await names(cluster), ['a'], 'without its report nothing is imported');

  t.match(await ended(cluster, await sent(t, cluster, 'id,name\n3,c\n')), { state: 'completed' });
  const small = await exported(t, cluster, 'item');
  t.match(await ended(cluster, small), { state: 'completed' });
  t.equal(await (await cluster.fetch(`${small}/file`)).text(), 'id,name\n1,a\n3,c\n');

  const checksOf = async (name: string): Promise<HealthCheck[]> => {
    const { checks } = JSON.parse(await (await cluster.fetch('/server/health')).text());
    return checks[name] ?? [];
  };
  const isFull = async () => (await checksOf('storage:local:writable'))[0]?.status === 'error';
  writeFileSync(join(disk, 'filling'), Buffer.alloc(2 * MB));
  t.throws(() => writeFileSync(join(disk, 'filling'), Buffer.alloc(2 * MB), { flag: 'a' }));
  await until(isFull, 'health says that the disk is full');
  t.match(await checksOf('storage:local:writable'), [{ output: /no space/ }]);
  t.match(await checksOf('storage:local:free'), [{ status: 'error', observedValue: Number }]);

  const begun = await cluster.fetch('/files/tus', {
    method: 'POST',
    headers: {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '1000',
      'Upload-Metadata': `filename ${Buffer.from('a.bin').toString('base64')}`,
    },
  });
  t.equal(begun.status, 201);
  await cluster.db.query(`INSERT INTO system_unclaimed_content (storage, name, state, bytes)
    VALUES ('local', gen_random_uuid()::text, 'unused', 500)`);
  const unclaimed = await until(async () => {
    const found = await checksOf('storage:local:unclaimed');
    return found.length === 2 ? found : null;
  }, 'what is left behind is listed');
  t.match(unclaimed, [
    { status: 'ok', componentId: 'arriving', observedValue: 1, output: /^1000 bytes/ },
    { status: 'warn', componentId: 'left', observedValue: 1, output: /^500 bytes/ },
  ]);
  t.ok(await isFull(), 'health goes on saying so');
  rmSync(join(disk, 'filling'));
  await until(async () => !(await isFull()), 'it is over');
});

t.test('a bucket that refuses, is slow and lies', async (t) => {
  const server = await startS3Server(t);
  const env = {
    ...{ STORAGE_LOCATIONS: 'files', STORAGE_FILES_DRIVER: 's3', STORAGE_FILES_KEY: 'S3RVER' },
    ...{ STORAGE_FILES_SECRET: 'S3RVER', STORAGE_FILES_BUCKET: server.bucket },
    ...{ STORAGE_FILES_ENDPOINT: server.url, STORAGE_FILES_FORCE_PATH_STYLE: 'true' },
  };
  const cluster = await startCluster(t, { env, workers: 1 });
  await createTables(cluster);
  const isFile = ({ method, url = '' }: IncomingMessage) =>
    method === 'GET' && /[0-9a-f]{12}(\?|$)/.test(url);

  await t.test('it refuses', async (t) => {
    server.fault = (_, response) => answerS3Error(response, 403, 'SignatureDoesNotMatch');
    const refused = await send(cluster, 'id,name\n1,a\n');
    t.equal(refused.status, 503);
    t.match(JSON.parse(await refused.text()).errors[0], NO_STORAGE);
    const isKnown = async () => {
      const { checks } = JSON.parse(await (await cluster.fetch('/server/health')).text());
      return checks['storage:files:writable']?.some(
        ({ status }: { status: string }) => status !== 'ok',
      );
    };
    await until(isKnown, 'health knows');
    server.fault = () => false;
  });

  await t.test('it lies about the length of a file', async (t) => {
    let lies = 0;
    server.fault = (request, response) => {
      if (!isFile(request)) return false;
      lies += 1;
      const part = 'id,name\n1,a\n';
      response.writeHead(200, { 'Content-Length': part.length, ETag: '"x"' }).end(part);
      return true;
    };
    const job = await sent(t, cluster, 'id,name\n1,a\n2,b\n');
    await until(() => lies > 0, 'it is read');
    t.strictSame(await names(cluster), []);
    server.fault = () => false;
    t.match(await ended(cluster, job), { state: 'completed', result: { inserted: 2 } });
    t.strictSame(await names(cluster), ['a', 'b']);
  });

  await t.test('it is slow', async (t) => {
    server.fault = (request, response) => {
      if (!isFile(request)) return false;
      const text = 'id,name\n3,c\n4,d\n';
      response.writeHead(200, { 'Content-Length': text.length, ETag: '"x"' });
      let at = 0;
      const timer = setInterval(() => {
        response.write(text.slice(at, at + 2));
        at += 2;
        if (at < text.length) return;
        clearInterval(timer);
        response.end();
      }, 50);
      return true;
    };
    const job = await sent(t, cluster, 'id,name\n3,c\n4,d\n');
    t.match(await ended(cluster, job), { state: 'completed', attempts: 1 });
    t.strictSame(await names(cluster), ['a', 'b', 'c', 'd']);
    server.fault = () => false;
  });

  await t.test('it sends less of an export than it says', async (t) => {
    const job = await exported(t, cluster, 'item');
    t.match(await ended(cluster, job), { state: 'completed' });
    server.fault = (request, response) => {
      if (!isFile(request)) return false;
      response.writeHead(200, { 'Content-Length': 8, ETag: '"x"' }).end('id,name\n');
      return true;
    };
    const download = async () => await (await cluster.fetch(`${job}/file`)).text();
    const text = await download().catch(() => 'broken off');
    t.match(text, /broken off|SERVICE_UNAVAILABLE/, 'nobody takes it for the whole');
    server.fault = () => false;
    t.equal(await download(), 'id,name\n1,a\n2,b\n3,c\n4,d\n');
  });
});
