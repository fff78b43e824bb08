/** The folder that an installation keeps its own files in. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { SetupError } from '#core/system/setup-error.ts';

/**
 * Makes the folder where it is missing.
 * @param path absolute
 * @throws {SetupError} when that is not allowed
 */
export function makeDataDir(path: string): void {
  if (existsSync(path)) return;
  try {
    mkdirSync(path, { recursive: true });
    // Others may pass through but not look around: PostgreSQL may have an account of its own.
    chmodSync(path, 0o711);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new SetupError(`DATA_DIR: cannot make the folder ${path} (${code})`, { cause: error });
  }
}
