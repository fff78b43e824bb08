/** Prevents a second start on a data folder that is in use. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError } from '#core/model/system/setup-error.ts';

export interface Lock {
  release(): void;
}

async function listen(address: string): Promise<Server> {
  const server = createServer();
  server.listen(address);
  await once(server, 'listening');
  return server;
}

async function answers(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** A socket file remains when its owner is killed; then no process responds on it. */
async function listenOnFile(path: string): Promise<Server> {
  try {
    return await listen(path);
  } catch (error) {
    if (await answers(path)) throw error;
    rmSync(path, { force: true });
    return await listen(path);
  }
}

/**
 * Locks the folder for this process. The lock is a socket: on Linux in the abstract namespace,
 * which the kernel frees whenever its owner ends; elsewhere a temporary file. The file
 * `supervisor.pid` is only information.
 * @throws {SetupError} when another process has locked the folder
 */
export async function lockFolder(folder: string, platform = process.platform): Promise<Lock> {
  const path = realpathSync(folder);
  const file = join(path, 'supervisor.pid');
  const name = `sluice-${createHash('sha256').update(path).digest('hex')}`;
  let server: Server;
  try {
    server =
      platform === 'linux'
        ? await listen(`\0${name}`)
        : await listenOnFile(join(tmpdir(), `${name.slice(0, 30)}.sock`));
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
