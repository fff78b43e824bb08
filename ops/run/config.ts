/**
 * `npm run config`: prints every environment variable with its default, meaning and value, by
 * topics. Values of secrets are never shown.
 */
import { styleText } from 'node:util';
import { ConfigError, loadConfig } from '#core/base/config/config.ts';
import { variables } from '#core/base/config/variables.ts';
import { configTopics, type Entry } from './config-topics.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const WIDTH = 96;
const INDENT = '    ';

/** The value of a variable in the environment, under any of its names. */
function setting(name: string, entry: Entry, env: Environment): string {
  for (const key of entry.alias === undefined ? [name] : [name, entry.alias]) {
    const by = key === name ? '' : ` (by ${key})`;
    if (env[key]) return `${entry.secret === true ? '(secret)' : env[key]}${by}`;
    const file = env[`${key}_FILE`];
    if (file) return `(from ${file})${by}`;
  }
  return '';
}

/** The description of a variable, with its other name. */
export function meaningOf({ meaning, alias }: Entry): string {
  return alias === undefined ? meaning : `${meaning}; also read from ${alias}`;
}

/** Wraps text at spaces, or at the commas of a long list. */
function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(/(?<= )|(?<=,)/)) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && (last + word).trimEnd().length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last + word;
  }
  return lines.map((line) => INDENT + line.trimEnd()).join('\n');
}

function describe(name: string, entry: Entry, env: Environment): string {
  const set = setting(name, entry, env);
  const lines = [`  ${styleText('bold', name)}`, wrap(meaningOf(entry))];
  if (entry.fallback !== undefined) lines.push(wrap(`default: ${entry.fallback}`));
  if (set !== '') lines.push(styleText('cyan', wrap(`set to: ${set}`)));
  return lines.join('\n');
}

/** All variables, each with its meaning, default and value. */
export function configText(env: Environment): string {
  const names = [
    env.STORAGE_LOCATIONS || variables.STORAGE_LOCATIONS.fallback,
    env.IMPORT_LOCATIONS ?? '',
  ];
  const locations = names.flatMap((list) => list.split(',').map((name) => name.trim()));
  return configTopics(locations.filter((name) => name !== ''))
    .map(({ title, entries }) =>
      [
        styleText(['bold', 'underline'], title),
        ...entries.map(([name, entry]) => describe(name, entry, env)),
      ].join('\n\n'),
    )
    .join('\n\n\n');
}

if (import.meta.main) {
  console.log(configText(process.env));
  console.log('\nAny of them can be read from a file instead: <NAME>_FILE names it.');
  try {
    loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
