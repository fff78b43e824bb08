/**
 * URLs that let their holder read one file for a limited time, with the current permissions of the
 * user that signed them.
 */

import type { AccessSource } from '#core/access/access-source.ts';
import type { Caller } from '#core/access/grants.ts';
import { AssetTokens } from '#core/accounts/identity/asset-token.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { SigningKeys } from '#core/model/system/signing-key.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { AssetService } from './assets.ts';

export interface SignedUrlOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly access: AccessSource;
  readonly assets: AssetService;
}

/** A signature, and its expiry. */
export interface Signature {
  readonly token: string;
  readonly expires: Date;
}

export class SignedUrls {
  readonly #options: SignedUrlOptions;
  readonly #tokens: AssetTokens;

  constructor(options: SignedUrlOptions, secrets: SigningKeys) {
    this.#options = options;
    this.#tokens = new AssetTokens(secrets);
  }

  /**
   * Signs a URL of a file.
   * @param lifetime milliseconds
   * @throws ServiceError FORBIDDEN when the caller is not a user or may not read the file
   */
  async sign(caller: Caller, file: string, lifetime: number): Promise<Signature> {
    if (caller.user === null) throw forbidden(reason('only_users_sign_urls'));
    await this.#options.assets.find(caller, file);
    // Tokens contain whole seconds.
    const expires = new Date(Math.ceil((Date.now() + lifetime) / 1_000) * 1_000);
    return {
      token: await this.#tokens.sign({ user: caller.user, file: file.toLowerCase() }, expires),
      expires,
    };
  }

  /**
   * The caller whose permissions apply to a signed URL.
   * @param ip the address of the client
   * @throws ServiceError FORBIDDEN
   */
  async callerOf(token: string, file: string, ip: string | null): Promise<Caller> {
    const { pool, schema, access } = this.#options;
    const claims = await this.#tokens.verify(token);
    if (claims.file !== file.toLowerCase()) throw forbidden(reason('url_of_other_file'));
    const { rows } = await pool.query<{ user: string; role: string | null }>(
      render(sql`SELECT id AS "user", role FROM ${systemTable(schema, 'users')}
        WHERE id = ${claims.user}::uuid AND status = 'active'`),
    );
    const [row] = rows;
    if (row === undefined) throw forbidden(reason('url_signer_inactive'));
    try {
      return await access.callerOf({ ...row, session: null, secondFactor: false }, ip);
    } catch (error) {
      const isBarred = error instanceof ServiceError && error.code === 'INVALID_IP';
      throw isBarred ? forbidden(reason('url_signer_address_refused')) : error;
    }
  }
}
