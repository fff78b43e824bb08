/**
 * Loopback ports for the servers of concurrent tests. They lie below the system's ephemeral ports,
 * and each is reserved for one test until its process ends. So no other test takes it before a
 * server starts, or while one is down.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FIRST = 15_000;
/** The first ephemeral port of the system, on Linux by default. */
const END = 32_000;
/** A file for each port, with the process that has reserved it. */
const FOLDER = join(tmpdir(), 'sluice-test-ports');

const own: string[] = [];

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether this process has reserved the port now. */
function reserve(port: number): boolean {
  const path = join(FOLDER, String(port));
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
  } catch {
    // The port of a killed process may be reserved on the next attempt.
    if (!isAlive(Number(readFileSync(path, 'utf8')))) rmSync(path, { force: true });
    return false;
  }
  if (own.length === 0) {
    process.on('exit', () => {
      for (const one of own) rmSync(one, { force: true });
    });
  }
  own.push(path);
  return true;
}

/** Whether the port is free, also of programs that do not use this folder. */
async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A free port that no other test will use. */
export async function freePort(): Promise<number> {
  mkdirSync(FOLDER, { recursive: true });
  for (;;) {
    const port = randomInt(FIRST, END);
    if (reserve(port) && (await isFree(port))) return port;
  }
}
