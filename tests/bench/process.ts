/** Starts the processes that are measured and reads their memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildMessage } from '#core/base/process/supervised-process.ts';

export const ROOT = join(import.meta.dirname, '../..');

export interface Running {
  readonly pid: number;
  /**
   * The longest time in milliseconds that its event loop was blocked since the last call; the first
   * call begins to measure.
   */
  longestBlock(): Promise<number>;
  stop(): Promise<void>;
}

export interface ProcessOptions {
  /** Relative to the project's root. */
  readonly script: string;
  /** The whole environment besides PATH and HOME, so that the caller's variables do not matter. */
  readonly env: Readonly<Record<string, string>>;
  readonly nodeArgs?: readonly string[];
}

const LOOP_WATCH = ['--import', join(import.meta.dirname, 'schema/event-loop-delay.ts')];

type Message = ChildMessage | { readonly type: 'longest block'; readonly ms: number };

/** Starts a process and resolves when it reports that it is ready. */
export async function startProcess(options: ProcessOptions): Promise<Running> {
  const { PATH = '', HOME = '/' } = process.env;
  const nodeArgs = [...LOOP_WATCH, ...(options.nodeArgs ?? [])];
  const child = spawn(process.execPath, [...nodeArgs, options.script], {
    cwd: ROOT,
    env: { PATH, HOME, ...options.env },
    // Its log must not appear between the lines of the result.
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
  });
  const exited = once(child, 'exit');
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: Message) => {
      if (message.type === 'ready') resolve();
    });
  });
  const early = exited.then(() => {
    throw new Error(`${options.script} ended before it was ready`);
  });
  early.catch(() => undefined);
  await Promise.race([ready, early]);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${options.script} was not started`);
  return {
    pid,
    async longestBlock() {
      child.send({ type: 'longest block' });
      const [answer]: Message[] = await once(child, 'message');
      return answer?.type === 'longest block' ? answer.ms : Number.NaN;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

/** A line of `/proc/<pid>/status` in bytes: `VmRSS` is the current, `VmHWM` the highest value. */
export function memoryOf(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kibibytes = new RegExp(`^${line}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`/proc/${pid}/status has no ${line}`);
  return Number(kibibytes) * 1024;
}

/** Fields of `/proc/<pid>/stat` after the name: time in user mode and in the kernel. */
const TIMES = [11, 12] as const;
/** The unit of these fields: USER_HZ, 100 on every Linux that Node runs on. */
const TICK_MS = 10;

/** Milliseconds of processor time that the process has used. */
export function processorTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name is in parentheses and may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TIMES.reduce((sum, field) => sum + Number(fields[field]) * TICK_MS, 0);
}

/**
 * Milliseconds of processor time that a process with one thread has used, to the nanosecond; null
 * when it has ended.
 */
export function exactTimeOf(pid: number): number | null {
  try {
    const [used = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(used) / 1_000_000;
  } catch {
    return null;
  }
}

const SAMPLE_EVERY_MS = 10;

/** Measures a process's memory while `work` runs. */
export async function growthDuring(pid: number, work: () => Promise<void>): Promise<number> {
  const before = memoryOf(pid, 'VmRSS');
  let peak = before;
  const look = () => {
    peak = Math.max(peak, memoryOf(pid, 'VmRSS'));
  };
  const timer = setInterval(look, SAMPLE_EVERY_MS);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

export const MIB = 1024 ** 2;
