/**
 * Runs the tests of installations on several hosts: those in `tests/hosts`. With root's rights each
 * host is a network namespace (`ip`, of Debian's iproute2); without them, a group of processes.
 * Arguments are parts of the names of those to run instead of all, such as `cut-off`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

const named = process.argv.slice(2);
const files = readdirSync(new URL('hosts', import.meta.url))
  .filter((name) => named.length === 0 || named.some((part) => name.includes(part)))
  .map((name) => `tests/hosts/${name}`);
const run = spawn(process.execPath, ['tests/run.ts', '--jobs=1', ...files], { stdio: 'inherit' });
const [code] = await once(run, 'close');
process.exitCode = code ?? 1;
