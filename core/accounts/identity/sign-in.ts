/**
 * Login with address, password and, if the user has one, a one-time password. Known and unknown
 * addresses cost the same work, take the same time and get the same error. Only a client with the
 * correct password is informed that a code is missing.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AccessSource } from '#core/access/access-source.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { Config } from '#core/base/config/variables.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { AccessTokens } from './access-token.ts';
import { type Attempt, giveBackAttempt, takeAttempt, useStep } from './login-attempts.ts';
import { stepOf } from './one-time-password.ts';
import { hashOfNobody, hashPassword, isOutdated, verifyPassword } from './password.ts';
import type { RefreshTokens } from './refresh-token.ts';
import { beginSession, type Visitor } from './session.ts';
import { newSessionId } from './session-id.ts';
import type { StoredSecrets } from './stored-secrets.ts';
import { tokenHash } from './token-hash.ts';

/**
 * Where a client stores the tokens: itself, the refresh token in a cookie, or everything in one
 * cookie.
 */
export const MODES = ['json', 'cookie', 'session'] as const;
export type Mode = (typeof MODES)[number];

/** The services for logins and renewals. */
export interface SignInParts {
  readonly config: Config;
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly access: AccessSource;
  readonly tokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly storedSecrets: Pick<StoredSecrets, 'open'>;
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly otp: string | null;
}

/** The tokens for a client. */
export interface Admission {
  readonly accessToken: string;
  /** Null in mode session, whose cookie contains the access token. */
  readonly refreshToken: string | null;
  /** Lifetime of the access token in milliseconds. */
  readonly expires: number;
}

interface User {
  readonly id: string;
  readonly role: string | null;
  readonly password: string | null;
  readonly status: string;
  readonly provider: string;
  readonly tfa_secret: string | null;
}

/** A user with a correct password; the attempt still counts as failed. */
interface Known {
  readonly user: User;
  /** The hash of its password. */
  readonly hash: string;
  readonly attempt: Attempt;
}

/** Lifetime of an access token by mode, in milliseconds. */
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
   * Creates a session.
   * @throws ServiceError INVALID_CREDENTIALS, never before LOGIN_STALL_TIME; INVALID_OTP when only
   *   the code is missing or wrong; INVALID_IP; SERVICE_UNAVAILABLE when too many log in
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
    const known = await this.#checkPassword(credentials, visitor);
    const { pool: db, schema } = this.#parts;
    const giveBack = () => giveBackAttempt({ db, schema }, known.attempt);
    if (known.user.tfa_secret !== null && credentials.otp === null) {
      await giveBack();
      throw new ServiceError('INVALID_OTP');
    }
    await this.#checkCode(known.user, credentials);
    try {
      return await this.#admit(known, credentials, mode, visitor);
    } catch (error) {
      // Password and code were correct. During an outage the attempt remains counted.
      await giveBack().catch(() => undefined);
      throw error;
    }
  }

  /**
   * @throws ServiceError INVALID_CREDENTIALS, even for a correct password when too many attempts
   *   have failed
   */
  async #checkPassword({ email, password }: Credentials, { ip }: Visitor): Promise<Known> {
    const { pool: db, schema } = this.#parts;
    const user = await this.#find(email);
    const hash = user?.password ?? null;
    const holder = quotaKeyOf({ user: null, ip });
    const right = await verifyPassword(hash ?? this.#nobody, password, holder);
    // The attempt is counted before the result of the password check has any effect.
    const attempt = await takeAttempt({ db, schema }, sql`lower(email) = lower(${email})`, ip);
    if (attempt === null || user === null || hash === null || !right) {
      throw new ServiceError('INVALID_CREDENTIALS');
    }
    if (attempt.user !== user.id || user.status !== 'active' || user.provider !== 'default') {
      throw new ServiceError('INVALID_CREDENTIALS');
    }
    return { user, hash, attempt };
  }

  async #admit(
    { user, hash, attempt }: Known,
    credentials: Credentials,
    mode: Mode,
    visitor: Visitor,
  ): Promise<Admission> {
    const { config, pool: db, schema, access } = this.#parts;
    const id = newSessionId();
    const secondFactor = user.tfa_secret !== null;
    const account = { user: user.id, role: user.role, session: id, secondFactor };
    const caller = await access.callerOf(account, visitor.ip);
    const session = {
      ...{ id, user: user.id, visitor, cookie: mode === 'session', attempt },
      ttl: mode === 'session' ? config.SESSION_COOKIE_TTL : config.REFRESH_TOKEN_TTL,
      password: await this.#refreshed(user.id, hash, credentials.password, visitor),
    };
    const refreshToken = this.#parts.refreshTokens.issue(id);
    const subject = { user: user.id, session: id, caller };
    const expires = accessTtl(config, mode);
    const accessToken = await this.#parts.tokens.issue(subject, expires);
    // A session cookie is not a refresh token; its session stores a hash that matches no token.
    const token = session.cookie ? randomBytes(32).toString('base64url') : refreshToken;
    const begun = await beginSession(
      { db, schema },
      { ...session, tokenHash: tokenHash(token) },
      config.SESSION_COOKIE_TTL,
    );
    if (!begun) throw new ServiceError('INVALID_CREDENTIALS');
    return { accessToken, refreshToken: session.cookie ? null : refreshToken, expires };
  }

  async #find(email: string): Promise<User | null> {
    const { pool, schema } = this.#parts;
    const { rows } = await pool.query<User>(
      render(sql`SELECT id, role, password, status, provider, tfa_secret
        FROM ${systemTable(schema, 'users')} WHERE lower(email) = lower(${email})`),
    );
    return rows[0] ?? null;
  }

  /** Six digits can be guessed quickly, so wrong codes count like passwords. */
  async #checkCode(user: User, { otp }: Credentials): Promise<void> {
    if (user.tfa_secret === null) return;
    const { pool: db, schema, storedSecrets } = this.#parts;
    const secret = storedSecrets.open(user.tfa_secret, user.id);
    const step = secret === null || otp === null ? null : stepOf(secret, otp);
    if (step === null || !(await useStep({ db, schema }, user.id, step))) {
      throw new ServiceError('INVALID_OTP');
    }
  }

  /** The hash of a correct password; recomputed when the parameters have changed. */
  async #refreshed(user: string, hash: string, password: string, { ip }: Visitor): Promise<string> {
    const { config, pool, schema } = this.#parts;
    if (!isOutdated(config, hash)) return hash;
    const made = await hashPassword(config, password, quotaKeyOf({ user: null, ip }));
    const { rowCount } = await pool.query(
      render(sql`UPDATE ${systemTable(schema, 'users')} SET password = ${made}
        WHERE id = ${user} AND password = ${hash}`),
    );
    return rowCount === 1 ? made : hash;
  }
}
