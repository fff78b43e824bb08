/** Failpoints of requests: named positions where a test can stop a process and kill it. */
import type { Config } from '../config/variables.ts';
import type { Log } from '../log/log.ts';
import { tellSupervisor } from './supervised-process.ts';

/** A function that resolves at once, or never at the position that FAILPOINT names. */
export function failpoints({ FAILPOINT }: Pick<Config, 'FAILPOINT'>, log: Log) {
  return async (name: string): Promise<void> => {
    if (FAILPOINT !== name) return;
    log.warn({ failpoint: name }, 'waiting to be killed');
    tellSupervisor({ type: 'failpoint', name });
    await new Promise(() => undefined);
  };
}
