/** Hides how long work with secrets takes: in constant time, or not below a minimum. */
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** Settles like `work`, but not before `ms` milliseconds. */
export async function withMinimumTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work(), delay(ms)]);
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Whether two secrets are equal. The time depends only on their lengths. */
export function sameSecret(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
