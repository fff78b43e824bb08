// @newest

import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';
import { isAlive, Run, standIns, temporaryFolder } from './stand-in/run.ts';

/** Process id of the embedded server. */
function serverOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

t.test('the embedded database lives and ends with its supervisor', async (t) => {
  const folder = temporaryFolder(t);
  const pids = join(folder, 'pids');
  mkdirSync(pids);
  const dataDir = join(folder, 'data');
  const env = {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    WORKER_PROCESSES: '0',
    STAND_IN_FOLDER: pids,
  };
  const first = new Run(t, env);
  await first.prints('Ctrl-C stops it');
  t.match(first.stdout, 'Creating a database cluster');
  t.match(first.stdout, 'Creating the first administrator');
  const server = serverOf(dataDir);

  t.test('a second start on the same data or port is refused', async (t) => {
    const otherServer = createServer().listen(Number(env.PORT), '127.0.0.1');
    await once(otherServer, 'listening');
    const samePort = await new Run(t, env).exited;
    t.equal(samePort.code, 1);
    t.match(samePort.stderr, /^PORT: [^\n]+\n$/);
    otherServer.close();
    const otherPort = await new Run(t, { ...env, PORT: String(await freePort()) }).exited;
    t.equal(otherPort.code, 1);
    t.match(otherPort.stderr, new RegExp(`^DATA_DIR: .*process ${first.process.pid}.*\\n$`));
    t.equal(isAlive(server), true, 'and leaves the running one alone');
  });

  t.test('a server that dies is restarted, whatever its sessions still do', async (t) => {
    const file = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim();
    const url = `postgres://sluice:${password}@127.0.0.1:${file[3]}/postgres`;
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const [busy] = rows;
    // It looks neither at its client nor at its server before it has counted.
    const counted = client.query('SELECT count(*) FROM generate_series(1, 100000000000)');
    counted.catch(() => undefined);
    process.kill(server, 'SIGKILL');
    await first.prints('PostgreSQL is running again');
    t.equal(isAlive(busy?.pid ?? 0), false);
    await t.rejects(counted);
  });

  t.test('after a kill of the supervisor the next start takes over', async (t) => {
    const orphan = serverOf(dataDir);
    first.process.kill('SIGKILL');
    await first.exited;
    const second = new Run(t, env);
    await second.prints('Ctrl-C stops it');
    t.match(second.stdout, `Stopping a PostgreSQL (process ${orphan})`);
    t.notMatch(second.stdout, 'Making');
    const successor = serverOf(dataDir);
    second.process.kill('SIGTERM');
    t.equal((await second.exited).code, 0);
    await until(() => !isAlive(orphan));
    t.strictSame([...standIns(pids), successor].filter(isAlive), [], 'nothing is left');
  });
});
