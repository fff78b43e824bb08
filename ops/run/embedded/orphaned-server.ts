/**
 * Ends a PostgreSQL that outlived its supervisor, and sessions that outlived their server. A killed
 * process could not stop them, and they still use the cluster.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from './postgres-binaries.ts';

const FAST_WITHIN_MS = 10_000;

/**
 * Whether a process is the server of the cluster, because another process may have reused its id.
 * On Linux a server's working directory is its cluster; elsewhere its command line contains it.
 */
function serves(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  }
  const line = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return line.includes(`-D ${cluster}`);
}

/** The process that currently serves the cluster, from PostgreSQL's own file in it. */
function findServer(cluster: string): number | null {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return serves(pid, cluster) ? pid : null;
  } catch {
    return null;
  }
}

/** Whether a process is a PostgreSQL process in the folder of the cluster. */
function belongs(pid: number, cluster: string): boolean {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`)) === 'postgres' && serves(pid, cluster);
  } catch {
    return false;
  }
}

/**
 * The processes of a server that has ended. Each continues with its statement, and no other server
 * can start in the meantime. They can be identified only on Linux; elsewhere the start is retried
 * until they have ended.
 */
function findOrphans(cluster: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => belongs(pid, cluster));
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It has already ended.
  }
}

/** Ends the processes of a killed server. */
async function stopOrphans(cluster: string, report: Report): Promise<void> {
  const found = findOrphans(cluster);
  if (found.length === 0) return;
  report(`Ending ${found.length} processes of a PostgreSQL that was killed`);
  for (let left = found; left.length > 0; left = findOrphans(cluster)) {
    for (const pid of left) end(pid);
    await delay(20);
  }
}

/** Stops the server of the cluster if one is running; the caller holds the lock on the data. */
export async function stopLeftover(cluster: string, report: Report): Promise<void> {
  const pid = findServer(cluster);
  if (pid === null) return await stopOrphans(cluster, report);
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
