/**
 * The tokens in signed URLs of files: JSON Web Tokens (RFC 7519). A client with the URL may read
 * one file with the current permissions of the URL's creator. Their key differs from those of
 * access tokens and mail tokens.
 */
import { hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';

const ALGORITHM = 'HS256';
const ISSUER = 'sluice';
const AUDIENCE = 'asset';
const TYPE = 'asset+jwt';

const claims = v.object({ sub: v.pipe(v.string(), v.uuid()), file: v.pipe(v.string(), v.uuid()) });

/** The content of a valid token. */
export interface AssetClaims {
  /** The user whose permissions apply to the file. */
  readonly user: string;
  readonly file: string;
}

export class AssetTokens {
  readonly #keys: readonly Uint8Array[];

  /** @param secrets of the installation: the first one signs, each is accepted */
  constructor(secrets: readonly (string | Uint8Array)[]) {
    this.#keys = secrets.map(
      (secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'sluice asset token', 32)),
    );
  }

  /** @param expires the time after which the token is invalid */
  async sign({ user, file }: AssetClaims, expires: Date): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no key to sign with');
    return await new SignJWT({ file })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(user)
      .setExpirationTime(expires)
      .sign(key);
  }

  /** @throws ServiceError FORBIDDEN for a token with another signature or an expired one */
  async verify(token: string): Promise<AssetClaims> {
    for (const key of this.#keys) {
      try {
        const options = { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE, typ: TYPE };
        const { payload } = await jwtVerify(token, key, options);
        const { sub: user, file } = v.parse(claims, payload);
        return { user, file };
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw forbidden(reason('url_expired'));
        if (!(error instanceof errors.JOSEError || error instanceof v.ValiError)) throw error;
      }
    }
    throw forbidden(reason('url_signature_invalid'));
  }
}
