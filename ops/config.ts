/**
 * `npm run config`: prints every environment variable with its default, meaning and value as a
 * Markdown table. Values of secrets are never shown.
 */
import { ConfigError, loadConfig } from '#core/config/config.ts';
import { locationVariables, prefixOf } from '#core/config/storage-location.ts';
import type { Variable } from '#core/config/variable.ts';
import { variables } from '#core/config/variables.ts';

type Entry = Variable<unknown, string | undefined>;
type Environment = Readonly<Record<string, string | undefined>>;

const HEADINGS = ['Variable', 'Default', 'Set to', 'Meaning'];

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

function meaning(entry: Entry): string {
  const { meaning: text, alias } = entry;
  return alias === undefined ? text : `${text}; also read from ${alias}`;
}

/** The variables of the locations that the environment names. */
function ofLocations(env: Environment): readonly (readonly [string, Entry])[] {
  const names = (env.STORAGE_LOCATIONS ?? variables.STORAGE_LOCATIONS.fallback).split(',');
  const prefixes = names.map((name) => prefixOf(name.trim()));
  return prefixes.flatMap((prefix) =>
    Object.entries<Entry>(locationVariables).map(
      ([name, entry]) => [prefix + name, entry] as const,
    ),
  );
}

/** The table with columns of equal width. */
export function configTable(env: Environment): string {
  const all = [...Object.entries<Entry>(variables), ...ofLocations(env)];
  const rows = all.map(([name, entry]) => [
    name,
    entry.fallback ?? '',
    setting(name, entry, env),
    meaning(entry),
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`;
  const rule = line(
    HEADINGS.map(() => ''),
    '-',
  );
  return [line(HEADINGS), rule, ...rows.map((row) => line(row))].join('\n');
}

if (import.meta.main) {
  console.log(configTable(process.env));
  console.log('\nAny of them can be read from a file instead: <NAME>_FILE names it.');
  try {
    loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
