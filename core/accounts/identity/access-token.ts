/**
 * Access tokens: JSON Web Tokens (RFC 7519) with a user and a session. Only one signature algorithm
 * is accepted. The other claims are for clients; no permission depends on them.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { decodeJwt, errors, type JWTVerifyResult, jwtVerify, SignJWT } from 'jose';
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { SigningKeys } from '#core/model/system/signing-key.ts';

const ALGORITHM = 'HS256';
const ISSUER = 'sluice';
const TYPE = 'JWT';

/** The content of a valid token. */
export interface AccessClaims {
  readonly user: string;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** The user and session of a token. */
export interface AccessSubject {
  readonly user: string;
  readonly session: string;
  readonly caller: Pick<Caller, 'role' | 'app' | 'admin' | 'lacksSecondFactor'>;
}

const claims = v.object({
  id: v.pipe(v.string(), v.uuid()),
  session: v.pipe(v.string(), v.uuid()),
  exp: v.number(),
});

/** Whether a text looks like an access token. */
export function claimsToBeAccessToken(token: string): boolean {
  if (!token.includes('.')) return false;
  try {
    return decodeJwt(token).iss === ISSUER;
  } catch {
    return false;
  }
}

export class AccessTokens {
  readonly #keys: readonly [KeyObject, ...KeyObject[]];

  constructor([current, ...previous]: SigningKeys) {
    const keyOf = (secret: string) => createSecretKey(secret, 'utf8');
    this.#keys = [keyOf(current), ...previous.map(keyOf)];
  }

  /** @param ttl milliseconds */
  async issue({ user, session, caller }: AccessSubject, ttl: number): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const payload = {
      id: user,
      role: caller.role,
      app_access: caller.app,
      admin_access: caller.admin,
      session,
      ...(caller.lacksSecondFactor ? { enforce_tfa: true } : {}),
    };
    return await new SignJWT(payload)
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setIssuedAt(now)
      .setExpirationTime(now + Math.ceil(ttl / 1_000))
      .sign(this.#keys[0]);
  }

  /**
   * Verifies a token, but not whether its session still exists.
   * @throws ServiceError TOKEN_EXPIRED for a valid one that has expired; INVALID_CREDENTIALS
   *   otherwise
   */
  async read(token: string): Promise<AccessClaims> {
    const { payload, protectedHeader } = await this.#verify(token);
    const found = v.safeParse(claims, payload);
    const { typ = TYPE } = protectedHeader;
    if (!found.success || typ !== TYPE) throw new ServiceError('INVALID_CREDENTIALS');
    const { id, session, exp } = found.output;
    return { user: id, session, expires: exp * 1_000 };
  }

  async #verify(token: string): Promise<JWTVerifyResult> {
    for (const key of this.#keys) {
      try {
        return await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          requiredClaims: ['exp', 'iat'],
        });
      } catch (error) {
        if (error instanceof errors.JWSSignatureVerificationFailed) continue;
        if (error instanceof errors.JWTExpired) throw new ServiceError('TOKEN_EXPIRED');
        if (error instanceof errors.JOSEError) throw new ServiceError('INVALID_CREDENTIALS');
        throw error;
      }
    }
    throw new ServiceError('INVALID_CREDENTIALS');
  }
}
