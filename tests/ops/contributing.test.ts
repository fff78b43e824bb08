// @newest @quick

// The commands and paths that CONTRIBUTING.md names exist.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseOptions } from '#tests/bench/options.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block).join('');
const commands = [...blocks.matchAll(/^(?:\w+=\w+ )?(npm [^#\n]*)/gm)].map(([, command = '']) =>
  command.trim(),
);

t.test('every script that it runs is there', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const ran = commands.map((command) => /^npm (?:run )?(\S+)/.exec(command)?.[1] ?? '');
  t.ok(ran.length > 15);
  for (const script of new Set(ran))
    t.ok(script === 'ci' || Object.hasOwn(scripts, script), script);
});

t.test('every file that it names is there', async (t) => {
  const paths = [...text.matchAll(/\b(?:core|edge|workers|ops|tests)\/[\w/.*-]*\w/g)].map(
    ([path]) => path,
  );
  t.ok(paths.length > 5);
  for (const path of paths) t.ok(globSync(path, { cwd: ROOT }).length > 0, path);
});

t.test('the bench takes the arguments that it names', async (t) => {
  const calls = commands.filter((command) => command.startsWith('npm run bench -- '));
  t.ok(calls.length > 5);
  for (const call of calls) {
    const args = call.split(' -- ')[1]?.split(' ') ?? [];
    t.doesNotThrow(() => parseOptions(args), call);
  }
});

t.test('the long tests are named by parts of names', async (t) => {
  const files = globSync('tests/long/*.ts', { cwd: ROOT });
  for (const command of commands) {
    const part = /^npm run test:long -- (\S+)/.exec(command)?.[1];
    if (part !== undefined)
      t.ok(
        files.some((file) => file.includes(part)),
        part,
      );
  }
});
