/** Answers that take at least a while, so that the time tells nothing about what was found. */
import { setTimeout as delay } from 'node:timers/promises';

/** Settles as `work` does, but not before `ms` milliseconds have passed. */
export async function withMinimumTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), delay(ms)]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
