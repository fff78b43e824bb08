/** Runs real edges and workers, as separate processes, on a separate database of the test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadConfig } from '#core/base/config/config.ts';
import { createLog } from '#core/base/log/log.ts';
import { heapOptions } from '#core/base/process/heap-size.ts';
import type { ChildMessage } from '#core/base/process/supervised-process.ts';
import { createPool } from '#core/database/pool.ts';
import { bootstrapAdmin } from '#core/model/system/bootstrap.ts';
import { createSystemDatabase, type Teardown } from './database.ts';
import { freePort } from './port.ts';
import { processEnvironment } from './process.ts';
import { until } from './until.ts';

export const ADMIN_TOKEN = 'an-admin-token-for-tests';
/**
 * For tests that kill workers. In other tests it would cause takeovers of jobs on a busy machine.
 */
export const QUICK_TAKEOVER = { JOB_LOCK_DURATION: '2s' };

export interface ClusterOptions {
  readonly edges?: number;
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A database with system tables of this release; by default a new one. */
  readonly databaseUrl?: string;
}

/** One running process. */
export interface Member {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Resolves with the name of the failpoint at which the process stopped. */
  readonly stoppedAt: Promise<string>;
  /** The end of its output. */
  readonly output: () => string;
  /** Sends a signal and waits for the process to end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface Edge extends Member {
  readonly url: string;
}

export interface Cluster {
  readonly databaseUrl: string;
  /** Connections of the test itself. */
  readonly db: pg.Pool;
  /** Base URL of the first edge. */
  readonly url: string;
  /** Base URLs of all edges. */
  readonly urls: readonly string[];
  readonly edges: readonly Edge[];
  readonly workers: readonly Member[];
  readonly dataDir: string;
  /** Sends a request as the admin to the first edge. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Starts an edge on a free port. */
  addEdge(env?: Readonly<Record<string, string>>): Promise<Edge>;
  startEdge(port: number, env?: Readonly<Record<string, string>>): Promise<Member>;
  startWorker(env?: Readonly<Record<string, string>>): Promise<Member>;
  /** Waits until all initial edges respond to the admin on this path with 200. */
  served(path: string): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');

async function startProcess(
  script: string,
  env: NodeJS.ProcessEnv,
  options: readonly string[] = [],
): Promise<Member> {
  const child = spawn(process.execPath, [...options, join(ROOT, script)], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const exited = once(child, 'exit');
  const ready = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<string>();
  child.on('message', (message: ChildMessage) => {
    if (message.type === 'ready') ready.resolve();
    if (message.type === 'failpoint') stopped.resolve(message.name);
  });
  exited.then(() => ready.reject(new Error(`${script} ended before it was ready:\n${output}`)));
  await ready.promise;
  if (child.pid === undefined) throw new Error(`${script} has no process id`);
  return {
    pid: child.pid,
    process: child,
    stoppedAt: stopped.promise,
    output: () => output,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

/** Starts a cluster with an admin whose token is {@link ADMIN_TOKEN}; it ends with the test. */
export async function startCluster(t: Teardown, options: ClusterOptions = {}): Promise<Cluster> {
  const { edges: edgeCount = 1, workers: workerCount = 0 } = options;
  const databaseUrl = options.databaseUrl ?? (await createSystemDatabase(t));
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 }));
  const variables = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ADMIN_TOKEN,
    ARGON2_MEMORY: '1mb',
    ARGON2_TIME: '1',
    LOG_LEVEL: 'warn',
    // On a busy machine requests wait long, which would otherwise fail a test for an unrelated
    // reason.
    DATABASE_POOL_WAIT: '1m',
    EDGE_PROCESSES: String(edgeCount),
    WORKER_PROCESSES: String(workerCount),
    ...options.env,
  };
  const config = loadConfig(variables);
  const pool = createPool(config, databaseUrl, createLog({ LOG_LEVEL: 'silent' }, 'test'), {
    name: 'test',
    max: 2,
    statementTimeout: 0,
  });
  await bootstrapAdmin(config, pool);
  await pool.end();
  const members: Member[] = [];
  t.teardown(() => Promise.all(members.map((member) => member.end('SIGKILL'))));
  const start = async (script: string, extra: Readonly<Record<string, string>>) => {
    const env = { ...processEnvironment(), ...variables, ...extra };
    const options =
      script === 'edge/main.ts' ? heapOptions(loadConfig({ ...variables, ...extra })) : [];
    const member = await startProcess(script, env, options);
    members.push(member);
    return member;
  };
  const startEdge = (port: number, env = {}) =>
    start('edge/main.ts', { PORT: String(port), ...env });
  const addEdge = async (env = {}) => {
    const port = await freePort();
    return { ...(await startEdge(port, env)), url: `http://127.0.0.1:${port}` };
  };
  const startWorker = (env = {}) => start('workers/main.ts', env);
  const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker()));
  const edges = await Promise.all(Array.from({ length: edgeCount }, () => addEdge()));
  const urls = edges.map((edge) => edge.url);
  const [url = ''] = urls;
  const db = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  db.on('error', () => undefined);
  t.teardown(() => db.end());
  return {
    databaseUrl,
    db,
    url,
    urls,
    edges,
    workers,
    dataDir,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${ADMIN_TOKEN}`);
      if (typeof init.body === 'string' && !headers.has('content-type')) {
        headers.set('content-type', 'application/json');
      }
      return fetch(`${url}${path}`, { ...init, headers });
    },
    addEdge,
    startEdge,
    startWorker,
    served: async (path) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      for (const base of urls) {
        const isServed = async () => (await fetch(base + path, { headers })).status === 200;
        await until(isServed, `${path} is served`);
      }
    },
  };
}
