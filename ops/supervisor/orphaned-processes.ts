/**
 * Edges and workers whose supervisor was killed: they notice, drain and end by themselves, and hold
 * the port and their connections until then.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The variable by which a process can be told to be ours, and by whom it was started. */
export const SUPERVISOR_VARIABLE = 'SLUICE_SUPERVISOR';
/** Time that they have to drain: a little more than a supervisor would give them. */
const DRAIN_WITHIN_MS = 10_000;
const PAUSE_MS = 50;

function variablesOf(pid: number): ReadonlyMap<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Null for a process that has ended and is only waited for. */
function parentOf(pid: number): number | null {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (/^State:\s*[ZX]/m.test(status)) return null;
  return Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
}

function isLeftover(pid: number, dataDir: string): boolean {
  try {
    const variables = variablesOf(pid);
    const supervisor = variables.get(SUPERVISOR_VARIABLE);
    if (supervisor === undefined || variables.get('DATA_DIR') !== dataDir) return false;
    const parent = parentOf(pid);
    return parent !== null && parent !== Number(supervisor);
  } catch {
    // It is somebody else's, or has just ended.
    return false;
  }
}

/** Their process ids; none where the system does not tell (it has no /proc). */
function findLeftovers(dataDir: string): readonly number[] {
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.filter((pid) => isLeftover(pid, dataDir));
  } catch {
    return [];
  }
}

/**
 * Waits until the processes are gone that a killed run left on this folder; those that do not
 * drain are ended.
 * @param dataDir absolute path
 */
export async function awaitLeftovers(
  dataDir: string,
  report: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  let left = findLeftovers(dataDir);
  if (left.length === 0) return;
  report(`Waiting for processes of a killed run to end (process ${left.join(', ')})`);
  const end = performance.now() + DRAIN_WITHIN_MS;
  let hastened = false;
  while (left.length > 0) {
    await delay(PAUSE_MS, undefined, { signal: stop });
    left = left.filter((pid) => isLeftover(pid, dataDir));
    if (hastened || performance.now() < end) continue;
    hastened = true;
    for (const pid of left) process.kill(pid, 'SIGKILL');
  }
}
