/** The folder with the files of an installation. */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '#core/model/system/setup-error.ts';

/** The system's reason, such as `EACCES: permission denied`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return /^E\w+: [^,]+/.exec(error.message)?.[0] ?? error.message;
}

/**
 * Creates the folder when it is missing, and checks that it can be written to.
 * @param path absolute
 * @throws {SetupError} when that fails
 */
export function makeDataDir(path: string): void {
  try {
    if (!existsSync(path)) {
      mkdirSync(path, { recursive: true });
      // Other accounts may enter but not list it, because PostgreSQL may have a separate account.
      chmodSync(path, 0o711);
    }
  } catch (error) {
    throw new SetupError(`DATA_DIR: cannot create the folder ${path} (${reasonOf(error)})`, {
      cause: error,
    });
  }
  const trial = join(path, `.writable-${process.pid}`);
  try {
    writeFileSync(trial, '', { mode: 0o600 });
    rmSync(trial);
  } catch (error) {
    throw new SetupError(`DATA_DIR: cannot write to the folder ${path} (${reasonOf(error)})`, {
      cause: error,
    });
  }
}

/** Adds DATA_DIR to an error about a file in it; other errors are returned unchanged. */
export function explainStorage(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'path' in error)) return error;
  const { path } = error;
  if (typeof path !== 'string' || !path.startsWith(dataDir)) return error;
  return new SetupError(`DATA_DIR: cannot use ${path} (${reasonOf(error)})`, { cause: error });
}
