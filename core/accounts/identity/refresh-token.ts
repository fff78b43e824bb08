/**
 * Refresh tokens: opaque to clients and stored as hashes. A token contains its session and is
 * signed, so that a replaced token is still recognized as a used copy.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { SigningKeys } from '#core/model/system/signing-key.ts';
import { sameSecret } from './timing.ts';

/** Sixteen bytes each: session, random, signature; 64 characters in base64url. */
const PART = 16;
const FORM = /^[\w-]{64}$/;

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export class RefreshTokens {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];

  constructor([current, ...previous]: SigningKeys) {
    const keyOf = (secret: string) =>
      new Uint8Array(hkdfSync('sha256', secret, '', 'sluice refresh token', 32));
    this.#keys = [keyOf(current), ...previous.map(keyOf)];
  }

  /** A new token of a session. */
  issue(session: string): string {
    const id = Buffer.from(session.replaceAll('-', ''), 'hex');
    const content = Buffer.concat([id, randomBytes(PART)]);
    return Buffer.concat([content, seal(this.#keys[0], content)]).toString('base64url');
  }

  /**
   * The session of a token, even when it is no longer valid; null when its signature is invalid.
   */
  sessionOf(token: string): string | null {
    if (!FORM.test(token)) return null;
    const bytes = Buffer.from(token, 'base64url');
    const content = bytes.subarray(0, 2 * PART);
    const given = bytes.subarray(2 * PART);
    const sealed = this.#keys.some((key) => sameSecret(seal(key, content), given));
    return sealed ? uuidOf(content.subarray(0, PART)) : null;
  }
}

function seal(key: Uint8Array, content: Uint8Array): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, PART);
}
