/** Runs a Sluice for the duration of the demo, when no other is running. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from '#core/model/system/setup-error.ts';
import { whoListens } from './api.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LOOK_EVERY_MS = 50;

export interface OwnServer {
  stop(): Promise<void>;
}

/**
 * Starts Sluice like `npm start`, with the same environment, and resolves when it responds.
 * @throws {SetupError} when it ends instead; its reason is on stderr
 */
export async function startServer(url: string, signal: AbortSignal): Promise<OwnServer> {
  const child = spawn(process.execPath, [join(ROOT, 'ops/start.ts')], {
    env: { LOG_LEVEL: 'warn', ...process.env },
    // Its output concerns direct use; errors are on stderr.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let ended = false;
  const exited = once(child, 'exit').finally(() => {
    ended = true;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  try {
    while ((await whoListens(url, signal)) !== 'sluice') {
      if (ended) throw new SetupError('Sluice did not start, so the demo cannot run');
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
