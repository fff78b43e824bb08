/**
 * A text that identifies one process on one machine, even after its process id is reused. It shows
 * which files belong to a dead process.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const PATTERN = /^([0-9a-f]{12})-(\d+)-(\d+)$/;
/** The index of the start time among the fields after the process name (proc(5)). */
const START_TIME = 19;

/** The namespace that process ids belong to: containers have their own, also under one host name. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function machine(): string {
  const name = `${hostname()} ${pidNamespace()}`;
  return createHash('sha256').update(name).digest('hex').slice(0, 12);
}

/** The start time of a process in ticks; null when it does not exist, 0 when unknown. */
function startOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[START_TIME]);
  } catch {
    // Without /proc, a signal still shows whether the process exists.
  }
  try {
    process.kill(pid, 0);
    return 0;
  } catch (error) {
    const isForeign = error instanceof Error && 'code' in error && error.code === 'EPERM';
    return isForeign ? 0 : null;
  }
}

/** The id of this process. */
export function processIdentity(): string {
  return `${machine()}-${process.pid}-${startOf(process.pid) ?? 0}`;
}

/** Whether a process of this machine has ended; false for other machines, which is unknown. */
export function hasEnded(identity: string): boolean {
  const match = PATTERN.exec(identity);
  if (match === null || match[1] !== machine()) return false;
  return startOf(Number(match[2])) !== Number(match[3]);
}
