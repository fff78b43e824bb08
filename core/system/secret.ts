/**
 * The key that signs tokens. When none is given, one is generated and kept in DATA_DIR; of
 * several processes that start at once the first one's counts.
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
import type { Config } from '#core/config/config.ts';
import { SetupError } from './setup-error.ts';

/** The first key signs; each is accepted. */
export type Secrets = readonly [string, ...string[]];

const GENERATED_BYTES = 32;
/** What a kept file must hold at the least, so that a damaged one does not sign anything. */
const MIN_LENGTH = 32;

/** Puts a whole, synced file in place, unless there is one: a link is made by one process alone. */
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
 * The keys of this installation: SECRET, or the kept one in `DATA_DIR/secret` (mode 0600), then
 * SECRET_PREVIOUS.
 * @throws {SetupError} when none is given and none can be kept
 */
export function openSecrets(
  config: Pick<Config, 'SECRET' | 'SECRET_PREVIOUS' | 'DATA_DIR'>,
): Secrets {
  const { SECRET, SECRET_PREVIOUS, DATA_DIR } = config;
  const current = SECRET ?? keptSecret(DATA_DIR);
  return SECRET_PREVIOUS === undefined ? [current] : [current, SECRET_PREVIOUS];
}
