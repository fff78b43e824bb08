/**
 * Sluice's own database in `DATA_DIR`: the folder of its cluster, its password, and the database
 * `sluice` in it. `postgres.ts` runs the server.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { stopLeftover } from './orphaned-server.ts';
import { type Postgres, startPostgres } from './postgres.ts';
import { findAccount, makeShelter, mayEnter, type Report } from './postgres-binaries.ts';

export interface ClusterOptions {
  /** Absolute path of `DATA_DIR`, which exists and is locked by the caller. */
  readonly dataDir: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Loopback port; a free one by default. */
  readonly port?: number;
  readonly report: Report;
  /** Stops waiting for the server and ends it. */
  readonly signal?: AbortSignal;
}

export interface Cluster extends Postgres {
  /** URL of the database `sluice`. */
  readonly databaseUrl: string;
  /** The real folder of the data. */
  readonly folder: string;
}

/** The database that initdb creates. */
export const DATABASE = 'sluice';

/**
 * The folder of the cluster. When PostgreSQL's account cannot enter `DATA_DIR`, a new cluster is
 * created elsewhere, with a link in `DATA_DIR`.
 */
function locate(dataDir: string, report: Report): string {
  const link = join(dataDir, 'postgres');
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) {
    const folder = readlinkSync(link);
    if (existsSync(dirname(folder))) return folder;
    throw new SetupError(
      `DATA_DIR: ${link} leads to ${folder}, which does not exist any more; remove the link to start with an empty database`,
    );
  }
  const account = findAccount(link);
  if (account === undefined || mayEnter(account, dataDir)) return link;
  if (found !== undefined) {
    throw new SetupError(
      `DATA_DIR: the account ${account.name}, which PostgreSQL runs under, cannot enter ${dataDir}`,
    );
  }
  const project = basename(dirname(dataDir)) || 'data';
  const home = join(makeShelter(), `${project}-${randomBytes(4).toString('hex')}`);
  mkdirSync(home, { mode: 0o755 });
  const folder = join(home, 'postgres');
  report(`The account ${account.name} cannot enter ${dataDir}: keeping the data in ${folder}`);
  symlinkSync(folder, link);
  return folder;
}

/** The password of the cluster's role, created with the cluster and stored beside it. */
function readPassword(dataDir: string, folder: string): string {
  const file = join(dataDir, 'postgres.password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (existsSync(folder)) {
    throw new SetupError(
      `DATA_DIR: ${file} is missing, and without it the data in ${folder} cannot be used`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  return password;
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === SQLSTATE.duplicateDatabase))
      throw error;
  } finally {
    await client.end();
  }
}

/**
 * Starts the embedded database. Creates it on first use, and first ends the server of a killed run.
 * @throws {SetupError} when the data exists but cannot be used
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { dataDir, report } = options;
  const folder = locate(dataDir, report);
  const password = readPassword(dataDir, folder);
  await stopLeftover(folder, report);
  const postgres = await startPostgres({ ...options, dataDir: folder, password });
  await createDatabase(postgres.url);
  const databaseUrl = new URL(postgres.url);
  databaseUrl.pathname = `/${DATABASE}`;
  return { ...postgres, databaseUrl: databaseUrl.href, folder };
}
