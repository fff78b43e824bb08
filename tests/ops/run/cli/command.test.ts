// @newest @quick

import t from 'tap';
import { findCommand, helpOf, helpOfAll, parseArguments } from '#ops/run/cli/command.ts';
import { SCHEMA_COMMANDS } from '#ops/run/cli/schema.ts';

function lineOf(...words: string[]) {
  const found = findCommand(SCHEMA_COMMANDS, words);
  if (found === null) throw new Error('no such command');
  return parseArguments(found.command, found.rest);
}

t.test('a line is a command, a file and options in any order', async (t) => {
  const line = lineOf('schema', 'apply', '--mode', 'merge', 'a.yaml', '-y', '--url=http://x');
  t.strictSame(
    [line.file, line.value('mode'), line.value('url'), line.has('yes'), line.has('force')],
    ['a.yaml', 'merge', 'http://x', true, false],
  );
  t.equal(lineOf('schema', 'snapshot').file, null);
  t.equal(lineOf('schema', 'diff', '-').file, '-', 'the standard input');
  t.equal(findCommand(SCHEMA_COMMANDS, ['schema']), null);
});

t.test('what cannot be meant is refused with where to look', async (t) => {
  for (const [words, message] of [
    [['schema', 'diff'], /^The file is missing/],
    [['schema', 'diff', 'a', 'b'], /^This command takes one file/],
    [['schema', 'diff', 'a', '--nope'], /^Unknown option '--nope'/],
    [['schema', 'snapshot', '--format'], /--format/],
  ] as const) {
    t.throws(() => lineOf(...words), { name: 'SetupError', message });
    t.throws(() => lineOf(...words), { message: /\nSee: npm run sluice -- schema \w+ --help$/ });
  }
});

t.test('every command and option is in the help', async (t) => {
  const all = helpOfAll(SCHEMA_COMMANDS);
  for (const command of SCHEMA_COMMANDS) {
    t.match(all, command.words.join(' '));
    const help = helpOf(command);
    for (const { name, meaning } of command.options)
      t.match(help, new RegExp(`--${name} .*${meaning.slice(0, 10)}`));
    t.ok(help.split('\n').every((line) => line.length <= 120));
  }
});
