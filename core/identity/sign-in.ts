/**
 * Signing in with address, password and, where a user has one, a one-time password. Whatever is
 * wrong, known and unknown addresses cost the same work, take the same time and get the same
 * answer; only who has the right password learns that a code is missing.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AccessSource } from '#core/access/rights-source.ts';
import type { Config } from '#core/config/config.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/table.ts';
import type { AccessTokens } from './access-token.ts';
import { countFailure, isClosed, useStep } from './login-attempts.ts';
import { stepOf } from './one-time-password.ts';
import { hashOfNobody, hashPassword, isOutdated, verifyPassword } from './password.ts';
import type { RefreshTokens } from './refresh-token.ts';
import { beginSession, type Visitor } from './session.ts';
import { tokenHash } from './token-hash.ts';

/** How a client keeps what it is given: itself, the refresh token in a cookie, or all in one. */
export const MODES = ['json', 'cookie', 'session'] as const;
export type Mode = (typeof MODES)[number];

/** What signing in and renewing rest on. */
export interface SignInParts {
  readonly config: Config;
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly access: AccessSource;
  readonly tokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly otp: string | null;
}

/** What a client gets. */
export interface Admission {
  readonly accessToken: string;
  /** Null in mode session, whose cookie holds the access token. */
  readonly refreshToken: string | null;
  /** Milliseconds for which the access token counts. */
  readonly expires: number;
}

interface User {
  readonly id: string;
  readonly role: string | null;
  readonly password: string | null;
  readonly status: string;
  readonly provider: string;
  readonly tfa_secret: string | null;
  /** Too many have failed: no password counts for now, the right one neither. */
  readonly closed: boolean;
}

/** Milliseconds that an access token of a mode counts. */
export function accessTtl(config: Config, mode: Mode): number {
  return mode === 'session' ? config.SESSION_COOKIE_TTL : config.ACCESS_TOKEN_TTL;
}

export class SignIn {
  readonly #parts: SignInParts;
  readonly #nobody: string;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#nobody = hashOfNobody(parts.config);
  }

  /**
   * Begins a session.
   * @throws ServiceError INVALID_CREDENTIALS, never sooner than LOGIN_STALL_TIME; INVALID_OTP when
   *   only the code is missing or wrong; INVALID_IP; SERVICE_UNAVAILABLE when too many sign in
   */
  async login(credentials: Credentials, mode: Mode, visitor: Visitor): Promise<Admission> {
    const { config } = this.#parts;
    const stall = delay(config.LOGIN_STALL_TIME);
    try {
      return await this.#login(credentials, mode, visitor);
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) await stall;
      throw translateFailure(error);
    }
  }

  async #login(credentials: Credentials, mode: Mode, visitor: Visitor): Promise<Admission> {
    const { config, pool: db, schema, access } = this.#parts;
    const user = await this.#find(credentials.email, visitor);
    const hash = user?.password ?? null;
    const right = await verifyPassword(hash ?? this.#nobody, credentials.password);
    if (user === null || hash === null || !right) {
      await countFailure({ db, schema }, credentials.email, visitor.ip);
      throw new ServiceError('INVALID_CREDENTIALS');
    }
    if (user.closed || user.status !== 'active' || user.provider !== 'default') {
      throw new ServiceError('INVALID_CREDENTIALS');
    }
    await this.#checkCode(user, credentials, visitor);
    const id = randomUUID();
    const secondFactor = user.tfa_secret !== null;
    const account = { user: user.id, role: user.role, session: id, secondFactor };
    const caller = await access.callerOf(account, visitor.ip);
    const session = {
      ...{ id, user: user.id, visitor, cookie: mode === 'session' },
      ttl: mode === 'session' ? config.SESSION_COOKIE_TTL : config.REFRESH_TOKEN_TTL,
      password: await this.#refreshed(user.id, hash, credentials.password),
    };
    const refreshToken = this.#parts.refreshTokens.issue(id);
    const subject = { user: user.id, session: id, caller };
    const expires = accessTtl(config, mode);
    const accessToken = await this.#parts.tokens.issue(subject, expires);
    // A session cookie is no refresh token: the hash that such a session has is nobody's.
    const token = session.cookie ? randomBytes(32).toString('base64url') : refreshToken;
    const begun = await beginSession(
      { db, schema },
      { ...session, tokenHash: tokenHash(token) },
      config.SESSION_COOKIE_TTL,
    );
    if (!begun) throw new ServiceError('INVALID_CREDENTIALS');
    return { accessToken, refreshToken: session.cookie ? null : refreshToken, expires };
  }

  async #find(email: string, { ip }: Visitor): Promise<User | null> {
    const { pool, schema } = this.#parts;
    const { rows } = await pool.query<User>(
      render(sql`SELECT id, role, password, status, provider, tfa_secret,
          ${isClosed(schema, sql`u.id`, ip)} AS closed
        FROM ${systemTable(schema, 'users')} AS u WHERE lower(email) = lower(${email})`),
    );
    return rows[0] ?? null;
  }

  async #checkCode(user: User, { email, otp }: Credentials, { ip }: Visitor): Promise<void> {
    if (user.tfa_secret === null) return;
    const place = { db: this.#parts.pool, schema: this.#parts.schema };
    const step = otp === null ? null : stepOf(user.tfa_secret, otp);
    if (step !== null && (await useStep(place, user.id, step))) return;
    // Six digits are soon tried out, so codes count as passwords do.
    if (otp !== null) await countFailure(place, email, ip);
    throw new ServiceError('INVALID_OTP');
  }

  /** The hash of a right password, made anew when it was made with other parameters. */
  async #refreshed(user: string, hash: string, password: string): Promise<string> {
    const { config, pool, schema } = this.#parts;
    if (!isOutdated(config, hash)) return hash;
    const made = await hashPassword(config, password);
    const { rowCount } = await pool.query(
      render(sql`UPDATE ${systemTable(schema, 'users')} SET password = ${made}
        WHERE id = ${user} AND password = ${hash}`),
    );
    return rowCount === 1 ? made : hash;
  }
}
