/**
 * Records the messages of jobs as a release writes them: starts it without workers, asks for a job of
 * each kind that requests make, and prints the rows. Arguments: the folder of the release with its
 * dependencies. CONTRIBUTING.md says when to run it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '#ops/run/embedded/postgres.ts';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';

const TOKEN = 'a-token-to-record-messages';
const [release = '.'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sluice-record-'));
// PostgreSQL runs under an account of its own when this process is root's.
chmodSync(folder, 0o755);
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'record' });
const port = await freePort();
const { PATH = '', HOME = '/' } = process.env;
const child = spawn(process.execPath, ['ops/start.ts'], {
  cwd: release,
  env: {
    ...{
      PATH,
      HOME,
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: postgres.url,
      PORT: String(port),
      MONITOR_PORT: '0',
      ADMIN_TOKEN: TOKEN,
    },
    ...{ WORKER_PROCESSES: '0', JOB_WAIT_LIMIT: '1s', EMAIL_TRANSPORT: 'log', LOG_LEVEL: 'warn' },
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let output = '';
child.stdout.on('data', (chunk) => {
  output += String(chunk);
});

function send(method: string, path: string, body: unknown): Promise<Response> {
  const json = { 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body instanceof FormData ? {} : json) },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
}

function file(name: string, type: string, content: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([content], { type }), name);
  return form;
}

try {
  await until(() => output.includes('Ctrl-C stops it'), 'the release is ready', 120_000);
  const db = new pg.Client({ connectionString: postgres.url });
  await db.connect();
  await db.query('CREATE TABLE notes (id int PRIMARY KEY, body text)');
  const isServed = async () => (await send('SEARCH', '/items/notes', { query: {} })).ok;
  await until(isServed, 'the table is served');
  const wanted: readonly (readonly [string, string, unknown])[] = [
    ['POST', '/utils/import/notes', file('a.csv', 'text/csv', 'id,body\n1,a\n')],
    ['POST', '/utils/import/notes', file('a.json', 'application/json', '[{"id":2,"body":"b"}]')],
    ['POST', '/utils/import/notes?mode=upsert', file('b.csv', 'text/csv', 'id,body\n1,c\n')],
    ['POST', '/utils/export/notes', { query: { fields: ['*'] }, format: 'csv' }],
    ['POST', '/utils/cache/clear', {}],
    ['POST', '/collections', { collection: 'made', schema: {}, fields: [] }],
    ['POST', '/fields/notes', { field: 'added', type: 'string' }],
    ['PATCH', '/fields/notes/body', { meta: { note: 'changed' } }],
    ['POST', '/auth/password/request', { email: 'admin@example.com' }],
  ];
  for (const [method, path, body] of wanted) await send(method, path, body);
  const { rows } = await db.query(
    `SELECT kind, queue, mailbox, collection, message_version AS version, message
    FROM system_jobs ORDER BY created_on`,
  );
  process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  await db.end();
} finally {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
