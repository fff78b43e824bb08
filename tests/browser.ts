/**
 * Runs the tests that need a browser: those in `tests/browser`, as the long ones are run. Arguments are
 * parts of the names of those to run instead of all, such as `sign-in`. A journey that fails beside
 * others on a busy machine is gone once more, alone: when it fails again, so does the run; when it
 * passes, it is named at the end, because its test or the App takes for granted what needs time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** More than these at once are no accident. */
const MOST_REPEATED = 3;

/** Runs test files; yields those that failed. */
async function runFiles(args: readonly string[]): Promise<{ code: number; failed: string[] }> {
  const run = spawn(process.execPath, ['tests/run.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const failed = new Set<string>();
  createInterface(run.stdout).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    const [, file] = /^not ok \d+ - (tests\/browser\/\S+)/.exec(line) ?? [];
    if (file !== undefined) failed.add(file);
  });
  const [code] = await once(run, 'close');
  return { code: code ?? 1, failed: [...failed] };
}

const named = process.argv.slice(2);
const files = readdirSync(new URL('browser', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `tests/browser/${name}`)
  .filter((file) => named.length === 0 || named.some((part) => file.includes(part)));
if (files.length === 0) {
  process.stderr.write('No file in tests/browser is named so.\n');
  process.exit(1);
}
const first = await runFiles(files);
let { code } = first;
if (code !== 0 && first.failed.length > 0 && first.failed.length <= MOST_REPEATED) {
  process.stdout.write(`\n# once more, alone: ${first.failed.join(', ')}\n`);
  ({ code } = await runFiles(['--jobs=1', ...first.failed]));
  if (code === 0) {
    process.stdout.write(`\nFailed at first, passed alone: ${first.failed.join(', ')}\n`);
  }
}
process.exitCode = code;
