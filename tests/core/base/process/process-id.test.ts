// @newest

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { hasEnded, processIdentity } from '#core/base/process/process-id.ts';

const MODULE = join(import.meta.dirname, '../../../../core/base/process/process-id.ts');
const PRINT = `import { processIdentity } from ${JSON.stringify(MODULE)};
  console.log(processIdentity());`;

/** The identity that a process printed which has ended. */
function identityOfEnded(...before: readonly string[]): string {
  const [command = '', ...rest] = [...before, process.execPath, '--input-type=module', '-e', PRINT];
  const { status, stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

t.test('a process of this machine is known to run, or to have ended', async (t) => {
  t.notOk(hasEnded(processIdentity()));
  t.ok(hasEnded(identityOfEnded()));
});

t.test('the state of processes on other machines is unknown', async (t) => {
  const [, ...rest] = identityOfEnded().split('-');
  t.notOk(hasEnded(['0123456789ab', ...rest].join('-')));
  t.notOk(hasEnded('some other name'));
});

const CONTAINER = ['unshare', '-r', '-p', '-f', '--mount-proc'];
const isAllowed = spawnSync('unshare', [...CONTAINER.slice(1), 'true']).status === 0;

if (isAllowed) {
  t.test('a container counts as a separate machine, also under the same host name', async (t) => {
    t.notOk(hasEnded(identityOfEnded(...CONTAINER)));
  });
} else {
  t.comment('not tested: namespaces, which this user may not create');
}
