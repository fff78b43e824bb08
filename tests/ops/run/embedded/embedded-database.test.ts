// @newest @rare @slow

import {
  chmodSync,
  existsSync,
  lstatSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { SetupError } from '#core/model/system/setup-error.ts';
import { type Cluster, openCluster } from '#ops/run/embedded/embedded-database.ts';
import { SHELTER } from '#ops/run/embedded/postgres-binaries.ts';
import { isAlive, temporaryFolder } from '#tests/ops/run/supervisor/stand-in/run.ts';

const SETTINGS = { fsync: 'off', max_connections: '20' };

async function open(dataDir: string, said: string[] = []): Promise<Cluster> {
  return openCluster({ dataDir, settings: SETTINGS, report: (line) => said.push(line) });
}

async function query(cluster: Cluster, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(text);
    return rows;
  } finally {
    await client.end();
  }
}

t.test('data survives a stop, and a kill of the process that ran the server', async (t) => {
  const dataDir = temporaryFolder(t);
  const said: string[] = [];
  const first = await open(dataDir, said);
  t.match(said[0], 'Creating a database cluster');
  await query(first, 'CREATE TABLE kept AS SELECT 7 AS n');
  await first.stop();
  t.equal(isAlive(first.pid), false);

  const orphan = await open(dataDir);
  said.length = 0;
  const second = await open(dataDir, said);
  t.teardown(() => second.stop());
  t.match(said, [/earlier run left behind/]);
  await orphan.exited;
  t.strictSame(await query(second, 'SELECT n FROM kept'), [{ n: 7 }]);
  await second.stop(0);
  const third = await open(dataDir);
  t.teardown(() => third.stop());
  t.strictSame(await query(third, 'SELECT n FROM kept'), [{ n: 7 }], 'after recovery too');
});

t.test('without its password the data is not touched', async (t) => {
  const dataDir = temporaryFolder(t);
  const cluster = await open(dataDir);
  await cluster.stop();
  unlinkSync(join(dataDir, 'postgres.password'));
  await t.rejects(open(dataDir), { constructor: SetupError, message: /postgres\.password/ });
});

t.test('a folder that only its owner may enter serves, for root too', async (t) => {
  const dataDir = temporaryFolder(t);
  chmodSync(dataDir, 0o700);
  const cluster = await open(dataDir);
  t.teardown(async () => {
    await cluster.stop();
    if (cluster.folder.startsWith(SHELTER)) rmSync(dirname(cluster.folder), { recursive: true });
  });
  t.strictSame(await query(cluster, 'SELECT 1 AS n'), [{ n: 1 }]);
  const link = join(dataDir, 'postgres');
  const moved = process.getuid?.() === 0;
  t.equal(lstatSync(link).isSymbolicLink(), moved);
  t.equal(moved ? readlinkSync(link) : link, cluster.folder);
  t.ok(existsSync(join(link, 'PG_VERSION')));
  await cluster.stop();
  const again = await open(dataDir);
  t.equal(again.folder, cluster.folder);
  await again.stop();
});

t.test('a link to data that is gone is not silently replaced', async (t) => {
  const dataDir = temporaryFolder(t);
  symlinkSync(join(dataDir, 'gone', 'postgres'), join(dataDir, 'postgres'));
  await t.rejects(open(dataDir), {
    constructor: SetupError,
    message: /which does not exist any more/,
  });
});
