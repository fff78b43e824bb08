/**
 * Encrypts the secrets of second factors with keys derived from SECRET (HKDF, AES-256-GCM). The
 * text contains the name of its key, and is bound to one user. Texts that are not encrypted are
 * older secrets.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SigningKeys } from '#core/model/system/signing-key.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** Sufficient to distinguish the keys of an installation. */
const NAME_BYTES = 6;
/** As NIST SP 800-38D recommends, section 5.2.1.1. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** No base32 secret has this prefix. */
const START = `$${ALGORITHM}$`;

interface Key {
  readonly name: string;
  readonly bytes: Uint8Array;
}

function derived(secret: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `sluice second factor ${purpose}`, bytes));
}

function opened({ bytes }: Key, sealed: Buffer, user: string): string | null {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(ALGORITHM, bytes, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(user)).setAuthTag(tag);
    const content = sealed.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(content), decipher.final()]).toString();
  } catch {
    return null;
  }
}

export class SecretSeal {
  readonly #keys: readonly [Key, ...Key[]];

  /** @param secrets of the installation: the first one is preferred, each decrypts */
  constructor([current, ...previous]: SigningKeys) {
    const keyOf = (secret: string): Key => ({
      name: derived(secret, 'name', NAME_BYTES).toString('base64url'),
      bytes: derived(secret, 'key', KEY_BYTES),
    });
    this.#keys = [keyOf(current), ...previous.map(keyOf)];
  }

  /** The names of its keys; the preferred one first. They reveal nothing about the keys. */
  get names(): readonly [string, ...string[]] {
    const [first, ...others] = this.#keys;
    return [first.name, ...others.map(({ name }) => name)];
  }

  /** The prefix of texts that are encrypted with a key. */
  startOf(name: string): string {
    return `${START}${name}$`;
  }

  /**
   * Encrypts the secret of a user.
   * @param name of the key; the preferred key when no key has this name
   */
  seal(secret: string, user: string, name?: string): string {
    const key = this.#keys.find((one) => one.name === name) ?? this.#keys[0];
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(user));
    const content = Buffer.concat([cipher.update(secret), cipher.final()]);
    const sealed = Buffer.concat([nonce, cipher.getAuthTag(), content]);
    return this.startOf(key.name) + sealed.toString('base64url');
  }

  /**
   * The decrypted secret of a user; null when no key decrypts it, or it belongs to another user.
   */
  open(stored: string, user: string): string | null {
    if (!stored.startsWith(START)) return stored;
    const [name, sealed = ''] = stored.slice(START.length).split('$');
    const key = this.#keys.find((one) => one.name === name);
    return key === undefined ? null : opened(key, Buffer.from(sealed, 'base64url'), user);
  }
}
