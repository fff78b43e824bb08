/**
 * Ends a PostgreSQL that outlived its supervisor: a killed supervisor could not stop it, and it
 * still uses the cluster.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from './postgres-binaries.ts';

const FAST_WITHIN_MS = 10_000;

/**
 * Whether a process is the server of the cluster: its id may belong to another process by now. On
 * Linux a server's working directory is its cluster; elsewhere its command line names it.
 */
function serves(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  }
  const line = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return line.includes(`-D ${cluster}`);
}

/** The process that serves the cluster now, by PostgreSQL's own file in it. */
function findServer(cluster: string): number | null {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return serves(pid, cluster) ? pid : null;
  } catch {
    return null;
  }
}

/** Stops the server of the cluster if one runs; the caller holds the lock on the data. */
export async function stopLeftover(cluster: string, report: Report): Promise<void> {
  const pid = findServer(cluster);
  if (pid === null) return;
  report(`Stopping a PostgreSQL (process ${pid}) that an earlier run left behind`);
  process.kill(pid, 'SIGINT');
  const impatient = Date.now() + FAST_WITHIN_MS;
  let hastened = false;
  while (findServer(cluster) === pid) {
    await delay(20);
    if (hastened || Date.now() < impatient) continue;
    hastened = true;
    process.kill(pid, 'SIGQUIT');
  }
}
