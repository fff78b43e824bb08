/** A database, a queue and real worker processes for the tests of the runtime. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { loadConfig } from '#core/base/config/config.ts';
import type { ChildMessage } from '#core/base/process/supervised-process.ts';
import { localStorage } from '#core/files/storage/local-storage.ts';
import type { Job } from '#core/jobs/job.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import type { Queues } from '#core/jobs/queue.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { JobService } from '#core/services/jobs.ts';
import type { Backend } from '#tests/harness/backend.ts';
import { createSystemDatabase, type Teardown } from '#tests/harness/database.ts';
import { processEnvironment } from '#tests/harness/process.ts';
import { until } from '#tests/harness/until.ts';

export const admin: Caller = { ...ANONYMOUS, admin: true };

/** One worker process. */
export interface WorkerProcess {
  readonly process: ChildProcess;
  /** Resolves when the worker waits at the failpoint of its environment. */
  readonly failpoint: Promise<void>;
  /** Tells it to drain; resolves with its exit code. */
  drain(): Promise<number | null>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface TraceRow {
  readonly job: string;
  readonly attempt: number;
  readonly pid: number;
  readonly what: string;
}

export interface Cluster {
  readonly pool: pg.Pool;
  readonly jobs: JobService;
  readonly queues: Queues;
  startWorker(env?: Readonly<Record<string, string>>): Promise<WorkerProcess>;
  /** Submits a job of the fixture's actors; returns its id. */
  submit(kind: string, message?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Waits until a job has ended. */
  ended(id: string): Promise<Job>;
  /** Waits until a job has begun with the given attempt, as its actor records it. */
  begun(id: string, attempt?: number): Promise<void>;
  /** Waits until the workers have logged a message. */
  logged(message: RegExp): Promise<void>;
  openGate(name: string): Promise<void>;
  /** Stores an upload, for the message of a job. */
  upload(): Promise<{ readonly id: string }>;
  /** The ids of the uploads that are there. */
  uploads(): Promise<readonly string[]>;
  trace(ids: readonly string[]): Promise<readonly TraceRow[]>;
}

const QUICK = {
  JOB_LOCK_DURATION: '1s',
  JOB_RETRY_DELAY: '20ms',
  LOG_LEVEL: 'warn',
};

async function startWorker(
  t: Teardown,
  env: NodeJS.ProcessEnv,
  onOutput: (text: string) => void,
): Promise<WorkerProcess> {
  const script = join(import.meta.dirname, 'worker-fixture.ts');
  const child = spawn(process.execPath, [script], {
    env: { ...processEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.on('data', (chunk) => onOutput(String(chunk)));
  const exited = once(child, 'exit');
  const ready = Promise.withResolvers<void>();
  const failpoint = Promise.withResolvers<void>();
  child.on('message', (message: ChildMessage) => {
    if (message.type === 'ready') ready.resolve();
    if (message.type === 'failpoint') failpoint.resolve();
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  t.teardown(kill);
  exited.then(() => ready.reject(new Error('the worker ended before it was ready')));
  await ready.promise;
  return {
    process: child,
    failpoint: failpoint.promise,
    async drain() {
      child.send({ type: 'drain' });
      const [code] = await exited;
      return code;
    },
    kill,
  };
}

/** @param env variables of every process, such as a proxy's URL */
export async function createCluster(
  t: Teardown,
  backend: Backend,
  proxied: (
    url: string,
    redis: string | undefined,
  ) => Promise<Record<string, string>> = async () => ({}),
): Promise<Cluster> {
  const url = await createSystemDatabase(t);
  const log = pino({ level: 'silent' });
  const config = loadConfig({ ...QUICK, ...backend.env });
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  await pool.query(`
    CREATE TABLE trace (n int GENERATED ALWAYS AS IDENTITY, job uuid, attempt int, pid int, what text);
    CREATE TABLE gate (name text PRIMARY KEY);
    CREATE TABLE work (job uuid)`);
  const cluster = await clusterId(pool, 'public');
  const bus = await openBus(config, url, cluster, log);
  const queues = await openQueues(config, url, cluster, log);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-runtime-'));
  const spool = localStorage(join(dataDir, 'spool'));
  const jobs = new JobService({
    pool,
    schema: 'public',
    queues,
    bus,
    spool,
    log,
    maxPerHolder: 1_000,
    lockDuration: 15_000,
  });
  t.teardown(async () => {
    rmSync(dataDir, { recursive: true, force: true });
    jobs.close();
    await queues.close();
    await bus.close();
    await pool.end();
  });
  let output = '';
  const environment = {
    ...QUICK,
    ...backend.env,
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    ...(await proxied(url, backend.env.REDIS_URL)),
  };
  return {
    pool,
    jobs,
    queues,
    startWorker: (env = {}) =>
      startWorker(t, { ...environment, ...env }, (text) => {
        if (process.env.TEST_WORKER_LOG !== undefined) process.stderr.write(text);
        output += text;
      }),
    async logged(message) {
      await until(async () => message.test(output));
    },
    async submit(kind, message = {}) {
      const { mailbox = null } = message;
      const { id } = await jobs.submit({
        kind,
        queue: kind === 'alter' ? 'schema' : 'transfer',
        message: { version: 1, ...{ mailbox, ...message } },
        mailbox: typeof mailbox === 'string' ? mailbox : null,
        collection: null,
        user: null,
        fingerprint: null,
      });
      return id;
    },
    async ended(id) {
      const job = await jobs.wait(id, 60_000);
      if (job === null) throw new Error(`job ${id} does not end`);
      return job;
    },
    async begun(id, attempt = 1) {
      await until(async () => {
        const { rowCount } = await pool.query('SELECT FROM trace WHERE job = $1 AND attempt = $2', [
          id,
          attempt,
        ]);
        return rowCount !== 0;
      });
    },
    async openGate(name) {
      await pool.query('INSERT INTO gate VALUES ($1)', [name]);
    },
    async upload() {
      const id = randomUUID();
      await spool.write(id, Readable.from([Buffer.from('x')]), undefined);
      return { id };
    },
    uploads: async () => (await spool.list()).map(({ id }) => id),
    async trace(ids) {
      const { rows } = await pool.query<TraceRow>(
        'SELECT job, attempt, pid, what FROM trace WHERE job = ANY($1::uuid[]) ORDER BY n',
        [ids],
      );
      return rows;
    },
  };
}
