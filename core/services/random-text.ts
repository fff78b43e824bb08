/** Makes texts that nobody can guess. */
import { randomBytes } from 'node:crypto';

/**
 * A random text of letters, digits, `-` and `_`, each of which carries six bits.
 * @param length in characters
 */
export function randomString(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}
