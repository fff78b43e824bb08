/** The thread of `content-hash.ts`: hashes memory that the process shares with it. */
import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { HashAnswer, HashTask } from './content-hash.ts';

/** The hashes of arriving files. */
const hashes = new Map<number, Hash>();

function work(task: HashTask): HashAnswer {
  const hash = hashes.get(task.id) ?? createHash('sha256');
  if (task.kind === 'update') {
    hashes.set(task.id, hash.update(new Uint8Array(task.memory, 0, task.bytes)));
    return null;
  }
  hashes.delete(task.id);
  return task.kind === 'end' ? hash.digest('hex') : null;
}

parentPort?.on('message', (task: HashTask) => parentPort?.postMessage(work(task)));
