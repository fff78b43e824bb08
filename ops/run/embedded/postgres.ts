/**
 * Runs the PostgreSQL of the npm package: creates the data folder on first use, starts the server
 * on a loopback port, waits until it responds, and stops it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { withFreePort } from './free-port.ts';
import {
  type Account,
  type Binaries,
  findAccount,
  findBinaries,
  PACKAGE,
  type Report,
} from './postgres-binaries.ts';

export { freePort } from './free-port.ts';

export interface PostgresOptions {
  /** Absolute path of the cluster's folder; created when it does not exist. */
  readonly dataDir: string;
  /** Password of the role `sluice`; only used when the folder is created. */
  readonly password: string;
  /** Loopback port; a free one by default. */
  readonly port?: number;
  /** Further settings, such as `fsync: 'off'` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly packageName?: string;
  /** Called before steps that take long on first use. */
  readonly report?: Report;
  /** Stops waiting for the server, which may still be recovering, and ends it. */
  readonly signal?: AbortSignal;
}

export interface Postgres {
  /** URL of the superuser on the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves with the server's last output when it has ended, for any reason. */
  readonly exited: Promise<string>;
  /**
   * Ends all sessions and the server (a "fast" shutdown). After `within` milliseconds the server
   * ends immediately (an "immediate" shutdown) and recovers at its next start.
   */
  stop(within?: number): Promise<void>;
}

/** The database role that initdb creates. */
export const ROLE = 'sluice';

const LONGEST_STOP_MS = 60_000;
/** Time (ms) within which the final output of an ended server arrives. */
const WORDS_WITHIN_MS = 100;

/** Stores the last output of a process on stderr. */
function lastWords(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text = (text + String(chunk)).slice(-2_000);
  });
  return () => text.trim();
}

/** Creates the cluster in another folder and moves it when it is complete. */
async function initialise(binaries: Binaries, options: PostgresOptions, account?: Account) {
  options.report?.(`Creating a database cluster in ${options.dataDir}`);
  const unfinished = `${options.dataDir}.new`;
  const passwordFile = `${unfinished}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (account) {
    chownSync(unfinished, account.uid, account.gid);
    chownSync(passwordFile, account.uid, account.gid);
  }
  // The built-in C.UTF-8 locale (17 and later) sorts identically on every machine and needs no ICU
  // data.
  const version = execFileSync(binaries.initdb, ['--version'], { encoding: 'utf8' });
  const builtin = Number(/(\d+)/.exec(version)?.[1]) >= 17;
  const locale = builtin ? ['--locale-provider=builtin', '--locale=C.UTF-8'] : ['--locale=C'];
  const child = spawn(
    binaries.initdb,
    ['-D', unfinished, '-U', ROLE, '-E', 'UTF8', '-A', 'scram-sha-256']
      .concat([`--pwfile=${passwordFile}`])
      .concat(locale),
    { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', ...account },
  );
  const complaint = lastWords(child);
  const [code] = await once(child, 'close');
  rmSync(passwordFile);
  if (code !== 0) throw new Error(`initdb could not create ${options.dataDir}: ${complaint()}`);
  renameSync(unfinished, options.dataDir);
}

/** Whether the server accepts connections; it does not while it starts or recovers. */
async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === SQLSTATE.invalidPassword) throw error;
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function launch(options: PostgresOptions, binaries: Binaries, port: number, account?: Account) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    logging_collector: 'off',
    ...options.settings,
  };
  // In a separate process group, so that Ctrl-C on the terminal does not stop the server before the
  // processes that use it have drained.
  return spawn(
    binaries.postgres,
    ['-D', options.dataDir].concat(
      Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ),
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: '/', ...account },
  );
}

async function stopChild(child: ChildProcess, exited: Promise<unknown>, within: number) {
  child.kill('SIGINT');
  const stopWaiting = new AbortController();
  const late = delay(within, undefined, { signal: stopWaiting.signal });
  await Promise.race([exited, late]).finally(() => stopWaiting.abort());
  child.kill('SIGQUIT');
  await exited;
}

/**
 * Starts the server and resolves when it responds.
 * @throws when the folder cannot be created or the server ends before it responds.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const account = findAccount(options.dataDir);
  const report = options.report ?? (() => undefined);
  const binaries = findBinaries(options.packageName ?? PACKAGE, account, report);
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) {
    await initialise(binaries, options, account);
  }
  const run = (port: number) => serve(options, binaries, port, account);
  return options.port === undefined ? await withFreePort(run) : await run(options.port);
}

/** Runs the server of an existing folder, and resolves when it responds. */
async function serve(
  options: PostgresOptions,
  binaries: Binaries,
  port: number,
  account?: Account,
): Promise<Postgres> {
  const child = launch(options, binaries, port, account);
  const words = lastWords(child);
  let ended = false;
  // Sessions of a killed server hold its output open until their statements end.
  const spoken = once(child, 'close').catch(() => undefined);
  const exited = once(child, 'exit')
    .then(() => Promise.race([spoken, delay(WORDS_WITHIN_MS)]))
    .then(words, String);
  exited.then(() => {
    ended = true;
  });
  const { pid } = child;
  const url = `postgres://${ROLE}:${encodeURIComponent(options.password)}@127.0.0.1:${port}/postgres`;
  try {
    while (pid === undefined || !(await answers(url))) {
      await Promise.race([exited, delay(20)]);
      options.signal?.throwIfAborted();
      if (ended || pid === undefined) throw new Error(words());
    }
  } catch (error) {
    if (!ended) await stopChild(child, exited, 0);
    // A server that rejects the password on this port may be a different one.
    const reasons = new Set([error instanceof Error ? error.message : String(error), words()]);
    const reason = [...reasons].filter((text) => text !== '').join('\n');
    throw new Error(`PostgreSQL did not start in ${options.dataDir}: ${reason}`);
  }
  return {
    url,
    port,
    pid,
    exited,
    async stop(within = LONGEST_STOP_MS) {
      if (!ended) await stopChild(child, exited, within);
    },
  };
}
