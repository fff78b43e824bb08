// @newest @quick
/** Every check of the health of an installation has a name in words, in both languages. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkTitle, observedText } from '#ops/app/source/operations/check-words.ts';
import { health as german } from '#ops/app/source/translation/de/health.ts';
import { health as english } from '#ops/app/source/translation/en/health.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** The table of the documents names what a server can tell; a test of the server holds that. */
const DOCUMENT = readFileSync(join(ROOT, 'ops/docs/health.md'), 'utf8');

const echo = (key: string) => key;

t.test('every check has a name', async (t) => {
  const sources = globSync('{core,edge}/**/*.ts', { cwd: ROOT });
  const texts = sources.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const inSource = texts.flatMap((text) =>
    [
      ...text.matchAll(/'((?:pg|workers|queue|jobs|redis|history|messages|catalog|access):\w+)'/g),
    ].map(([, name = '']) => name),
  );
  const documented = [...DOCUMENT.matchAll(/`((?:pg|redis|storage|queue)[^`]*:\w+)`/g)].map(
    ([, name = '']) => name.replace(/:<name>:/, ':'),
  );
  const names = new Set([...inSource, ...documented]);
  t.ok(names.size > 15, 'checks are found');
  for (const texts of [english, german]) {
    t.strictSame(
      [...names].filter((name) => !(name in texts.check)),
      [],
    );
  }
});

t.test('what was seen is said as people say it', async (t) => {
  const check = (name: string, value: unknown, unit: string, component = '') => ({
    ...{ name, component, value, unit },
  });
  t.equal(
    checkTitle(check('storage:my:disk:free', 1, 'bytes'), echo),
    'health.check.storage:free · my:disk',
  );
  t.equal(
    checkTitle(check('queue:waiting', 1, 's', 'x'), echo),
    'health.check.queue:age · operations.queueName.x',
  );
  t.equal(observedText(check('a', 80_187_998_208, 'bytes'), echo, 'en'), '80.2 GB');
  t.equal(observedText(check('a', 90, 's'), echo, 'de'), '2 Min.');
  t.equal(
    observedText(check('a', 5.195, 'ms'), (_, options) => String(options?._), 'de'),
    '5,2 ms',
    'three digits of a measured time are enough',
  );
  t.equal(observedText(check('a', undefined, 'ms'), echo, 'en'), '');
});
