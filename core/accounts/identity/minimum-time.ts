/** Delays responses to a minimum time, so that the time reveals nothing. */
import { setTimeout as delay } from 'node:timers/promises';

/** Settles like `work`, but not before `ms` milliseconds. */
export async function withMinimumTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), delay(ms)]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
