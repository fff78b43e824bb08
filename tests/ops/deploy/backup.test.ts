// @rare @slow
/**
 * Restores a dump of a running installation into an empty database, as ops/docs/backup.md says, and
 * serves it: items, users, rights, history and jobs are there, and jobs run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t, { type Test } from 'tap';
import * as v from 'valibot';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { upload } from '#tests/harness/upload.ts';

const PAGE = join(import.meta.dirname, '../../../ops/docs/backup.md');
const DUMP = ['--format=custom'];
const RESTORE = ['--no-owner', '--exit-on-error', '--single-transaction'];
/** A copy beside the original is an installation of its own. */
const NEW_IDENTITY =
  "UPDATE system_state SET value = to_jsonb(gen_random_uuid()) WHERE name = 'cluster'";

const URL_OF_SERVER = process.env.TEST_POSTGRES_URL;

/** Why there can be no dump: the tools must not be older than the server. Null when they are not. */
async function lacking(): Promise<string | null> {
  const { status, stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  if (status !== 0) return 'pg_dump is not installed';
  const client = new pg.Client({ connectionString: URL_OF_SERVER });
  await client.connect();
  const { rows } = await client.query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int / 10000 AS version",
  );
  await client.end();
  const [, tool = '0'] = /(\d+)/.exec(stdout) ?? [];
  const server = rows[0]?.version ?? 0;
  return Number(tool) < server ? `pg_dump ${tool} is older than PostgreSQL ${server}` : null;
}

async function post(cluster: Cluster, path: string, body: unknown): Promise<void> {
  const response = await cluster.fetch(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
}

async function read(cluster: Cluster, path: string): Promise<unknown> {
  const response = await cluster.fetch(path);
  return response.json();
}

const jobs = v.object({
  data: v.array(
    v.object({ id: v.string(), state: v.string(), waiting_for: v.nullable(v.string()) }),
  ),
});

async function statesOf(cluster: Cluster) {
  const response = await cluster.fetch('/jobs?filter[kind][_eq]=import&sort=created_on');
  return v.parse(jobs, await response.json()).data;
}

const WRITER = { email: 'writer@example.com', password: 'a-good-Password-1' };
const COMPARED = ['/items/books?sort=id', '/users?fields=email,role', '/policies', '/permissions'];

async function restores(t: Test): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'sluice.dump');

  const old = await startCluster(t, { workers: 1 });
  const fields = [{ field: 'title', type: 'string' }];
  await post(old, '/collections', { collection: 'books', schema: {}, fields });
  t.equal((await upload(old, 'books', 'title\nOne\nTwo\n')).status, 200);
  await post(old, '/items/books', { title: 'Three' });
  await post(old, '/users', WRITER);
  await post(old, '/queues/transfer/pause', {});
  const queued = await upload(old, 'books', 'title\nFour\n', { query: '?background' });
  t.equal(queued.status, 202);
  const wanted = await Promise.all(COMPARED.map((path) => read(old, path)));
  const history = await read(old, '/revisions?fields=collection,item,data,activity.action&sort=id');

  execFileSync('pg_dump', [...DUMP, `--file=${file}`, old.databaseUrl]);
  const databaseUrl = await createDatabase(t);
  execFileSync('pg_restore', [...RESTORE, `--dbname=${databaseUrl}`, file]);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(NEW_IDENTITY);
  await client.end();

  const restored = await startCluster(t, { databaseUrl, workers: 1 });
  t.strictSame(await Promise.all(COMPARED.map((path) => read(restored, path))), wanted);
  t.strictSame(
    await read(restored, '/revisions?fields=collection,item,data,activity.action&sort=id'),
    history,
  );
  const login = await fetch(`${restored.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(WRITER),
  });
  t.equal(login.status, 200);
  await post(restored, '/items/books', { title: 'Five' });

  await post(restored, '/queues/transfer/resume', {});
  t.equal((await upload(restored, 'books', 'title\nSix\n')).status, 200);
  const [, lost] = await statesOf(restored);
  t.match(lost, { state: 'waiting', waiting_for: /^storage [\w-]+$/ });
  const cancelled = await restored.fetch(`/jobs/${lost?.id}`, { method: 'DELETE' });
  t.equal(cancelled.status, 204, await cancelled.text());
  t.match(await read(restored, '/items/books?fields=title&sort=id'), {
    data: ['One', 'Two', 'Three', 'Five', 'Six'].map((title) => ({ title })),
  });
}

t.test('the page on backups names what is tested here', async (t) => {
  const page = readFileSync(PAGE, 'utf8');
  for (const text of [...DUMP, ...RESTORE, NEW_IDENTITY]) t.match(page, text);
});

const reason = await lacking();
if (reason === null) t.test('a dump is a whole backup', restores);
else t.comment(`not tested: ${reason}`);
