/**
 * Authenticates requests: finds the account of a token and its caller. An access token is valid
 * only while its session exists, which is checked with each request.
 */
import { LRUCache } from 'lru-cache';
import type { AccessSource } from '#core/access/access-source.ts';
import type { Account } from '#core/access/account-policies.ts';
import type { Caller } from '#core/access/grants.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { type AccessClaims, type AccessTokens, claimsToBeAccessToken } from './access-token.ts';
import { AccountCache, type Remembered } from './account-cache.ts';
import { type IdentityParts, SessionMemory } from './session-cache.ts';
import { tokenHash } from './token-hash.ts';

/** Verified access tokens cached per process. */
const MAX_TOKENS = 20_000;
/** Accounts of static tokens cached per process. */
const MAX_ACCOUNTS = 10_000;
/** Longer texts are never valid tokens and would fill the cache. */
const TOKEN_MAX_LENGTH = 4_096;

/** The services that authentication needs besides the tables. */
export interface IdentityPorts extends IdentityParts {
  readonly access: AccessSource;
  readonly tokens: AccessTokens;
}

export class Identity {
  readonly #parts: IdentityPorts;
  readonly #sessions: SessionMemory;
  /** The signature stays valid; the expiry is checked from the claims. */
  readonly #verified = new LRUCache<string, AccessClaims>({ max: MAX_TOKENS });
  readonly #accounts = new AccountCache(MAX_ACCOUNTS, (token) => this.#readStatic(token));

  constructor(parts: IdentityPorts) {
    this.#parts = parts;
    this.#sessions = new SessionMemory(parts);
    parts.catalog.onAccess((changes) => {
      if (changes === null) this.#accounts.forgetAll();
      else if (changes.users.size > 0) this.#accounts.forgetUsers(changes.users);
    });
  }

  /**
   * Returns the caller of a token; anonymous without one.
   * @param ip address of the client; null when unknown
   * @throws ServiceError INVALID_CREDENTIALS for an unknown token, or one whose session has ended;
   *   TOKEN_EXPIRED; INVALID_IP when the address excludes each policy of the user
   */
  async authenticate(token: string | null, ip: string | null): Promise<Caller> {
    const { access } = this.#parts;
    if (token === null) return await access.callerOf(null, ip);
    const account = await this.#accountOf(token);
    if (account === null) throw new ServiceError('INVALID_CREDENTIALS');
    return await access.callerOf(account, ip);
  }

  /**
   * Returns the caller of a token that was authenticated before. The access token may have expired
   * since, but its session must exist.
   * @throws ServiceError as {@link authenticate}
   */
  async again(before: Caller, token: string | null): Promise<Caller> {
    const { user, session, ip } = before;
    if (session === null) return await this.authenticate(token, ip);
    const account = await this.#sessions.accountOf(session);
    if (account === null || account.user !== user) throw new ServiceError('INVALID_CREDENTIALS');
    return await this.#parts.access.callerOf(account, ip);
  }

  /** When a token that was authenticated expires, in milliseconds since 1970; null: never. */
  expiryOf(token: string | null): number | null {
    return token === null ? null : (this.#verified.get(token)?.expires ?? null);
  }

  async #accountOf(token: string): Promise<Account | null> {
    const known = this.#verified.get(token);
    if (known !== undefined) return await this.#accountOfClaims(known);
    if (token.length > TOKEN_MAX_LENGTH) return null;
    if (!claimsToBeAccessToken(token)) return await this.#accountOfStatic(token);
    const claims = await this.#parts.tokens.read(token);
    this.#verified.set(token, claims);
    return await this.#accountOfClaims(claims);
  }

  async #accountOfClaims({ user, session, expires }: AccessClaims): Promise<Account | null> {
    if (expires <= Date.now()) throw new ServiceError('TOKEN_EXPIRED');
    const account = await this.#sessions.accountOf(session);
    return account?.user === user ? account : null;
  }

  async #accountOfStatic(token: string): Promise<Account | null> {
    const { catalog } = this.#parts;
    if (!catalog.inContact()) await catalog.trust();
    return (await this.#accounts.get(token))?.account ?? null;
  }

  async #readStatic(token: string): Promise<Remembered | null> {
    const { pool, schema } = this.#parts;
    const { rows } = await pool.query<Pick<Account, 'user' | 'role'>>(
      render(sql`SELECT id AS "user", role FROM ${systemTable(schema, 'users')}
        WHERE token = ${tokenHash(token)} AND status = 'active'`),
    );
    const [row] = rows;
    return row === undefined ? null : { account: { ...row, session: null, secondFactor: false } };
  }
}
