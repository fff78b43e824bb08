/**
 * Runs the tests that take too long for every day: those in `tests/long`, each as long as it needs.
 * Arguments are parts of the names of those to run instead of all, such as `memory`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

const named = process.argv.slice(2);
const all = readdirSync(new URL('long', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `tests/long/${name}`);
const files = all.filter((file) => named.length === 0 || named.some((part) => file.includes(part)));
if (files.length === 0) {
  process.stderr.write(`Nothing is named so. There are:\n${all.join('\n')}\n`);
  process.exit(1);
}
const run = spawn(process.execPath, ['tests/run.ts', '--timeout=0', ...files], {
  stdio: 'inherit',
});
const [code] = await once(run, 'close');
process.exitCode = code ?? 1;
