/**
 * The credentials of the monitor: from the configuration, or generated at the first start. Only the
 * hash of a password is stored, in `DATA_DIR/monitor.json`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { hashPassword } from '#core/accounts/identity/password.ts';
import type { Config } from '#core/base/config/variables.ts';

const stored = v.object({ user: v.string(), hash: v.string() });

export type MonitorCredentials = v.InferOutput<typeof stored>;

export interface OpenedCredentials {
  readonly credentials: MonitorCredentials;
  /** The password if it was just generated; it cannot be read later. */
  readonly generated: string | null;
}

type CredentialConfig = Pick<
  Config,
  'MONITOR_USER' | 'MONITOR_PASSWORD' | 'ARGON2_MEMORY' | 'ARGON2_TIME' | 'ARGON2_PARALLELISM'
>;

const PASSWORD_BYTES = 15;

function fileOf(dataDir: string): string {
  return join(dataDir, 'monitor.json');
}

function read(dataDir: string): MonitorCredentials | null {
  try {
    return v.parse(stored, JSON.parse(readFileSync(fileOf(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** The valid credentials; generates a password when none exists. */
export async function openMonitorCredentials(
  config: CredentialConfig,
  dataDir: string,
): Promise<OpenedCredentials> {
  const { MONITOR_USER: user, MONITOR_PASSWORD: password } = config;
  if (password !== undefined) {
    return { credentials: { user, hash: await hashPassword(config, password) }, generated: null };
  }
  const known = read(dataDir);
  if (known !== null) return { credentials: { ...known, user }, generated: null };
  const generated = randomBytes(PASSWORD_BYTES).toString('base64url');
  const credentials = { user, hash: await hashPassword(config, generated) };
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(credentials)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return { credentials, generated };
}
