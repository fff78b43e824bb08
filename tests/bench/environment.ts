/**
 * The environment of the bench, on loopback: PostgreSQL, embedded with its default durability or a
 * given server, the database `bench`, one edge and one worker. Closes everything again.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { loadConfig } from '#core/base/config/config.ts';
import type { Config } from '#core/base/config/variables.ts';
import { createPool, type Pool } from '#core/database/pool.ts';
import { bootstrapAdmin } from '#core/model/system/bootstrap.ts';
import { migrate } from '#core/model/system/migrate.ts';
import { openCluster } from '#ops/run/embedded/embedded-database.ts';
import { freePort } from '#ops/run/embedded/postgres.ts';
import { lockFolder } from '#ops/run/supervisor/data-dir-lock.ts';
import { makeDataset, type Sizes, sizesAt } from './dataset.ts';
import { IMPORT_TABLE } from './import/file.ts';
import type { Options } from './options.ts';
import { type Running, startProcess } from './process.ts';

const DATABASE = 'bench';
const TOKEN = 'the-static-token-of-the-bench-admin';

export interface Environment {
  readonly options: Options;
  /** The configuration of edge and worker. */
  readonly config: Config;
  /** The address of the edge, without a slash at its end. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly token: string;
  /** The environment of edge and worker. */
  readonly env: Readonly<Record<string, string>>;
  readonly sizes: Sizes;
  readonly edge: Running;
  readonly worker: Running;
  /** For the bench's own statements, as superuser. */
  readonly pool: Pool;
  readonly stop: AbortSignal;
  /** Tells the operator what is being done. */
  readonly say: (line: string) => void;
  /** Runs when the environment is closed, before what it depends on. */
  onClose(handler: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly options: Options;
  readonly stop: AbortSignal;
  readonly say: (line: string) => void;
}

type OnClose = Environment['onClose'];

/** An empty database on the given server, or on a new one. */
async function openDatabase({ options, stop, say }: EnvironmentOptions, onClose: OnClose) {
  const dataDir = join(options.folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  // PostgreSQL may have an account of its own.
  for (const folder of [options.folder, dataDir]) chmodSync(folder, 0o711);
  const lock = await lockFolder(dataDir);
  onClose(async () => lock.release());
  const embedded = async () => {
    const cluster = await openCluster({ dataDir, settings: {}, report: say, signal: stop });
    onClose(() => cluster.stop());
    return cluster.url;
  };
  const server = options['database-url'] ?? (await embedded());
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${DATABASE}`;
  return url.href;
}

async function fill(databaseUrl: string, sizes: Sizes): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await makeDataset(client, sizes);
    await client.query(IMPORT_TABLE);
  } finally {
    await client.end();
  }
}

/** Starts everything; stops what was started when a step fails. */
export async function openEnvironment({
  options,
  stop,
  say,
}: EnvironmentOptions): Promise<Environment> {
  const closing: (() => Promise<unknown>)[] = [];
  const onClose: OnClose = (handler) => {
    closing.push(handler);
  };
  const close = async () => {
    for (const handler of closing.splice(0).reverse()) await handler();
  };
  try {
    const databaseUrl = await openDatabase({ options, stop, say }, onClose);
    const sizes = sizesAt(options.scale);
    say(`Filling the database: ${sizes.articles.toLocaleString('en')} articles with related items`);
    await fill(databaseUrl, sizes);
    stop.throwIfAborted();
    const port = await freePort();
    const env = {
      DATABASE_URL: databaseUrl,
      DATA_DIR: join(options.folder, 'data'),
      PORT: String(port),
      ADMIN_TOKEN: TOKEN,
      LOG_LEVEL: 'warn',
      // An import is answered when it has ended, however long it takes.
      JOB_WAIT_LIMIT: '1h',
    };
    const config = loadConfig(env);
    const log = pino({ level: 'warn' }, process.stderr);
    const pool = createPool(config, databaseUrl, log, { name: 'bench', statementTimeout: 0 });
    onClose(() => pool.end());
    await migrate(config, databaseUrl);
    await bootstrapAdmin(config, pool);
    const nodeArgs = options.profile
      ? ['--cpu-prof', `--cpu-prof-dir=${join(options.folder, 'profile')}`]
      : [];
    const start = async (script: string) => {
      const running = await startProcess({ script, env, nodeArgs });
      onClose(() => running.stop());
      return running;
    };
    const worker = await start('workers/main.ts');
    const edge = await start('edge/main.ts');
    const url = `http://127.0.0.1:${port}`;
    return {
      ...{
        options,
        config,
        env,
        url,
        databaseUrl,
        token: TOKEN,
        sizes,
        edge,
        worker,
        pool,
        stop,
        say,
      },
      onClose,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
