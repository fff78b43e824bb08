/**
 * Plants each fault of `tests/mutant` into a copy of the sources and lets the property tests look
 * for it: all of them have to be caught, and none may be found in a copy without a fault. A patch
 * that does not apply any more is a failure, too. Arguments are parts of the names of those to run.
 */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres } from '#ops/run/embedded/postgres.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Worlds that may pass before a fault counts as missed. */
const WORLDS: Readonly<Record<string, number>> = {
  language: 60,
  access: 120,
  write: 60,
};
/** Worlds in which a copy without a fault must not show any. */
const CONTROL_WORLDS = 8;
const AT_ONCE = 2;

interface Mutant {
  readonly name: string;
  /** The property that has to catch it. */
  readonly property: string;
  /** Null: no fault. */
  readonly patch: string | null;
}

/** A copy of everything that the properties need. */
function copyTree(folder: string): void {
  mkdirSync(folder);
  for (const part of ['core', 'ops', 'tests', 'package.json']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** What came of one fault; null when it was caught, or when there was none to catch. */
async function complaint(mutant: Mutant, folder: string, url: string): Promise<string | null> {
  copyTree(folder);
  const { patch, property } = mutant;
  try {
    if (patch !== null) await run('git', ['apply', patch], { cwd: folder });
  } catch (error) {
    return `does not apply any more: ${error instanceof Error ? error.message : error}`;
  }
  const worlds = patch === null ? CONTROL_WORLDS : (WORLDS[property] ?? 0);
  const { stdout } = await run(
    process.execPath,
    ['tests/mutant/hunt.ts', property, String(worlds)],
    { cwd: folder, env: { ...process.env, TEST_POSTGRES_URL: url } },
  );
  const found = stdout.trim();
  process.stdout.write(`${property}: ${mutant.name}: ${found}\n`);
  if (patch === null) return found === 'none' ? null : `shows a fault in ${found}`;
  return found === 'none' ? 'was not caught' : null;
}

function mutants(parts: readonly string[]): Mutant[] {
  const planted = globSync('tests/mutant/*/*.patch', { cwd: ROOT }).sort();
  const wanted = planted.filter(
    (path) => parts.length === 0 || parts.some((part) => path.includes(part)),
  );
  return [
    ...Object.keys(WORLDS).map((property) => ({ name: 'no fault', property, patch: null })),
    ...wanted.map((path) => ({
      name: basename(path, '.patch').replaceAll('-', ' '),
      property: basename(join(path, '..')),
      patch: join(ROOT, path),
    })),
  ];
}

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutants-'));
  // PostgreSQL runs under an account of its own when this process is root's.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    password: 'test',
    settings: { fsync: 'off', synchronous_commit: 'off', max_connections: '100' },
  });
  const complaints: string[] = [];
  const waiting = [...mutants(process.argv.slice(2)).entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, mutant] = next;
      const tree = join(folder, String(index));
      const found = await complaint(mutant, tree, postgres.url);
      if (found !== null) complaints.push(`${mutant.property}: ${mutant.name} ${found}`);
      rmSync(tree, { recursive: true, force: true });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  for (const text of complaints) process.stderr.write(`${text}\n`);
  return complaints.length;
}

process.exitCode = (await main()) > 0 ? 1 : 0;
