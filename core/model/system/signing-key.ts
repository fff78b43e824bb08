/**
 * The key that signs tokens. Without a configured one, a key is generated and stored in DATA_DIR;
 * of several processes that start at once, the first one's is used.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from './setup-error.ts';

/** The first key signs; each is accepted. */
export type SigningKeys = readonly [string, ...string[]];

const GENERATED_BYTES = 32;
/** Minimum characters of a stored key; a file with fewer is damaged. */
const MIN_LENGTH = 32;

/** Creates a complete, synced file unless it exists: only one process can create the link. */
function keep(file: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${randomBytes(GENERATED_BYTES).toString('base64url')}\n`);
    fsyncSync(descriptor);
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}

function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'secret');
  try {
    if (!existsSync(file)) {
      mkdirSync(dataDir, { recursive: true, mode: 0o711 });
      keep(file);
    }
    chmodSync(file, 0o600);
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length >= MIN_LENGTH) return secret;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new SetupError(`SECRET: is not set, and ${file} cannot be used (${code})`, {
      cause: error,
    });
  }
  throw new SetupError(`SECRET: is not set, and ${file} does not hold a key; remove it`);
}

/**
 * The keys of this installation: SECRET, or the stored one in `DATA_DIR/secret` (mode 0600), then
 * SECRET_PREVIOUS.
 * @throws {SetupError} when none is configured and none can be stored
 */
export function openSigningKeys(
  config: Pick<Config, 'SECRET' | 'SECRET_PREVIOUS' | 'DATA_DIR'>,
): SigningKeys {
  const { SECRET, SECRET_PREVIOUS, DATA_DIR } = config;
  const current = SECRET ?? keptSecret(DATA_DIR);
  return SECRET_PREVIOUS === undefined ? [current] : [current, SECRET_PREVIOUS];
}
