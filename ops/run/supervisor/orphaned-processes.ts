/**
 * Handles edges and workers whose supervisor was killed. They detect it, drain and end, and hold
 * the port and their connections until then.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The variable that marks our processes with the supervisor that started them. */
export const SUPERVISOR_VARIABLE = 'SLUICE_SUPERVISOR';
/** Time for draining: slightly more than a supervisor allows. */
const DRAIN_WITHIN_MS = 10_000;
const PAUSE_MS = 50;

function variablesOf(pid: number): ReadonlyMap<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

interface Leftover {
  readonly pid: number;
  /** Its start, in ticks since the system started, because another process may reuse its id. */
  readonly startTime: string;
}

interface Status {
  /** `Z` and `X` for a process that has ended, whose threads may still be ending. */
  readonly state: string;
  readonly parent: number;
  readonly startTime: string;
}

/** @throws when the process has ended */
function statusOf(pid: number): Status {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name in parentheses, may contain spaces and parentheses.
  const [state = '', parent, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { state, parent: Number(parent), startTime: rest[17] ?? '' };
}

/**
 * Whether a process still holds its port and its files. A process that is ending loses its
 * environment first, so only its state shows whether it has ended.
 */
function isRunning({ pid, startTime }: Leftover): boolean {
  try {
    const status = statusOf(pid);
    if (status.startTime !== startTime) return false;
    const hasEnded = status.state === 'Z' || status.state === 'X';
    return !hasEnded || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Null for a process of another account, of another folder, or of a running supervisor. */
function asLeftover(pid: number, dataDir: string): Leftover | null {
  try {
    const variables = variablesOf(pid);
    const supervisor = variables.get(SUPERVISOR_VARIABLE);
    if (supervisor === undefined || variables.get('DATA_DIR') !== dataDir) return null;
    const { parent, startTime } = statusOf(pid);
    const leftover = { pid, startTime };
    return parent !== Number(supervisor) && isRunning(leftover) ? leftover : null;
  } catch {
    return null;
  }
}

/** Empty when the system has no /proc. */
function findLeftovers(dataDir: string): readonly Leftover[] {
  try {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    return pids.map((pid) => asLeftover(pid, dataDir)).filter((one) => one !== null);
  } catch {
    return [];
  }
}

function end({ pid }: Leftover): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
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
  const pids = left.map(({ pid }) => pid).join(', ');
  report(`Waiting for processes of a killed run to end (process ${pids})`);
  const deadline = performance.now() + DRAIN_WITHIN_MS;
  let hastened = false;
  while (left.length > 0) {
    await delay(PAUSE_MS, undefined, { signal: stop });
    left = left.filter(isRunning);
    if (hastened || performance.now() < deadline) continue;
    hastened = true;
    left.forEach(end);
  }
}
