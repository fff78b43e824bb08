/** Compares secrets in constant time. */
import { timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal. The time depends only on their lengths. */
export function sameSecret(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
