/**
 * Reads the configuration of a process from environment variables, once, at start. All errors are
 * reported together.
 */

import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { overlappingLocations } from './import-location.ts';
import { readLocations } from './storage-location.ts';
import type { Variable } from './variable.ts';
import { brokenRules } from './variable-rules.ts';
import type { Config } from './variables.ts';
import { variables } from './variables.ts';

type AnyVariable = Variable<unknown, string | undefined>;
/** One or more variables are invalid; `faults` has a line for each. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a variable: its own, that of its alias, or that of the file in `<NAME>_FILE`. */
function textOf(name: string, entry: AnyVariable, env: Environment): string | undefined {
  for (const key of entry.alias === undefined ? [name] : [name, entry.alias]) {
    const own = env[key];
    if (own !== undefined && own !== '') return own;
    const file = env[`${key}_FILE`];
    if (file === undefined || file === '') continue;
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new ConfigError([`${key}_FILE: cannot read ${file} (${code})`]);
    }
  }
  return entry.fallback;
}

/**
 * Parses the environment into a {@link Config}. An empty variable counts as unset.
 * @throws {ConfigError} naming each invalid variable and its requirement
 */
export function loadConfig(env: Environment = process.env): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries<AnyVariable>(variables)) {
    try {
      const text = textOf(name, entry, env);
      if (text === undefined) continue;
      const result = v.safeParse(entry.parse, text);
      if (result.success) values[name] = result.output;
      else faults.push(`${name}: ${result.issues[0].message}`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  // The loop above sets one value for each entry of the list that Config is derived from.
  const read = values as Omit<Config, 'locations' | 'importLocations'>;
  const source = {
    folder: read.DATA_DIR,
    textOf: (name: string, entry: AnyVariable) => textOf(name, entry, env),
  };
  const files = readLocations({
    ...{ ...source, variable: 'STORAGE_LOCATIONS', names: read.STORAGE_LOCATIONS },
  });
  const imports = readLocations({
    ...{ ...source, variable: 'IMPORT_LOCATIONS', names: read.IMPORT_LOCATIONS },
  });
  const { locations } = files;
  const importLocations = imports.locations;
  const unusable = [
    ...files.faults,
    ...imports.faults,
    ...overlappingLocations(importLocations, locations, read.DATA_DIR),
  ];
  if (unusable.length > 0) throw new ConfigError(unusable);
  const config: Config = Object.freeze({ ...read, locations, importLocations });
  const broken = brokenRules(config);
  if (broken.length > 0) throw new ConfigError(broken);
  return config;
}
