// @newest
/** The notices name every package that an installation brings along, at the version it brings. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
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

/** Whether a package is for this platform, which the notices are made on. */
function isForHere(os: string | string[] = 'linux', cpu: string | string[] = 'x64'): boolean {
  return [os].flat().includes('linux') && [cpu].flat().includes('x64');
}

t.test('npm run notices was run after the last change of dependencies', async (t) => {
  const { packages } = v.parse(
    lock,
    JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')),
  );
  const notices = readFileSync(join(ROOT, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const stated = new Set(Array.from(notices.matchAll(/^ - (\S+)$/gm), ([, text]) => text));
  const missing = Object.entries(packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .filter(([, { dev, os, cpu }]) => dev !== true && isForHere(os, cpu))
    // Those for other C libraries, or for none, are not on this platform either.
    .filter(([path, { optional }]) => optional !== true || existsSync(join(ROOT, path)))
    .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`)
    .filter((text) => !stated.has(text));
  t.strictSame(missing, []);
});
