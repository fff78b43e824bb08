// @newest
/** `npm run notices` names every package that an installation brings along, at the version it brings. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import * as v from 'valibot';

const ROOT = join(import.meta.dirname, '../..');
const named = v.union([v.string(), v.array(v.string())]);
const lock = v.object({
  packages: v.record(
    v.string(),
    v.object({
      name: v.optional(v.string()),
      version: v.optional(v.string()),
      /** A folder of ours, which has an entry of its own. */
      link: v.optional(v.boolean()),
      dev: v.optional(v.boolean()),
      optional: v.optional(v.boolean()),
      os: v.optional(named),
      cpu: v.optional(named),
    }),
  ),
});

/** Whether a package is for the platform of the tests. */
function isForHere(os: string | string[] = 'linux', cpu: string | string[] = 'x64'): boolean {
  return [os].flat().includes('linux') && [cpu].flat().includes('x64');
}

/** What the script writes, in parts that each have packages and the text that they share. */
function partsMade(t: Test): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-notices-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'notices.txt');
  const script = join(ROOT, 'ops/deploy/notices.ts');
  const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
  t.equal(status, 0, stderr);
  return readFileSync(file, 'utf8')
    .split(/^-{11}$/m)
    .slice(1);
}

t.test('the notices miss no package of an installation, and no text', async (t) => {
  const { packages } = v.parse(
    lock,
    JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')),
  );
  const parts = partsMade(t);
  const stated = new Set(
    parts.flatMap((part) => Array.from(part.matchAll(/^ - (\S+@\S+)$/gm), ([, text]) => text)),
  );
  const wanted = Object.entries(packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .filter(([, { dev, os, cpu }]) => dev !== true && isForHere(os, cpu))
    // Those for other C libraries, or for none, are not on this platform either.
    .filter(([path, { optional }]) => optional !== true || existsSync(join(ROOT, path)))
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`);
  t.ok(wanted.length > 100, `${wanted.length} packages`);
  t.strictSame(
    wanted.filter((text) => !stated.has(text)),
    [],
  );
  for (const part of parts) {
    const [list = '', ...texts] = part.trim().split(/\n\n/);
    t.match(list, /^- \S+@/);
    t.match(texts.join(''), /\w/, list.slice(0, 100));
  }
  const text = parts.find((part) => part.includes(' - sharp@')) ?? '';
  t.match(text, 'Apache License', 'the text of a file');
  const other = parts.find((part) => part.includes(' - pg-types@')) ?? '';
  t.match(other, 'Permission is hereby granted', 'the text of a README');
});
