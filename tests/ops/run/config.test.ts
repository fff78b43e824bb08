// @newest @quick

import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import t from 'tap';
import { variables } from '#core/base/config/variables.ts';
import { configText, meaningOf } from '#ops/run/config.ts';
import { configTopics } from '#ops/run/config-topics.ts';
import { checkGenerated, markdownTable } from '#tests/harness/generated.ts';

const PAGE = 'ops/docs/configuration.md';
/** What Sluice sets itself, or its tests. */
const INTERNAL = ['DATABASE_SHORTAGE', 'FAILPOINT'];

/** The lines below a name, as one. */
function textOf(name: string, env: Record<string, string>): string {
  const blocks = stripVTControlCharacters(configText(env)).split(/\n\n+/);
  const block = blocks.find((one) => one.trim().split('\n')[0] === name) ?? '';
  return block.split('\n').slice(1).join(' ').replaceAll(/\s+/g, ' ');
}

t.test('every variable is there once, with its default and meaning', async (t) => {
  const names = configTopics([]).flatMap(({ entries }) => entries.map(([name]) => name));
  t.strictSame(
    names.toSorted(),
    Object.keys(variables)
      .filter((name) => !INTERNAL.includes(name))
      .toSorted(),
  );
  for (const name of names) t.ok(textOf(name, {}).length > 10, name);
  t.equal(textOf('PORT', {}), ' TCP port of the API default: 8055');
  t.ok(
    configText({})
      .split('\n')
      .every((line) => stripVTControlCharacters(line).length <= 100),
  );
});

t.test('what is set is marked, and no secret is shown', async (t) => {
  const env = {
    PORT: '9000',
    DATABASE_URL: 'postgres://me:canary@example.org/x',
    ADMIN_TOKEN_FILE: '/run/secrets/token',
    MAX_PAYLOAD_SIZE: '1mb',
    STORAGE_LOCATIONS: 'local,my-bucket',
  };
  t.match(textOf('PORT', env), 'set to: 9000');
  t.match(textOf('DATABASE_URL', env), 'set to: (secret)');
  t.match(textOf('ADMIN_TOKEN', env), 'set to: (from /run/secrets/token)');
  t.match(textOf('BODY_MAX_SIZE', env), 'set to: 1mb (by MAX_PAYLOAD_SIZE)');
  t.match(textOf('STORAGE_MY_BUCKET_DRIVER', env), 'default: local');
  t.notMatch(configText(env), 'canary');
});

/** Text of a cell, in which addresses are no links. */
function cell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll(/http:\/\/\S+/g, '`$&`')
    .replaceAll(/[A-Z_]*<[A-Za-z]+>[A-Z_…]*/g, '`$&`');
}

t.test('the documents list them', async (t) => {
  const parts = configTopics([]).map(({ title, entries }) => {
    const rows = entries.map(([name, entry]) => [
      `\`${name}\``,
      entry.fallback === undefined || entry.fallback.length > 40 ? '' : `\`${entry.fallback}\``,
      cell(meaningOf(entry)),
    ]);
    return `## ${title}\n\n${markdownTable(['variable', 'default', 'meaning'], rows)}`;
  });
  await checkGenerated(t, PAGE, 'variables', parts.join('\n\n'));
  t.match(await readFile(PAGE, 'utf8'), 'STORAGE_<LOCATION>_');
});
