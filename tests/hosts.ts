/**
 * Runs the tests of installations on several hosts: those in `tests/hosts`. With root's rights each
 * host is a network namespace (`ip`, of Debian's iproute2); without them, a group of processes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

const files = readdirSync(new URL('hosts', import.meta.url)).map((name) => `tests/hosts/${name}`);
const run = spawn(process.execPath, ['tests/run.ts', '--jobs=1', ...files], { stdio: 'inherit' });
const [code] = await once(run, 'close');
process.exitCode = code ?? 1;
