// @newest @slow

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';
import { isAlive, Run, temporaryFolder } from './run/supervisor/stand-in/run.ts';

/** Process ids of the children of a process, PostgreSQL among them. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').map(Number);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

t.test('from nothing to pong, and back to nothing', async (t) => {
  const port = await freePort();
  const dataDir = join(temporaryFolder(t), 'data');
  // As it is installed: no bundle decides in which order modules are loaded.
  const env = { DATA_DIR: dataDir, PORT: String(port), EDGE_PROCESSES: '2', TEST_BUNDLES: '' };
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const pong = async () => (await get('/server/ping').catch(() => null))?.text() ?? null;
  const spawned: number[] = [];
  let token = '';

  await t.test('a first start answers, and its token opens', async (t) => {
    const run = new Run(t, env, 'ops/start.ts');
    await run.prints('Ctrl-C stops it');
    t.equal(await pong(), 'pong');
    token =
      /^ADMIN_TOKEN=(.+)$/m.exec(readFileSync(join(dataDir, 'initial-admin.env'), 'utf8'))?.[1] ??
      '';
    t.match(run.stdout, `Bearer ${token}`);
    const long = await get('/server/ping', { 'X-Long': 'x'.repeat(20_000) });
    t.equal(long.status, 431, 'the limit of headers is that of the edge');
    t.match(await long.json(), { errors: [{ extensions: { code: 'HEADERS_TOO_LARGE' } }] });
    const health = async () => await get('/server/health', { Authorization: `Bearer ${token}` });
    await until(async () => (await health()).status === 200);
    spawned.push(...childrenOf(run.process.pid ?? 0));
    t.equal(spawned.length, 4, 'two edges, a worker and PostgreSQL');
    run.process.kill('SIGINT');
    t.equal((await run.exited).code, 0);
    // Those that their parent has not waited for are waited for by the system.
    await until(() => !spawned.some(isAlive));
    t.equal(await pong(), null);
  });

  await t.test('a second start finds everything again', async (t) => {
    const run = new Run(t, env, 'ops/start.ts');
    await run.prints('Ctrl-C stops it');
    t.notMatch(run.stdout, token);
    t.notMatch(run.stdout, 'Making');
    const health = await get('/server/health', { Authorization: `Bearer ${token}` });
    t.match(await health.json(), { checks: Object });

    const edges = () =>
      childrenOf(run.process.pid ?? 0).filter((pid) => /edge\/main\.ts/.test(commandOf(pid)));
    const before = edges();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    // A process that is being killed may still answer what it has accepted.
    await until(() => !before.some(isAlive));
    await until(async () => (await pong()) === 'pong');
    t.notOk(
      edges().some((pid) => before.includes(pid)),
      'other edges answer',
    );
  });
});
