/** What the demo needs to get in: the admin's token and the database's URL, none of it typed. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Config } from '#core/config/config.ts';
import { SetupError } from '#core/system/setup-error.ts';
import { embeddedUrl } from './embedded.ts';

export interface Token {
  readonly text: string;
  /** The file it was found in, as a shell may source it; null when the environment has it. */
  readonly file: string | null;
}

/**
 * The admin's token: `ADMIN_TOKEN`, else what the first start kept.
 * @throws {SetupError} when it is in neither place
 */
export function findToken(config: Pick<Config, 'ADMIN_TOKEN' | 'DATA_DIR'>): Token {
  if (config.ADMIN_TOKEN !== undefined) return { text: config.ADMIN_TOKEN, file: null };
  const path = resolve(config.DATA_DIR, 'initial-admin.env');
  const kept = existsSync(path) ? parseEnv(readFileSync(path, 'utf8')).ADMIN_TOKEN : undefined;
  if (kept === undefined) {
    throw new SetupError(
      `ADMIN_TOKEN: is not set, and ${path} holds none; set it to the token of an admin`,
    );
  }
  const near = relative('.', path);
  return { text: kept, file: near.startsWith('..') ? path : `./${near}` };
}

/** The database past any pooler. */
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
      'The package vega-datasets, which brings the demo its files, is not installed: run npm ci',
      { cause: error },
    );
  }
  return join(new URL('.', home).pathname, '../data', name);
}
