/**
 * Runs the tests that need a browser: those in `tests/browser`, as the long ones are run. Arguments are
 * parts of the names of those to run instead of all, such as `sign-in`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

/** A browser keeps a processor busy by itself: more of them at once end no earlier, and are all slow. */
const JOBS = 3;

const named = process.argv.slice(2);
const files = readdirSync(new URL('browser', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `tests/browser/${name}`)
  .filter((file) => named.length === 0 || named.some((part) => file.includes(part)));
if (files.length === 0) {
  process.stderr.write('No file in tests/browser is named so.\n');
  process.exit(1);
}
const run = spawn(process.execPath, ['tests/run.ts', `--jobs=${JOBS}`, ...files], {
  stdio: 'inherit',
});
const [code] = await once(run, 'close');
process.exitCode = code ?? 1;
