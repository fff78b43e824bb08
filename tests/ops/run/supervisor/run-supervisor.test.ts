// @newest @slow

import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { checkNode } from '#ops/run/supervisor/check-node.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { freePort } from '#tests/harness/port.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { until } from '#tests/harness/until.ts';
import { isAlive, Run, standIns, temporaryFolder } from './stand-in/run.ts';

/** Variables of a start with stand-ins on a database of its own. */
async function surroundings(t: Teardown): Promise<{ env: Record<string, string>; pids: string }> {
  const folder = temporaryFolder(t);
  const pids = join(folder, 'pids');
  mkdirSync(pids);
  const env = {
    DATABASE_URL: await createDatabase(t),
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    STAND_IN_FOLDER: pids,
  };
  return { env, pids };
}

t.test('a first start shows the credentials, a second one does not', async (t) => {
  const { env, pids } = await surroundings(t);
  const first = new Run(t, env);
  await first.prints('Ctrl-C stops it');
  t.match(first.stdout, 'admin@example.com');
  const file = join(env.DATA_DIR ?? '', 'initial-admin.env');
  t.equal(statSync(file).mode & 0o777, 0o600);
  const kept = readFileSync(file, 'utf8');
  const token = /^ADMIN_TOKEN=(.+)$/m.exec(kept)?.[1] ?? '';
  const password = /^ADMIN_PASSWORD=(.+)$/m.exec(kept)?.[1] ?? '';
  t.match(first.stdout, token);
  t.match(first.stdout, password);
  t.equal(standIns(pids).length, 2);
  first.process.kill('SIGTERM');
  t.equal((await first.exited).code, 0);
  t.strictSame(standIns(pids).filter(isAlive), [], 'every process is gone');

  const second = new Run(t, env);
  await second.prints('Ctrl-C stops it');
  t.notMatch(second.stdout, token);
  t.notMatch(second.stdout, password);
  t.notMatch(second.stdout, 'Password');
});

t.test('given credentials are neither shown nor written down', async (t) => {
  const { env } = await surroundings(t);
  const secrets = { ADMIN_PASSWORD: 'given-password', ADMIN_TOKEN: 'given-token-of-length' };
  const run = new Run(t, { ...env, ...secrets, ADMIN_EMAIL: 'op@example.org' });
  await run.prints('Ctrl-C stops it');
  t.match(run.stdout, 'op@example.org');
  t.notMatch(run.stdout, secrets.ADMIN_PASSWORD);
  t.notMatch(run.stdout, secrets.ADMIN_TOKEN);
  t.throws(() => statSync(join(env.DATA_DIR ?? '', 'initial-admin.env')), { code: 'ENOENT' });
});

t.test('a crashed process is restarted', async (t) => {
  const { env, pids } = await surroundings(t);
  const run = new Run(t, { ...env, WORKER_PROCESSES: '0' });
  await run.prints('Ctrl-C stops it');
  const [first = 0] = standIns(pids);
  process.kill(first, 'SIGKILL');
  await until(() => standIns(pids).length === 2);
  await run.prints('process is ready');
  t.match(run.stdout, 'process ended; it is restarted');
});

t.test('a second Ctrl-C ends processes that do not drain', async (t) => {
  const { env, pids } = await surroundings(t);
  const run = new Run(t, { ...env, STAND_IN: 'stubborn' });
  await run.prints('Ctrl-C stops it');
  run.process.kill('SIGINT');
  run.process.kill('SIGINT');
  // What counts as a second one is a matter of time.
  await delay(600);
  t.equal(run.ended, false, 'the same Ctrl-C, passed on by npm, does not');
  // On a busy machine the first one was perhaps heard only now.
  const again = setInterval(() => run.process.kill('SIGINT'), 1_000);
  t.teardown(() => clearInterval(again));
  run.process.kill('SIGINT');
  t.equal((await run.exited).code, 0);
  t.strictSame(standIns(pids).filter(isAlive), []);
});

t.test('it can be stopped before its processes are ready', async (t) => {
  const { env, pids } = await surroundings(t);
  const run = new Run(t, { ...env, STAND_IN: 'slow' });
  await until(() => standIns(pids).length === 2);
  run.process.kill('SIGTERM');
  const exit = await run.exited;
  t.equal(exit.code, 0);
  t.equal(exit.stderr, '');
  t.strictSame(standIns(pids).filter(isAlive), []);
});

t.test('a process that cannot use its configuration ends the whole', async (t) => {
  const { env } = await surroundings(t);
  const { code, stderr } = await new Run(t, { ...env, STAND_IN: 'misconfigured' }).exited;
  t.equal(code, 1);
  t.match(stderr, /^PORT: the stand-in does not like it$/m);
});

