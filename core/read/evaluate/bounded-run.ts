/** Runs code that may never end in a separate context, where a timeout can stop it. */
import { type Context, runInContext } from 'node:vm';

/** On a busy machine the timeout may stop the code several times before its time is used. */
const MAX_ATTEMPTS = 5;

/** Processor time of this thread so far, in milliseconds. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function isTimeout(error: unknown): boolean {
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/**
 * The value of a script that may take some milliseconds of processor time. Node's own timeout also
 * counts time in which other processes run. A script that it stops too early is run again.
 * @throws the errors of the script, and the timeout
 */
export function runBounded(code: string, context: Context, milliseconds: number): unknown {
  const end = processorTime() + milliseconds;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const timeout = Math.max(1, Math.ceil(end - processorTime()));
      return runInContext(code, context, { timeout });
    } catch (error) {
      const isUsed = processorTime() > end - milliseconds / 2;
      if (!isTimeout(error) || isUsed || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
