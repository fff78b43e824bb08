/** Keeps a second start away from a data folder that a running one uses. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { SetupError } from '#core/system/setup-error.ts';

export interface Lock {
  release(): void;
}

/**
 * Takes the folder for this process. The lock is a socket in Linux's abstract namespace, which the
 * kernel gives back the moment its owner is gone, however it ended; the file `supervisor.pid`
 * only tells people and later runs about it.
 * @throws {SetupError} when another process holds the folder
 */
export async function lockFolder(folder: string): Promise<Lock> {
  const path = realpathSync(folder);
  const file = join(path, 'supervisor.pid');
  const server = createServer();
  server.listen(`\0sluice-${createHash('sha256').update(path).digest('hex')}`);
  try {
    await once(server, 'listening');
  } catch (error) {
    const pid = existsSync(file) ? readFileSync(file, 'utf8').trim() : 'unknown';
    throw new SetupError(
      `DATA_DIR: another Sluice (process ${pid}) already runs on ${folder}; ` +
        'stop it, or choose another folder',
      { cause: error },
    );
  }
  server.unref();
  writeFileSync(file, `${process.pid}\n`);
  return {
    release() {
      rmSync(file, { force: true });
      server.close();
    },
  };
}
