/**
 * Edges and workers whose supervisor was killed: they notice it, drain and end, and keep the port
 * and their connections until then.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The variable that says that a process is ours, and which supervisor started it. */
export const SUPERVISOR_VARIABLE = 'SLUICE_SUPERVISOR';
/** Time that they have to drain: a little more than a supervisor gives them. */
const DRAIN_WITHIN_MS = 10_000;
const PAUSE_MS = 50;

function variablesOf(pid: number): ReadonlyMap<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Null for a process that has ended and only waits for its parent. */
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
    // It belongs to somebody else, or has just ended.
    return false;
  }
}

/** Their process ids; none when the system has no /proc. */
function findLeftovers(dataDir: string): readonly number[] {
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.filter((pid) => isLeftover(pid, dataDir));
  } catch {
    return [];
  }
}

/**
 * Waits until the processes of a killed run on this folder have ended; ends those that do not
 * drain.
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
