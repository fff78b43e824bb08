/** Hashes tokens for storage, so that a stolen database gives no access. */
import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal. Tokens are random, so a slower hash is not needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