t.test('a port in use is one line that names PORT', async (t) => {
  const { env } = await surroundings(t);
  const otherServer = createServer().listen(Number(env.PORT), '127.0.0.1');
  await once(otherServer, 'listening');
  t.teardown(() => otherServer.close());
  const { code, stderr } = await new Run(t, env).exited;
  t.equal(code, 1);
  t.match(stderr, /^PORT: \d+ is in use[^\n]*\n$/);
});

t.test('each wrong variable is a line of its own', async (t) => {
  const { code, stderr } = await new Run(t, { PORT: 'abc', LOG_LEVEL: 'loud' }).exited;
  t.equal(code, 1);
  t.match(stderr, /^PORT: [^\n]+\nLOG_LEVEL: [^\n]+\n$/);
});

t.test('servers that cannot be used are one line that names the variable', async (t) => {
  const { env } = await surroundings(t);
  const unknown = new URL(env.DATABASE_URL ?? '');
  unknown.pathname = '/absent';
  const wrong = new URL(env.DATABASE_URL ?? '');
  wrong.password = 'wrong-pass';
  // A standby says the same of its transactions.
  const frozen = new URL(env.DATABASE_URL ?? '');
  frozen.searchParams.set('options', '-c default_transaction_read_only=on');
  const cases: [string, string][] = [
    ['DATABASE_URL', unknown.href],
    ['DATABASE_URL', wrong.href],
    ['DATABASE_DIRECT_URL', wrong.href],
    ['DATABASE_URL', frozen.href],
  ];
  for (const [name, value] of cases) {
    const { code, stderr, stdout } = await new Run(t, { ...env, [name]: value }).exited;
    t.equal(code, 1);
    t.match(stderr, new RegExp(`^${name}: cannot use [^\\n]+\\n$`));
    t.notMatch(stderr + stdout, /secret-pass|wrong-pass/);
  }
});

t.test('waits for servers that are away, until a signal stops it', async (t) => {
  const { env } = await surroundings(t);
  const nobody = `127.0.0.1:${await freePort()}`;
  const cases: [string, string][] = [
    ['DATABASE_URL', `postgres://user:secret-pass@${nobody}/x`],
    ['DATABASE_URL', 'postgres://user:secret-pass@no-such-host.invalid/x'],
    ['DATABASE_DIRECT_URL', `postgres://user:secret-pass@${nobody}/x`],
    ['REDIS_URL', `redis://:secret-pass@${nobody}`],
  ];
  for (const [name, value] of cases) {
    const run = new Run(t, { ...env, [name]: value });
    await run.prints('waiting for it');
    t.match(run.stdout, new RegExp(`^${name}: cannot use [^\\n]+; waiting for it\\n$`));
    run.process.kill('SIGTERM');
    const { code, stderr, stdout } = await run.exited;
    t.equal(code, 0);
    t.equal(stderr, '');
    t.notMatch(stdout, /secret-pass/);
  }
  const proxy = await startProxy(t, env.DATABASE_URL ?? '');
  await proxy.down();
  const run = new Run(t, { ...env, DATABASE_URL: proxy.url });
  await run.prints('waiting for it');
  await proxy.up();
  await run.prints('Ctrl-C stops it');
});

t.test('waits for the processes of a killed run, and for no others', async (t) => {
  const { env, pids } = await surroundings(t);
  const hold = join(temporaryFolder(t), 'hold');
  writeFileSync(hold, '');
  const one = { ...env, STAND_IN: 'listening', STAND_IN_HOLD: hold, WORKER_PROCESSES: '0' };
  const killed = new Run(t, one);
  await killed.prints('Ctrl-C stops it');
  const other = new Run(t, one);
  t.match((await other.exited).stderr, /^PORT: \d+ is in use/, 'it has a supervisor');
  const gone = once(killed.process, 'exit');
  killed.process.kill('SIGKILL');
  await gone;
  const [left = 0] = standIns(pids);
  t.ok(isAlive(left));
  const next = new Run(t, one);
  await next.prints(`of a killed run to end (process ${left})`);
  rmSync(hold);
  await next.prints('Ctrl-C stops it');
  await until(() => !isAlive(left));
});

t.test('a folder that cannot be written to is one line that names it', async (t) => {
  const { env } = await surroundings(t);
  const file = join(temporaryFolder(t), 'file');
  writeFileSync(file, '');
  for (const [folder, what] of [
    ['/proc', 'write to'],
    [join(file, 'data'), 'create'],
  ]) {
    const { code, stderr } = await new Run(t, { ...env, DATA_DIR: folder ?? '' }).exited;
    t.equal(code, 1);
    t.match(
      stderr,
      new RegExp(`^DATA_DIR: cannot ${what} the folder ${folder} \\(E\\w+: [^\\n]+\\)\\n$`),
    );
  }
});

t.test('only Node 22 will do, and npm start brings it', async (t) => {
  t.throws(() => checkNode('24.1.0'), { message: /npm start/ });
  t.doesNotThrow(() => checkNode('22.23.3'));
});
