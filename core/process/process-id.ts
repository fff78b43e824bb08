/**
 * A text that names this process and no other on this machine, before or after it: by it files can
 * be told whose process has died.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const PATTERN = /^([0-9a-f]{12})-(\d+)-(\d+)$/;
/** The start of a process among the fields behind its name (proc(5)). */
const START_TIME = 19;

function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
}

/** When a process began, in the system's own count; null when there is none, 0 when nobody tells. */
function startOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[START_TIME]);
  } catch {
    // Where there is no /proc a process can still be asked whether it is there.
  }
  try {
    process.kill(pid, 0);
    return 0;
  } catch (error) {
    const isForeign = error instanceof Error && 'code' in error && error.code === 'EPERM';
    return isForeign ? 0 : null;
  }
}

/** The name of this process. */
export function processIdentity(): string {
  return `${machine()}-${process.pid}-${startOf(process.pid) ?? 0}`;
}

/** Whether a process of this machine has ended; false for those of others, of which nothing is known. */
export function hasEnded(identity: string): boolean {
  const match = PATTERN.exec(identity);
  if (match === null || match[1] !== machine()) return false;
  return startOf(Number(match[2])) !== Number(match[3]);
}
