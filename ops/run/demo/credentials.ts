/**
 * Finds the administrator's token and the URL of the database, so that users need not enter them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { embeddedUrl } from './find-embedded-database.ts';

export interface Token {
  readonly text: string;
  /** The file with the token, for a shell to source; null when the environment contains it. */
  readonly file: string | null;
}

/**
 * The administrator's token: `ADMIN_TOKEN`, else from the file of the first start.
 * @throws {SetupError} when it is in neither
 */
export function findToken(config: Pick<Config, 'ADMIN_TOKEN' | 'DATA_DIR'>): Token {
  if (config.ADMIN_TOKEN !== undefined) return { text: config.ADMIN_TOKEN, file: null };
  const path = resolve(config.DATA_DIR, 'initial-admin.env');
  const kept = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')).ADMIN_TOKEN : undefined;
  if (kept === undefined) {
    throw new SetupError(
      `ADMIN_TOKEN: is not set, and ${path} does not contain one; set it to the token of an administrator`,
    );
  }
  const near = relative('.', path);
  return { text: kept, file: near.startsWith('..') ? path : `./${near}` };
}

/** The URL of the database without a pooler. */
export function findDatabase(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATA_DIR'>,
): string {
  return config.DATABASE_DIRECT_URL ?? config.DATABASE_URL ?? embeddedUrl(resolve(config.DATA_DIR));
}

/** A real file of the package `vega-datasets`. */
export function dataFile(name: string): string {
  let home: string;
  try {
    home = import.meta.resolve('vega-datasets');
  } catch (error) {
    throw new SetupError(
      'The package vega-datasets with the files of the demo is not installed: run npm ci',
      { cause: error },
    );
  }
  return join(new URL('.', home).pathname, '../data', name);
}
