/**
 * Runs the test files of its arguments with tap, some at a time, each in a process of its own. Tap's
 * own command would do the same, but loads what measures coverage into every process that a test
 * starts, and that took a third of the time of all tests. `--timeout` is in seconds, 0 for none.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import t from 'tap';
import { makeTemplate } from './harness/database.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: '6' },
    timeout: { type: 'string', default: '600' },
  },
});
assert(positionals.length > 0, 'no test file is named');
await makeTemplate();
const timeout = Number(values.timeout) * 1_000;
t.setTimeout(0);
t.plan(positionals.length);
t.jobs = Math.min(Number(values.jobs), positionals.length);
for (const file of positionals) {
  // What `env` undoes is that which tap adds for its coverage.
  const options = `NODE_OPTIONS=${process.env.NODE_OPTIONS ?? ''}`;
  t.spawn('env', [options, process.execPath, file], {
    name: file,
    timeout,
    buffered: t.jobs > 1,
    stdio: 'inherit',
    env: { ...process.env, TAP_TIMEOUT: values.timeout, TAP_FAIL_SKIP: '1' },
  });
}
