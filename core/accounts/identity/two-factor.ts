/** Two-factor authentication of users: generating, enabling and disabling the secret. */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { WaitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { IdentityTables } from './identity-tables.ts';
import { type Attempt, giveBackAttempt, takeAttempt, useStep } from './login-attempts.ts';
import { generateSecret, otpauthUrl, stepOf } from './one-time-password.ts';
import { verifyPassword } from './password.ts';
import { type Visitor, visitorFacts } from './session.ts';
import type { StoredSecrets } from './stored-secrets.ts';
import { tokenHash } from './token-hash.ts';

export interface TwoFactorParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Waits until each edge has applied a change. */
  readonly confirm: WaitForEdges;
  readonly storedSecrets: Pick<StoredSecrets, 'open' | 'stored'>;
}

interface User {
  readonly id: string;
  readonly email: string | null;
  readonly password: string | null;
  readonly tfa_secret: string | null;
}

/** A generated secret, as text and for authenticator apps. */
export interface GeneratedSecret {
  readonly secret: string;
  readonly otpauth_url: string;
}

/** How long a generated secret can be enabled. */
const OFFERED_SECONDS = 600;

const IN_USE = reason('second_factor_in_use');
const NOT_GENERATED = reason('second_factor_secret_not_generated');
const WRONG_CODE = reason('second_factor_code_wrong');

export class TwoFactor {
  readonly #place: IdentityTables;
  readonly #confirm: WaitForEdges;
  readonly #storedSecrets: TwoFactorParts['storedSecrets'];

  constructor({ pool, schema, confirm, storedSecrets }: TwoFactorParts) {
    this.#confirm = confirm;
    this.#storedSecrets = storedSecrets;
    this.#place = { db: pool, schema };
  }

