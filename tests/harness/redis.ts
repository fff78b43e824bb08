/** Starts a throw-away Redis on a loopback port where `redis-server` is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '#ops/embedded/postgres.ts';

export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Null where no Redis is installed. */
export async function startRedis(port?: number): Promise<RedisServer | null> {
  if (spawnSync('redis-server', ['--version']).error) return null;
  const chosen = port ?? (await freePort());
  const child = spawn(
    'redis-server',
    ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.pid === undefined) throw new Error('redis-server could not be started');
  for await (const chunk of child.stdout) {
    if (String(chunk).includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${chosen}`,
    pid: child.pid,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        await exit;
      }
    },
  };
}
