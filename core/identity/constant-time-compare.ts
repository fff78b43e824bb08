/** Comparing secrets without telling by the time it takes how much of them was right. */
import { timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same; only their lengths show in the time it takes. */
export function sameSecret(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
