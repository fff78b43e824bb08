/** Starts a supervisor as a process of its own and watches what it prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Teardown } from '#tests/harness/database.ts';
import { processEnvironment } from '#tests/harness/process.ts';
import { until } from '#tests/harness/until.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
export const STAND_IN_START = 'tests/ops/run/supervisor/stand-in/start.ts';

/** A folder that every account may enter, removed when the test ends. */
export function temporaryFolder(t: Teardown): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-start-'));
  chmodSync(folder, 0o755);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether a process exists and is not merely waiting to be reaped. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Run {
  readonly process: ChildProcess;
  readonly exited: Promise<Exit>;
  stdout = '';
  stderr = '';

  /** @param env variables beside PATH and the like; nothing of the test's own shows through */
  constructor(t: Teardown, env: Readonly<Record<string, string>>, script = STAND_IN_START) {
    this.process = spawn(process.execPath, [script], {
      cwd: ROOT,
      env: { ...processEnvironment(), ARGON2_MEMORY: '64kb', ARGON2_TIME: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout?.on('data', (chunk) => {
      this.stdout += String(chunk);
    });
    this.process.stderr?.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    this.exited = once(this.process, 'close').then(([code, signal]) => ({
      code,
      signal,
      stdout: this.stdout,
      stderr: this.stderr,
    }));
    t.teardown(async () => {
      this.process.kill('SIGTERM');
      await this.exited;
    });
  }

  get ended(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Resolves when stdout holds the text; throws what was printed when the process ends first. */
  async prints(text: string): Promise<void> {
    await until(() => this.stdout.includes(text) || this.ended);
    if (!this.stdout.includes(text)) throw new Error(`it ended: ${this.stdout}\n${this.stderr}`);
  }
}

/** Process ids that stand-ins wrote to the folder, in any order. */
export function standIns(folder: string): number[] {
  return readdirSync(folder).map(Number);
}
