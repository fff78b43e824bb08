/**
 * Follows the Containerfile step by step in folders instead of containers, and runs what comes out: it
 * serves the Admin App and the documentation, and transforms images.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import t from 'tap';
import * as v from 'valibot';
import { createDatabase } from '#tests/harness/database.ts';
import { freePort } from '#tests/harness/port.ts';
import { processEnvironment } from '#tests/harness/process.ts';
import { until } from '#tests/harness/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const TOKEN = 'an-admin-token-of-the-image';
/** The Node that runs this is that of the image; npm is the one of this machine. */
const PATH = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
const PICTURE = 'ops/docs/tour/8-list.png';

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
const isSent = (path: string) => !ignored.includes(relative(ROOT, path));

const folder = mkdtempSync(join(tmpdir(), 'sluice-image-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

/** Makes all stages, and tells where the project is in the last one. */
function build(): string {
  const text = readFileSync(join(ROOT, 'ops/deploy/Containerfile'), 'utf8');
  let stage = '';
  let workdir = '';
  for (const line of text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')) {
    const [instruction, ...words] = line.split(/\s+/);
    const last = words.at(-1) ?? '';
    if (instruction === 'FROM') stage = join(folder, words.includes('AS') ? last : 'image');
    if (instruction === 'WORKDIR') {
      workdir = join(stage, last);
      mkdirSync(workdir, { recursive: true });
    }
    if (instruction === 'COPY') {
      const [, from] = /^--from=(.+)$/.exec(words[0] ?? '') ?? [];
      const sources = words.slice(from === undefined ? 0 : 1, -1);
      for (const source of sources) {
        const path = from === undefined ? join(ROOT, source) : join(folder, from, source);
        const target = last.endsWith('/') ? join(workdir, last, source) : join(workdir, last);
        cpSync(path, target, { recursive: true, verbatimSymlinks: true, filter: isSent });
      }
    }
    if (instruction === 'RUN' && words[0] === 'npm') {
      const command = words.join(' ').replace(/&& npm cache clean --force/, '');
      const env = { HOME: process.env.HOME ?? folder, PATH };
      const { status, stderr } = spawnSync(command, { cwd: workdir, shell: true, env });
      if (status !== 0) throw new Error(`${command}: ${stderr}`);
    }
  }
  return workdir;
}

t.test('the image serves the Admin App and the documentation, and has images', async (t) => {
  const cwd = build();
  t.match(readFileSync(join(cwd, 'THIRD-PARTY-NOTICES.txt'), 'utf8'), /^ - sharp@/m);
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, ['ops/start.ts'], {
    cwd,
    stdio: 'ignore',
    env: {
      ...processEnvironment(),
      PATH,
      NODE_ENV: 'production',
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: await createDatabase(t),
      ADMIN_TOKEN: TOKEN,
      PORT: String(port),
      MONITOR_PORT: '0',
    },
  });
  t.teardown(async () => {
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null, 'the processes have ended');
  });
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${TOKEN}` },
    });
  await until(async () => (await get('/server/ping').catch(() => null))?.ok, 'it answers');
  for (const path of ['/admin', '/docs', '/docs/api', '/docs/deploy']) {
    t.equal((await get(path)).status, 200, path);
  }
  const body = new FormData();
  const picture = new Blob([readFileSync(join(cwd, PICTURE))], { type: 'image/png' });
  body.set('file', picture, 'list.png');
  const answer = await get('/files', { method: 'POST', body });
  const { data } = v.parse(v.object({ data: v.object({ id: v.string() }) }), await answer.json());
  const small = await get(`/assets/${data.id}?width=100&format=webp`);
  t.equal(small.status, 200, await small.clone().text());
  t.equal(small.headers.get('content-type'), 'image/webp');
});
