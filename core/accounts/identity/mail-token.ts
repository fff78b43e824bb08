/**
 * The tokens in links of mails: JSON Web Tokens (RFC 7519), each for one purpose and one account.
 * Their keys differ from those of access tokens, so neither can be used as the other. They contain
 * a digest of the account, so that a token expires when the account changes.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import * as v from 'valibot';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { sameSecret } from './timing.ts';

/** The purposes of tokens, and their lifetime in seconds. */
const LIFETIMES = {
  invite: 7 * 86_400,
  'password-reset': 86_400,
  'pending-registration': 7 * 86_400,
} as const;

export type MailScope = keyof typeof LIFETIMES;

/** The part of an account that a token depends on. */
export interface MailAccount {
  readonly id: string;
  readonly email: string;
  /** The stored hash of its password. */
  readonly password: string | null;
}

/** The content of a valid token. */
export interface MailClaims {
  readonly user: string;
  readonly email: string;
  readonly hash: string;
}

const ALGORITHM = 'HS256';
const ISSUER = 'sluice';
const AUDIENCE = 'mail';
const TYPE = 'mail+jwt';

const claims = v.object({
  sub: v.pipe(v.string(), v.uuid()),
  email: v.string(),
  scope: v.string(),
  hash: v.string(),
});

/**
 * A digest of the account state at the time of the mail; it changes with the address or the
 * password. It reveals nothing about the password, whose hash is salted.
 */
export function accountState({ id, email, password }: MailAccount): string {
  const text = JSON.stringify([id, email, password]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Whether the account has not changed since the token was created. */
export function isCurrent({ user, email, hash }: MailClaims, account: MailAccount): boolean {
  const state = Buffer.from(accountState(account));
  return account.id === user && account.email === email && sameSecret(state, Buffer.from(hash));
}

export class MailTokens {
  readonly #keys: readonly Uint8Array[];

  /** @param secrets of the installation: the first one signs, each is accepted */
  constructor(secrets: readonly (string | Uint8Array)[]) {
    const key = (secret: string | Uint8Array) =>
      new Uint8Array(hkdfSync('sha256', secret, '', 'sluice mail token', 32));
    this.#keys = secrets.map(key);
    assert(this.#keys.length > 0, 'there is no secret');
  }

  /**
   * A fake user key for an address without a user. It is always the same for one address, and other
   * systems cannot distinguish it from a real key.
   */
  standIn(email: string): string {
    const [key] = this.#keys;
    assert(key !== undefined);
    const hex = createHmac('sha256', key).update(email.toLowerCase()).digest('hex');
    const [a, b, c, d, e] = [8, 12, 16, 20, 32].map((end, index) =>
      hex.slice([0, 8, 12, 16, 20][index], end),
    );
    return `${a}-${b}-4${c?.slice(1)}-a${d?.slice(1)}-${e}`;
  }

  /** @param now milliseconds since the epoch */
  async issue(scope: MailScope, account: MailAccount, now = Date.now()): Promise<string> {
    const [key] = this.#keys;
    assert(key !== undefined);
    const issued = Math.floor(now / 1_000);
    return await new SignJWT({ email: account.email, scope, hash: accountState(account) })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(account.id)
      .setIssuedAt(issued)
      .setExpirationTime(issued + LIFETIMES[scope])
      .sign(key);
  }

  /**
   * Verifies a token for this purpose. Whether it is still current depends on the account: see
   * {@link isCurrent}.
   * @throws ServiceError TOKEN_EXPIRED; INVALID_TOKEN otherwise
   */
  async read(token: string, scope: MailScope): Promise<MailClaims> {
    for (const key of this.#keys) {
      const payload = await this.#verified(token, key);
      if (payload === null) continue;
      const found = v.safeParse(claims, payload);
      if (!found.success || found.output.scope !== scope) break;
      const { sub, email, hash } = found.output;
      return { user: sub, email, hash };
    }
    throw new ServiceError('INVALID_TOKEN');
  }

  /** The content of the token; null when it was signed with another key. */
  async #verified(token: string, key: Uint8Array): Promise<unknown> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        typ: TYPE,
        requiredClaims: ['exp', 'iat', 'sub'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new ServiceError('TOKEN_EXPIRED');
      if (error instanceof errors.JWSSignatureVerificationFailed) return null;
      if (error instanceof errors.JOSEError) throw new ServiceError('INVALID_TOKEN');
      throw error;
    }
  }
}
