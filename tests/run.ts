/**
 * Runs the test suite: starts a throw-away PostgreSQL (and a Redis where one is installed), then
 * the suite of all test files, once on the newest PostgreSQL as superuser and once on the oldest
 * that is supported as an ordinary role: a third of its files each day, a third of what is tagged as
 * rare, and what runs on either queue on one of them, unless TEST_WHOLE is 1. With files as arguments only the first pass runs unless
 * TEST_PASSES is `all`; `--quick` runs the quick selection. Options are handed to the suite.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { startPostgres } from '#ops/run/embedded/postgres.ts';
import { bundleScripts } from './harness/bundle.ts';
import { startRedis } from './harness/redis.ts';
import { filesOf, PASSES, type Pass, QUICK_PASS } from './pass.ts';

/** Speed over safety: the data does not outlive the run. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '256MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '1h',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // It would visit each of the hundreds of databases; no test waits for it.
  autovacuum: 'off',
  // Tells tests which statements were run; those of a long run shall all be remembered.
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '50000',
};

/** A process that has just been ended may still write. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** What tap printed of each test file that failed, only the parts that tell why. */
  readonly reports: readonly string[];
  readonly times: readonly FileTime[];
}

/** How long a test file took beside others, in milliseconds. */
interface FileTime {
  readonly file: string;
  readonly ms: number;
}

/** So many of the slowest files are named at the end. */
const SLOWEST = 12;

/** Reads tap's closing line of a test file, `ok 3 - tests/a.test.ts # time=1234.5ms`. */
function fileTime(line: string): readonly FileTime[] {
  const [, file, ms] = /^(?:not )?ok \d+ - (\S+) # time=([\d.]+)ms/.exec(line) ?? [];
  return file === undefined ? [] : [{ file, ms: Number(ms) }];
}

/** The failures among the lines of a test file, each with the diagnosis that follows it. */
function reasons(lines: readonly string[]): readonly string[] {
  let telling = false;
  return lines.filter((line) => {
    if (/^ *(not )?ok |^ *# Subtest/.test(line)) telling = /^ *not ok /.test(line);
    return telling;
  });
}

/** Runs the files and reads tap's closing line, `# { total: 3, pass: 2, fail: 1 }`. */
async function runSuite(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Count> {
  const script = join(import.meta.dirname, 'suite.ts');
  const tap = spawn(process.execPath, [script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const reports: string[] = [];
  const times: FileTime[] = [];
  let closing = '';
  let lines: string[] = [];
  createInterface(tap.stdout).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    closing = /^# \{ (.*) \}$/.exec(line)?.[1] ?? closing;
    lines.push(line);
    if (!/^(not )?ok /.test(line)) return;
    times.push(...fileTime(line));
    if (line.startsWith('not')) reports.push(reasons(lines).join('\n'));
    lines = [];
  });
  const [code] = await once(tap, 'close');
  const count = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(closing)?.[1] ?? 0);
  const failed = count('fail') + count('skip') + count('todo');
  return {
    passed: count('pass'),
    failed: code === 0 ? failed : Math.max(failed, 1),
    reports,
    times,
  };
}

/** A file system in memory, and the room that it must have; a run was seen to need 0.3 GiB. */
const MEMORY = { path: '/dev/shm', bytes: 2 * 1024 ** 3 };

/** Every table is some files, and to make one of those takes milliseconds on a disk. */
function quickFolder(): string {
  const { path, bytes } = MEMORY;
  if (!existsSync(path)) return tmpdir();
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize < bytes ? tmpdir() : path;
}

async function runPass(pass: Pass): Promise<Count> {
  process.stdout.write(`# pass: ${pass.name}\n`);
  const folder = mkdtempSync(join(quickFolder(), 'sluice-test-'));
  // PostgreSQL runs under an account of its own when this process is root's.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    password: 'test',
    settings: SETTINGS,
    ...(pass.packageName === undefined ? {} : { packageName: pass.packageName }),
  });
  const redis = pass.redis ? await startRedis() : null;
  try {
    const { REDIS_URL: _, ...env } = process.env;
    return await runSuite([...options, ...(files.length > 0 ? files : filesOf(pass, day))], {
      ...env,
      ...quickLoading(loading),
      TEST_POSTGRES_URL: postgres.url,
      TEST_ROLE: pass.role,
      ...(day === null ? {} : { TEST_DAY: String(day) }),
      ...(redis === null ? {} : { TEST_REDIS_URL: redis.url }),
    });
  } finally {
    await redis?.stop();
    await postgres.stop();
    rmSync(folder, REMOVAL);
  }
}

/** What makes the processes of the suite load their sources quickly, kept in a folder. */
function quickLoading(folder: string): NodeJS.ProcessEnv {
  const preload = pathToFileURL(join(import.meta.dirname, 'harness/stripped.mjs')).href;
  return {
    NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${preload}`,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    TEST_STRIPPED: join(folder, 'stripped'),
    TEST_BUNDLES: bundles,
  };
}

const loading = mkdtempSync(join(tmpdir(), 'sluice-loading-'));
const bundles = await bundleScripts();
const given = process.argv.slice(2);
const quick = given.includes('--quick');
const files = given.filter((arg) => !arg.startsWith('--'));
const options = given.filter((arg) => arg.startsWith('--') && arg !== '--quick');

/** The number of the day, which decides what a daily run leaves to the next one; null for no such run. */
const day =
  files.length > 0 || process.env.TEST_WHOLE === '1' ? null : Math.floor(Date.now() / 86_400_000);

function wantedPasses(): readonly Pass[] {
  if (quick) return [QUICK_PASS];
  return files.length > 0 && process.env.TEST_PASSES !== 'all' ? [PASSES[0]] : PASSES;
}

/** Whole seconds, and minutes where there are any. */
function spell(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

// The registry has the oldest supported PostgreSQL for one platform only.
const passes = wantedPasses().filter(({ name, packageName }) => {
  if (packageName === undefined || (process.platform === 'linux' && process.arch === 'x64')) {
    return true;
  }
  process.stdout.write(`# not run: ${name}: ${packageName} is for Linux on x64 only\n`);
  return false;
});
let passed = 0;
let failed = 0;
const reports: string[] = [];
const begin = performance.now();
for (const pass of passes) {
  const since = performance.now();
  const count = await runPass(pass);
  process.stdout.write(`# ${pass.name}: ${spell(performance.now() - since)}\n`);
  const slowest = [...count.times].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  if (count.times.length > SLOWEST) {
    for (const { file, ms } of slowest) process.stdout.write(`#   ${spell(ms)} ${file}\n`);
  }
  passed += count.passed;
  failed += count.failed;
  reports.push(...count.reports.map((report) => `\n# failed on ${pass.name}\n${report}\n`));
}
for (const report of reports) process.stdout.write(report);
const time = spell(performance.now() - begin);
process.stdout.write(`\n${passed} passed, ${failed} failed in ${time}\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
rmSync(loading, REMOVAL);
rmSync(bundles, REMOVAL);
