/** Makes random texts. */
import { randomBytes } from 'node:crypto';

/**
 * A random text of letters, digits, `-` and `_`, with six random bits per character.
 * @param length in characters
 */
export function randomString(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}
