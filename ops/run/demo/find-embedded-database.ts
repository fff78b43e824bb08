/** Finds the embedded database of a running Sluice, by the files in `DATA_DIR`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '#core/model/system/setup-error.ts';
import { DATABASE } from '#ops/run/embedded/embedded-database.ts';
import { ROLE } from '#ops/run/embedded/postgres.ts';

/** The line of `postmaster.pid` with the port, counted from 0. */
const PORT_LINE = 3;

/**
 * The URL of the embedded database.
 * @throws {SetupError} when no server runs on the folder
 */
export function embeddedUrl(dataDir: string): string {
  try {
    const lines = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8').trim();
    const port = Number(lines[PORT_LINE]);
    return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
  } catch (error) {
    throw new SetupError(
      `DATABASE_URL: is not set, and no embedded database runs in ${dataDir}; ` +
        'set DATABASE_URL or DATA_DIR as the running Sluice has it',
      { cause: error },
    );
  }
}
