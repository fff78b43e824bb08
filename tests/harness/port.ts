/**
 * Ports of the loopback interface for the servers of tests, which run beside each other. They lie below
 * those that the system gives to whoever asks for any, and each is one test's until its process ends: so
 * nobody else takes it before a server starts, or while one is away.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FIRST = 15_000;
/** Where the system's own begin, on Linux by default. */
const END = 32_000;
/** A file for each port, with the process that has it. */
const FOLDER = join(tmpdir(), 'sluice-test-ports');

const own: string[] = [];

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether the port is this process's from now on. */
function reserve(port: number): boolean {
  const path = join(FOLDER, String(port));
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
  } catch {
    // That of a process that was killed may be taken next time.
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

/** Whether nobody listens there, a program that knows nothing of this folder included. */
async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A port on which nobody listens, and no other test will. */
export async function freePort(): Promise<number> {
  mkdirSync(FOLDER, { recursive: true });
  for (;;) {
    const port = randomInt(FIRST, END);
    if (reserve(port) && (await isFree(port))) return port;
  }
}
