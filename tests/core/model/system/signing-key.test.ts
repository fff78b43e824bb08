// @newest

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { SetupError } from '#core/model/system/setup-error.ts';
import { openSigningKeys } from '#core/model/system/signing-key.ts';

function folder(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'sluice-secret-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const unset = { SECRET: undefined, SECRET_PREVIOUS: undefined };

t.test('a given secret is used and nothing is stored', async (t) => {
  const DATA_DIR = folder(t);
  const given = { SECRET: 'new', SECRET_PREVIOUS: 'old', DATA_DIR };
  t.same(openSigningKeys(given), ['new', 'old']);
  t.same(readdirSync(DATA_DIR), []);
});

t.test('without one it is generated once, readable only by this account', async (t) => {
  const DATA_DIR = join(folder(t), 'not', 'there');
  const [first] = openSigningKeys({ ...unset, DATA_DIR });
  t.match(first, /^[\w-]{43}$/);
  const file = join(DATA_DIR, 'secret');
  t.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o644);
  t.same(openSigningKeys({ ...unset, DATA_DIR }), [first]);
  t.equal(statSync(file).mode & 0o777, 0o600, 'too wide file permissions are revoked');
  t.same(readdirSync(DATA_DIR), ['secret']);
});

t.test('processes that start at once use the same key', async (t) => {
  const DATA_DIR = folder(t);
  const script = `
    const { openSigningKeys } = await import(${JSON.stringify(import.meta.resolve('#core/model/system/signing-key.ts'))});
    process.stdout.write(openSigningKeys({ DATA_DIR: ${JSON.stringify(DATA_DIR)} })[0]);`;
  const answers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
      const [answer] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return answer;
    }),
  );
  t.equal(new Set(answers).size, 1);
  t.match(answers[0], /^[\w-]{43}$/);
  t.same(readdirSync(DATA_DIR), ['secret'], 'no temporary files are left');
});

t.test('a damaged file is not used', async (t) => {
  const DATA_DIR = folder(t);
  writeFileSync(join(DATA_DIR, 'secret'), '\n');
  t.throws(() => openSigningKeys({ ...unset, DATA_DIR }), SetupError);
});
