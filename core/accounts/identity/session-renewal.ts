/**
 * Renews and ends sessions. A refresh token works once: a token that was replaced before is a
 * stolen copy and ends the whole family. Two concurrent requests with the same token are not a
 * theft: one succeeds, the other is refused and no session ends. A replaced session cookie remains
 * valid for the grace period and leads to the same successor.
 */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { WaitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import type { IdentityTables } from './identity-tables.ts';
import {
  endFamily,
  findByToken,
  findCookieSession,
  findSuccessor,
  replaceSession,
  rotateToken,
  type StoredSession,
  type Visitor,
} from './session.ts';
import { type Admission, accessTtl, type Mode, type SignInParts } from './sign-in.ts';
import { tokenHash } from './token-hash.ts';

export interface RenewalParts extends SignInParts {
  /** Waits until each edge has recorded that a session has ended. */
  readonly confirm: WaitForEdges;
  readonly log: Log;
}

/** The token or cookie that renews or ends a session. */
export type Pass =
  | { readonly mode: 'json' | 'cookie'; readonly refreshToken: string }
  | { readonly mode: 'session'; readonly accessToken: string };

export class Renewal {
  readonly #parts: RenewalParts;
  readonly #place: IdentityTables;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
    this.#place = { db: parts.pool, schema: parts.schema };
  }

  /**
   * Renews a session.
   * @throws ServiceError INVALID_CREDENTIALS when it is no longer valid; TOKEN_EXPIRED for an
   *   expired session cookie; INVALID_IP
   */
  async refresh(pass: Pass, visitor: Visitor): Promise<Admission> {
    try {
      return pass.mode === 'session'
        ? await this.#refreshCookie(pass.accessToken, visitor)
        : await this.#refreshToken(pass.refreshToken, pass.mode, visitor);
    } catch (error) {
      throw translateFailure(error);
    }
  }

  /** Ends the session and its whole family; ignores an unknown one. */
  async logout(pass: Pass): Promise<void> {
    try {
      const session = await this.#sessionOf(pass);
      const ended = session === null ? [] : await endFamily(this.#place, session);
      if (ended.length > 0) await this.#parts.confirm();
    } catch (error) {
      throw translateFailure(error);
    }
  }

  async #sessionOf(pass: Pass): Promise<string | null> {
    if (pass.mode !== 'session') {
      const found = await findByToken(this.#place, tokenHash(pass.refreshToken));
      return found?.id ?? this.#parts.refreshTokens.sessionOf(pass.refreshToken);
    }
    try {
      return (await this.#parts.tokens.read(pass.accessToken)).session;
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  async #refreshToken(token: string, mode: Mode, visitor: Visitor): Promise<Admission> {
    const { config, refreshTokens } = this.#parts;
    const oldHash = tokenHash(token);
    const session = await findByToken(this.#place, oldHash);
    if (session === null) await this.#suspect(refreshTokens.sessionOf(token));
    if (session?.live !== true) throw new ServiceError('INVALID_CREDENTIALS');
    const admission = await this.#admit(session, session.id, mode, visitor);
    const refreshToken = refreshTokens.issue(session.id);
    const renewal = { tokenHash: tokenHash(refreshToken), ttl: config.REFRESH_TOKEN_TTL, visitor };
    const won = await rotateToken(this.#place, oldHash, renewal);
    if (!won) throw new ServiceError('INVALID_CREDENTIALS');
    return { ...admission, refreshToken };
  }

  async #refreshCookie(token: string, visitor: Visitor): Promise<Admission> {
    const { config, tokens } = this.#parts;
    const { session: id } = await tokens.read(token);
    const session = await findCookieSession(this.#place, id);
    if (session === null) throw new ServiceError('INVALID_CREDENTIALS');
    if (!session.live) {
      if (session.next !== null) await this.#suspect(id);
      throw new ServiceError('INVALID_CREDENTIALS');
    }
    const hash = tokenHash(randomBytes(32).toString('base64url'));
    const renewal = { tokenHash: hash, ttl: config.SESSION_COOKIE_TTL, visitor };
    const grace = config.SESSION_REFRESH_GRACE_PERIOD;
    const made =
      session.next === null ? await replaceSession(this.#place, id, renewal, grace) : null;
    const next = made ?? (await this.#successorOf(id));
    return await this.#admit(session, next, 'session', visitor);
  }

  /** The session that replaced another one, perhaps just now. */
  async #successorOf(id: string): Promise<string> {
    const replaced = await findCookieSession(this.#place, id);
    const next = replaced?.next ?? null;
    const successor = next === null ? null : await findSuccessor(this.#place, next);
    if (successor === null) throw new ServiceError('INVALID_CREDENTIALS');
    return successor.id;
  }

  /**
   * A replaced token was used again, so a copy of it exists. The error means that all its sessions
   * have ended, so it waits for that like a logout. A repetition has nothing to wait for.
   */
  async #suspect(session: string | null): Promise<void> {
    if (session === null) return;
    this.#parts.log.warn({ session }, 'a refresh token was used twice; its sessions end');
    const ended = await endFamily(this.#place, session);
    if (ended.length > 0) await this.#parts.confirm();
  }

  async #admit(
    { user, role, secondFactor }: StoredSession,
    session: string,
    mode: Mode,
    visitor: Visitor,
  ): Promise<Admission> {
    const { config, access, tokens } = this.#parts;
    const caller = await access.callerOf({ user, role, session, secondFactor }, visitor.ip);
    const expires = accessTtl(config, mode);
    const accessToken = await tokens.issue({ user, session, caller }, expires);
    return { accessToken, refreshToken: null, expires };
  }
}
