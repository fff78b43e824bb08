/**
 * Runs the PostgreSQL that comes as an npm package: makes the data folder on first use, starts the
 * server on a loopback port, waits until it answers, and stops it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Account, type Binaries, findAccount, findBinaries } from './binaries.ts';

export interface PostgresOptions {
  /** Folder that holds the cluster; made when it does not exist. */
  readonly dataDir: string;
  /** Password of the role `sluice`; only used when the folder is made. */
  readonly password: string;
  /** Loopback port; a free one when not given. */
  readonly port?: number;
  /** Further settings, such as `fsync: 'off'` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly packageName?: string;
  /** Told once, before the folder is made. */
  readonly onInit?: () => void;
}

export interface Postgres {
  /** URL of the superuser on the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** Ends all sessions and the server (a "fast" shutdown). */
  stop(): Promise<void>;
}

/** The database role that the embedded server is made with. */
export const ROLE = 'sluice';
const READY_WITHIN_MS = 60_000;

/** A port of the loopback interface that nobody listens on right now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function initialise(binaries: Binaries, options: PostgresOptions, account?: Account) {
  options.onInit?.();
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  if (account) chownSync(options.dataDir, account.uid, account.gid);
  const passwordFile = `${options.dataDir}.password`;
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  // The built-in C.UTF-8 locale (17 and later) sorts alike on every machine and needs no ICU data.
  const version = execFileSync(binaries.initdb, ['--version'], { encoding: 'utf8' });
  const builtin = Number(/(\d+)/.exec(version)?.[1]) >= 17;
  const locale = builtin ? ['--locale-provider=builtin', '--locale=C.UTF-8'] : ['--locale=C'];
  const child = spawn(
    binaries.initdb,
    ['-D', options.dataDir, '-U', ROLE, '-E', 'UTF8', '-A', 'scram-sha-256']
      .concat([`--pwfile=${passwordFile}`])
      .concat(locale),
    { stdio: ['ignore', 'ignore', 'pipe'], ...account },
  );
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += String(chunk);
  });
  const [code] = await once(child, 'exit');
  rmSync(passwordFile);
  if (code !== 0) {
    throw new Error(`initdb could not make ${options.dataDir}: ${complaint.trim()}`);
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Starts the server and resolves when it answers.
 * The server has a process group of its own, so that a Ctrl-C on the terminal does not reach it
 * before the processes that use it have drained.
 * @throws when the folder cannot be made or the server ends before it answers.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const binaries = findBinaries(options.packageName);
  const account = findAccount();
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) {
    await initialise(binaries, options, account);
  }
  const port = options.port ?? (await freePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    logging_collector: 'off',
    ...options.settings,
  };
  const child = spawn(
    binaries.postgres,
    ['-D', options.dataDir].concat(
      Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ),
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, ...account },
  );
  const pid = child.pid;
  let lastLines = '';
  child.stderr.on('data', (chunk) => {
    lastLines = (lastLines + String(chunk)).slice(-2_000);
  });
  const exited = once(child, 'exit').then(() => undefined);
  if (pid === undefined) {
    throw new Error(`PostgreSQL could not be started from ${binaries.postgres}`);
  }
  const url = `postgres://${ROLE}:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`;
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGINT');
      throw new Error(`PostgreSQL did not start in ${options.dataDir}: ${lastLines.trim()}`);
    }
    await Promise.race([exited, delay(20)]);
  }
  return {
    url,
    port,
    pid,
    exited,
    async stop() {
      if (child.exitCode === null) child.kill('SIGINT');
      await exited;
    },
  };
}
