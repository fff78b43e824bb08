// @newest @rare @slow

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import * as v from 'valibot';

const ROOT = join(import.meta.dirname, '../..');

const report = v.object({
  rows: v.array(
    v.object({
      id: v.string(),
      value: v.pipe(v.number(), v.minValue(0)),
      baseline: v.nullable(v.pipe(v.number(), v.minValue(0))),
      met: v.boolean(),
    }),
  ),
});

async function bench(...args: string[]) {
  const child = spawn(process.execPath, ['tests/bench/main.ts', ...args], { cwd: ROOT });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += String(chunk);
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

t.test('a small run of some parts has all their rows', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const small = ['--scale', '0.001', '--rounds', '1', '--seconds', '0.1'];
  const { code, stdout, stderr } = await bench(
    ...['access', 'import', 'compile', 'write'],
    ...[...small, '--only', 'update-bare'],
    ...['--generator', 'autocannon', '--folder', folder],
  );
  t.equal(code, 0, stderr);
  const file = /Written to (.+)/.exec(stdout)?.[1] ?? '';
  t.match(file, folder);
  const { rows } = v.parse(report, JSON.parse(readFileSync(file, 'utf8')));
  t.strictSame(
    rows.map((row) => row.id),
    [
      'access/member',
      'access/token',
      'access/memory',
      'import/direct',
      'import/merge',
      'import/semicolons',
      'import/json',
      'import/ndjson',
      'import/worker-memory',
      'import/edge-memory',
      'compile/new',
      'compile/seen',
      'write/update-bare',
      'write/update-bare-lean',
    ],
  );
  t.match(stdout, 'one item with access token');
});

t.test('an argument that nobody knows is one clear line and the usage', async (t) => {
  const { code, stdout, stderr } = await bench('--seconds', '-3');
  t.equal(code, 1);
  t.equal(stdout, '');
  t.match(stderr, 'npm run bench -- [read] [write] [access] [import] [files] [compile]');
});