  /**
   * Generates a secret for the caller, after checking the password.
   * @throws ServiceError INVALID_CREDENTIALS for anonymous callers and wrong passwords;
   *   INVALID_PAYLOAD when a second factor is already enabled
   */
  async generate(caller: Caller, password: string): Promise<GeneratedSecret> {
    const user = await this.#userOf(caller);
    if (user.tfa_secret !== null) throw invalidPayload(IN_USE);
    const right =
      user.password !== null && (await verifyPassword(user.password, password, quotaKeyOf(caller)));
    // The result is not used before the attempt is counted.
    const attempt = await this.#takeAttempt(user, caller);
    if (attempt === null || !right) throw new ServiceError('INVALID_CREDENTIALS');
    await giveBackAttempt(this.#place, attempt);
    const secret = generateSecret();
    await this.#offer(user.id, secret);
    const project = await this.#projectName();
    return { secret, otpauth_url: otpauthUrl(secret, project, user.email ?? user.id) };
  }

  /**
   * Enables a secret for the caller; the code proves that an app has it. Only the secret that was
   * last generated for this user, with the password, is accepted: a token alone cannot enable one.
   * The user's other sessions end.
   * @throws ServiceError INVALID_CREDENTIALS for anonymous callers; INVALID_PAYLOAD for a wrong
   *   code, for any other secret, and when a second factor is already enabled
   */
  async enable(caller: Caller, secret: string, otp: string, visitor: Visitor): Promise<void> {
    const user = await this.#userOf(caller);
    if (user.tfa_secret !== null) throw invalidPayload(IN_USE);
    if (!(await this.#isOffered(user.id, secret))) throw invalidPayload(NOT_GENERATED);
    const step = stepOf(secret, otp);
    if (step === null) throw invalidPayload(WRONG_CODE);
    const stored = await this.#storedSecrets.stored(secret, user.id);
    if (!(await this.#setSecret(user.id, stored, caller, visitor))) throw invalidPayload(IN_USE);
    await useStep(this.#place, user.id, step);
  }

  /**
   * Disables the caller's second factor.
   * @throws ServiceError INVALID_CREDENTIALS for anonymous callers; INVALID_PAYLOAD for a wrong or
   *   used code
   */
  async disable(caller: Caller, otp: string, visitor: Visitor): Promise<void> {
    const user = await this.#userOf(caller);
    if (user.tfa_secret === null) throw invalidPayload(reason('second_factor_not_in_use'));
    const attempt = await this.#takeAttempt(user, caller);
    const secret = this.#storedSecrets.open(user.tfa_secret, user.id);
    const step = attempt === null || secret === null ? null : stepOf(secret, otp);
    if (attempt === null || step === null || !(await useStep(this.#place, user.id, step))) {
      throw invalidPayload(WRONG_CODE);
    }
    await giveBackAttempt(this.#place, attempt);
    await this.#setSecret(user.id, null, caller, visitor);
  }

  /**
   * Disables the second factor of a user who lost it.
   * @throws ServiceError FORBIDDEN when the caller is not an administrator, or the user does not
   *   exist
   */
  async disableFor(caller: Caller, user: string, visitor: Visitor): Promise<void> {
    const isKey = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(user);
    if (!caller.admin || !isKey || (await this.#find(user)) === null) throw forbidden();
    await this.#setSecret(user, null, caller, visitor);
  }

  async #userOf(caller: Caller): Promise<User> {
    const user = caller.user === null ? null : await this.#find(caller.user);
    if (user === null) throw new ServiceError('INVALID_CREDENTIALS');
    return user;
  }

  async #find(id: string): Promise<User | null> {
    const { db, schema } = this.#place;
    const { rows } = await db.query<User>(
      render(sql`SELECT id, email, password, tfa_secret
        FROM ${systemTable(schema, 'users')} WHERE id = ${id}`),
    );
    return rows[0] ?? null;
  }

  #takeAttempt({ id }: User, { ip }: Caller): Promise<Attempt | null> {
    return takeAttempt(this.#place, sql`id = ${id}`, ip);
  }

  /** Stores a hash of the generated secret, which does not make guessing easier. */
  async #offer(user: string, secret: string): Promise<void> {
    const { db, schema } = this.#place;
    await db.query(
      render(sql`
        INSERT INTO ${systemTable(schema, 'logins')} ("user", tfa_generated, tfa_generated_on)
        VALUES (${user}, ${tokenHash(secret)}, now())
        ON CONFLICT ("user") DO UPDATE SET
          tfa_generated = excluded.tfa_generated, tfa_generated_on = excluded.tfa_generated_on`),
    );
  }

  async #isOffered(user: string, secret: string): Promise<boolean> {
    const { db, schema } = this.#place;
    const { rowCount } = await db.query(
      render(sql`SELECT FROM ${systemTable(schema, 'logins')}
        WHERE "user" = ${user} AND tfa_generated = ${tokenHash(secret)}
          AND tfa_generated_on > now() - make_interval(secs => ${OFFERED_SECONDS})`),
    );
    return rowCount === 1;
  }

  /**
   * Sets a secret for a user without one, or removes it, and records the caller. A new factor ends
   * the user's sessions without it, except the session that has just proved it.
   */
  async #setSecret(
    user: string,
    secret: string | null,
    caller: Caller,
    visitor: Visitor,
  ): Promise<boolean> {
    const { db, schema } = this.#place;
    const sessions = systemTable(schema, 'sessions');
    const { rowCount } = await db.query(
      render(sql`
        WITH changed AS (
          UPDATE ${systemTable(schema, 'users')} SET tfa_secret = ${secret}
          WHERE id = ${user} AND (tfa_secret IS NULL) = (${secret}::text IS NOT NULL) RETURNING id
        ), ended AS (
          DELETE FROM ${sessions} WHERE ${secret}::text IS NOT NULL
            AND "user" IN (SELECT id FROM changed) AND family NOT IN (
              SELECT family FROM ${sessions} WHERE id = ${caller.session}::uuid)
        )
        INSERT INTO ${systemTable(schema, 'activity')}
          (action, "user", collection, item, ip, user_agent, origin)
        SELECT 'update', ${caller.user}::uuid, 'system_users', id::text,
          ${visitorFacts(visitor)} FROM changed`),
    );
    if (rowCount !== 1) return false;
    await this.#confirm();
    return true;
  }

  async #projectName(): Promise<string> {
    const { db, schema } = this.#place;
    const { rows } = await db.query<{ name: string }>(
      render(sql`SELECT project_name AS name FROM ${systemTable(schema, 'settings')} LIMIT 1`),
    );
    return rows[0]?.name ?? 'Sluice';
  }
}
