/** Starts a temporary Redis on a loopback port where `redis-server` is installed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './port.ts';

export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  /** Stops the server, and waits until it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Null where no Redis is installed. */
export async function startRedis(port?: number): Promise<RedisServer | null> {
  if (spawnSync('redis-server', ['--version']).error) return null;
  return await listen(port ?? (await freePort()));
}

async function listen(port: number): Promise<RedisServer> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  if (child.pid === undefined) throw new Error('redis-server could not be started');
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('Ready to accept connections')) break;
  }
  if (!output.includes('Ready to accept connections')) {
    throw new Error(`redis-server ended:\n${output}`);
  }
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill(signal);
        await exit;
      }
    },
  };
}
