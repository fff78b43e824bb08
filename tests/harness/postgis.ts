/**
 * Debian's PostgreSQL 15 with PostGIS: its packages, which are installed if missing, and a separate
 * test cluster on a loopback port. The distribution's service is not changed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './port.ts';
import { until } from './until.ts';

const BIN = '/usr/lib/postgresql/15/bin';
const CONTROL = '/usr/share/postgresql/15/extension/postgis.control';
/** Configures whether installing a server creates a cluster and starts it. */
const MAKES_CLUSTER = '/etc/postgresql-common/createcluster.conf';
const PACKAGE = 'postgresql-15-postgis-3';

function install(): void {
  if (existsSync(CONTROL)) return;
  if (process.getuid?.() !== 0) throw new Error(`${PACKAGE} is not installed: apt-get needs root`);
  if (!existsSync(MAKES_CLUSTER)) {
    mkdirSync(dirname(MAKES_CLUSTER), { recursive: true });
    writeFileSync(MAKES_CLUSTER, 'create_main_cluster = false\n');
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: 'inherit' } as const;
  execFileSync('apt-get', ['update'], options);
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', PACKAGE], options);
}

/** PostgreSQL refuses to run as root. */
function account(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  return await client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

export interface PostgisServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Installs missing packages and starts the server. */
export async function startPostgis(): Promise<PostgisServer> {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgis-'));
  const owner = account();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(BIN, 'initdb'),
    ['-D', data, '-U', 'postgres', '-E', 'UTF8', '-A', 'trust', '--locale=C'],
    { cwd: '/', stdio: 'ignore', ...owner },
  );
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'fsync=off'].concat(
    'unix_socket_directories=',
    'max_connections=100',
  );
  const args = ['-D', data].concat(settings.flatMap((setting) => ['-c', setting]));
  const child = spawn(join(BIN, 'postgres'), args, { cwd: '/', stdio: 'ignore', ...owner });
  const url = `postgres://postgres:trusted@127.0.0.1:${port}/postgres`;
  await until(() => answers(url), 'the server answers');
  return {
    url,
    async stop() {
      if (child.exitCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGINT');
        await exit;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
