// @newest @quick

import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

t.test('the faults that tests have to catch apply to the sources', async (t) => {
  const patches = globSync('tests/mutant/*/*.patch', { cwd: ROOT });
  t.ok(patches.length > 0);
  for (const patch of patches) {
    const applied = run('git', ['apply', '--check', patch], { cwd: ROOT });
    await t.resolves(applied, patch);
  }
});
