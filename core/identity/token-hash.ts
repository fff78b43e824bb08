/** How tokens are stored: by a hash that a stolen database cannot be signed in with. */
import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal. Tokens are random, so that no slower hash is needed. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
