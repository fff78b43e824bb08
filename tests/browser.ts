/** Runs the tests that need a browser: those in `tests/browser`, as the long ones are run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

const files = readdirSync(new URL('browser', import.meta.url))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `tests/browser/${name}`);
const run = spawn(process.execPath, ['tests/run.ts', ...files], { stdio: 'inherit' });
const [code] = await once(run, 'close');
process.exitCode = code ?? 1;
