/** An installation whose servers, edges and workers run on separate hosts. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '#tests/harness/port.ts';
import { ADMIN_TOKEN } from '../cluster.ts';
import type { Teardown } from '../database.ts';
import { processEnvironment } from '../process.ts';
import { until } from '../until.ts';
import type { Host, HostProcess, Network } from './network.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HARNESS = import.meta.dirname;

/** A host on which `npm start` runs. */
export interface SluiceHost extends HostProcess {
  readonly host: Host;
  readonly url: string;
  /** Sends a request as the administrator from this process, with a timeout of five seconds. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** The status of the response to a request from the host itself. */
  askInside(path: string): Promise<number>;
}

export interface Installation {
  readonly database: Host;
  readonly redis: Host;
  readonly files: Host;
  /** Connections of the test itself. */
  readonly db: pg.Pool;
  /** Variables with which a host stores files in the bucket. */
  readonly bucket: Readonly<Record<string, string>>;
  /** Starts Sluice on a new host, and waits until it is ready. */
  start(name: string, env: Readonly<Record<string, string>>): Promise<SluiceHost>;
}

/** Requests of a host to itself. */
const ASK = `fetch(process.argv[1], { signal: AbortSignal.timeout(10_000) })
  .then(({ status }) => console.log(status), () => console.log(0))`;

async function ready(started: HostProcess, text: string): Promise<void> {
  const { process: child, output } = started;
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  await until(() => output().includes(text) || ended(), text, 60_000);
  if (!output().includes(text)) throw new Error(`It has ended:\n${output()}`);
}

function environment(folder: string) {
  return { ...processEnvironment(), TMPDIR: folder };
}

async function startServers(network: Network, folder: string) {
  const [database, redis, files] = [
    network.host('database'),
    network.host('redis'),
    network.host('files'),
  ];
  const [databasePort, redisPort, filesPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const node = (host: Host, script: string, ...args: readonly string[]) =>
    host.run(process.execPath, [join(HARNESS, script), ...args], environment(folder));
  const postgres = node(
    database,
    'database-server.ts',
    join(folder, 'database'),
    database.address,
    String(databasePort),
  );
  const bucket = node(files, 'bucket-server.ts', files.address, String(filesPort));
  const queue = redis.run(
    'redis-server',
    ['--port', String(redisPort), '--bind', redis.address, '--protected-mode', 'no', '--save', ''],
    environment(folder),
  );
  for (const { process: child, output } of [postgres, bucket, queue]) {
    child.once('exit', () =>
      process.stderr.write(`A server has ended:\n${output().slice(-2_000)}\n`),
    );
  }
  await Promise.all([
    ready(postgres, 'PostgreSQL is ready'),
    ready(bucket, 'is ready'),
    ready(queue, 'Ready to accept connections'),
  ]);
  return {
    ...{ database, redis, files },
    databaseUrl: `postgres://sluice:test@${database.address}:${databasePort}/postgres`,
    redisUrl: `redis://${redis.address}:${redisPort}`,
    filesUrl: `http://${files.address}:${filesPort}`,
  };
}

/** Starts the servers; everything ends with the test. */
export async function startInstallation(t: Teardown, network: Network): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-hosts-'));
  // PostgreSQL runs under a separate account when this process runs as root.
  chmodSync(folder, 0o755);
  const { databaseUrl, redisUrl, filesUrl, ...servers } = await startServers(network, folder);
  const db = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  db.on('error', () => undefined);
  t.teardown(async () => {
    network.close();
    await db.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const common = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, ADMIN_TOKEN },
    ...{ SECRET: 'the-same-secret-on-all-hosts-of-the-test', LOG_LEVEL: 'info' },
    ...{ ARGON2_MEMORY: '1mb', ARGON2_TIME: '1', JOB_LOCK_DURATION: '5s' },
  };
  const bucket = {
    ...{ STORAGE_LOCATIONS: 'files', STORAGE_FILES_DRIVER: 's3', STORAGE_FILES_KEY: 'S3RVER' },
    ...{ STORAGE_FILES_SECRET: 'S3RVER', STORAGE_FILES_BUCKET: 'sluice' },
    ...{ STORAGE_FILES_ENDPOINT: filesUrl, STORAGE_FILES_FORCE_PATH_STYLE: 'true' },
  };
  return {
    ...servers,
    db,
    bucket,
    async start(name, env) {
      const host = network.host(name);
      const port = await freePort();
      const own = join(folder, name);
      mkdirSync(own);
      const started = host.run(process.execPath, [join(ROOT, 'ops/start.ts')], {
        ...environment(own),
        ...{ ...common, DATA_DIR: own, HOST: host.address, PORT: String(port), ...env },
      });
      await ready(started, 'Ctrl-C stops it');
      const url = `http://${host.address}:${port}`;
      return {
        ...started,
        host,
        url,
        ask: (path, init = {}) =>
          fetch(url + path, {
            ...init,
            headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...init.headers },
            signal: init.signal ?? AbortSignal.timeout(5_000),
          }),
        async askInside(path) {
          const args = ['-e', ASK, url + path];
          const { process: child, output } = host.run(process.execPath, args, {
            ...processEnvironment(),
          });
          await new Promise((resolve) => child.once('close', resolve));
          return Number(output());
        },
      };
    },
  };
}
